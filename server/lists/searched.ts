import type { Role } from "@footprint/contract/session.ts";
import { and, eq, sql } from "drizzle-orm";
import {
  accounts,
  approvals,
  bulkOrders,
  codeBatches,
  customers,
  fedexOrders,
  invoices,
  labelTypes,
  orders,
  plainTracking,
  trackingCodes,
  unusualEvents,
} from "../db/schema.ts";
import { contains, type Searched } from "./search.ts";

// The columns that each list is searched by, in the list itself and in the search over everything.

export const searched = {
  customers: { names: [customers.username, customers.email], codes: [customers.id, customers.discordId] },
  orders: {
    names: [orders.fromName, orders.toName],
    codes: [orders.id, orders.uuid, orders.tracking],
    digits: { of: orders.tracking, plain: plainTracking(orders.tracking) },
    customer: { id: orders.customerId, byCodes: true },
    weighs: (weight) => sql`${orders.weight} = case
      when ${orders.labelTypeId} = any(array(select id from ${labelTypes} where position('First Class' in name) > 0))
      then ${weight.value}::numeric * ${weight.unit === "oz" ? 1 : 16}
      else ${weight.value}::numeric / ${weight.unit === "oz" ? 16 : 1} end`,
  },
  bulkOrders: {
    names: [],
    codes: [bulkOrders.id, bulkOrders.uuid],
    customer: { id: bulkOrders.customerId, byCodes: true },
  },
  invoices: { names: [], codes: [invoices.id], customer: { id: invoices.customerId, byCodes: true } },
  unusualEvents: {
    names: [unusualEvents.name],
    codes: [unusualEvents.id],
    customer: { id: unusualEvents.customerId, byCodes: true },
  },
  approvals: {
    names: [approvals.askedName],
    codes: [approvals.id, approvals.reference],
    customer: { id: approvals.customerId, byCodes: true },
  },
  codeBatches: { names: [codeBatches.note], codes: [codeBatches.id, codeBatches.first, codeBatches.last] },
  trackingCodes: {
    names: [],
    codes: [trackingCodes.code],
    digits: { of: trackingCodes.code, plain: sql`${trackingCodes.code}` },
    batches: { table: codeBatches, id: trackingCodes.batchId },
  },
} satisfies Record<string, Searched>;

/** Only administrators see discordIds, so only they find orders by them. */
export const searchedFedexOrders = ({ role }: { role: string }): Searched => ({
  names: [fedexOrders.fromName, fedexOrders.toName],
  codes: [fedexOrders.id, fedexOrders.uuid],
  customer: { id: fedexOrders.customerId, byCodes: role === "admin" },
});

/** Accounts are few: each is compared, without an index. */
export const foundStaff = (search: string, role: Role = "staff") =>
  and(eq(accounts.role, role), search ? contains([accounts.username], search) : undefined);
