import { and, eq, sql } from "drizzle-orm";
import {
  accounts,
  bulkOrders,
  customers,
  fedexOrders,
  invoices,
  orders,
  plainTracking,
  trackingCodes,
} from "../db/schema.ts";
import { contains, type Searched } from "./search.ts";

// What each list is found by, in the list itself and in the search over all of them.

export const searched = {
  customers: { names: [customers.username, customers.email], codes: [customers.id, customers.discordId] },
  orders: {
    names: [orders.fromName, orders.toName],
    codes: [orders.id, orders.uuid, orders.tracking],
    digits: plainTracking(orders.tracking),
    customer: { id: orders.customerId, byCodes: true },
  },
  bulkOrders: {
    names: [],
    codes: [bulkOrders.id, bulkOrders.uuid],
    customer: { id: bulkOrders.customerId, byCodes: true },
  },
  invoices: { names: [], codes: [invoices.id], customer: { id: invoices.customerId, byCodes: true } },
  trackingCodes: { names: [], codes: [trackingCodes.code], digits: sql`${trackingCodes.code}` },
} satisfies Record<string, Searched>;

/** Whose discordId a caller may not see, they may not find by it either. */
export const searchedFedexOrders = ({ role }: { role: string }): Searched => ({
  names: [fedexOrders.fromName, fedexOrders.toName],
  codes: [fedexOrders.id, fedexOrders.uuid],
  customer: { id: fedexOrders.customerId, byCodes: role === "admin" },
});

/** Staff are few, and looked through one by one. */
export const foundStaff = (search: string) =>
  and(eq(accounts.role, "staff"), search ? contains([accounts.username], search) : undefined);
