import { getTableColumns } from "drizzle-orm";
import type { customers, fedexOrders, invoices, orders, transfers } from "../db/schema.ts";
import type { Columns } from "./list.ts";

// Rows as the contract has them. What a reply's schema does not name is left out when it is sent.

export const presentOrder = (
  order: typeof orders.$inferSelect,
  user: { id: string; username: string },
  labelType: { name: string },
) => ({
  ...order,
  _id: order.id,
  user: named(user),
  labelType: { name: labelType.name },
  price: order.priceCents,
  isRefunded: order.refundedAt !== null,
});

/** A customer as lists name them. */
const named = ({ id, username }: { id: string; username: string }) => ({ _id: id, username });

type Acted = Pick<typeof transfers.$inferSelect, "actor" | "actorKind" | "actorId">;
export const presentAuthor = ({ actor, actorKind, actorId }: Acted) => ({
  username: actor,
  kind: actorKind,
  _id: actorId,
});

export const presentCustomer = (customer: typeof customers.$inferSelect) => ({
  ...customer,
  _id: customer.id,
  balance: customer.balanceCents,
  status: customer.active,
  isVerified: customer.verifiedAt !== null,
});

export const presentInvoice = (invoice: typeof invoices.$inferSelect) => ({
  ...invoice,
  _id: invoice.id,
  amount: invoice.amountCents,
  payment_method: invoice.paymentMethod,
  hosted_url: invoice.hostedUrl,
});

export const presentFedexOrder = (order: typeof fedexOrders.$inferSelect) => ({
  ...order,
  _id: order.id,
  price: order.priceCents,
});

/** The addresses of an order, for its export: `fromStreet2` stands under "From street 2". */
export function addressColumns(table: typeof orders | typeof fedexOrders): Columns {
  const parts = Object.entries(getTableColumns(table)).filter(([name]) => /^(from|to)[A-Z]/.test(name));
  const heading = (name: string) => {
    const words = name.replace(/[A-Z]|\d/g, " $&").toLowerCase();
    return words.charAt(0).toUpperCase() + words.slice(1);
  };
  return Object.fromEntries(parts.map(([name, column]) => [heading(name), column]));
}
