import { quotes as contract } from "@footprint/contract/quotes.ts";
import { routes } from "../http/routes.ts";
import { quote } from "../money/purchases.ts";

export const quoteRoutes = routes(contract, {
  read: ({ db, query: { customer, labelType, weight } }) => quote(db, customer, labelType, weight),
});
