import { paymentMethods } from "@footprint/contract/invoices.ts";
import { choiceFilter } from "./filters.tsx";
import { labelOf } from "./labels.ts";

/** The payment method. */
export const methodFilter = choiceFilter(
  "method",
  "Method",
  paymentMethods.map((method) => [method, labelOf(method)]),
);
