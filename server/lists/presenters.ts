import type { customers, fedexOrders, invoices, orders, transfers } from "../db/schema.ts";

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
export const named = ({ id, username }: { id: string; username: string }) => ({ _id: id, username });

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
