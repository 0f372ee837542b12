import type { Customer } from "@footprint/client";
import { useOutletContext } from "react-router";

/** The signed-in customer, up to date. */
export const useCustomer = () => useOutletContext<Customer>();
