import type { Customer } from "@footprint/client";
import { useOutletContext } from "react-router";

/** Who is signed in, as they are right now. */
export const useCustomer = () => useOutletContext<Customer>();
