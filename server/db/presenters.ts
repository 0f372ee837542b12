import { pathOf } from "@footprint/contract/endpoint.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import type { customers, fedexOrders, invoices, orders } from "./schema.ts";

// Rows as the contract has them. Fields that a reply's schema does not name are left out when it is sent.

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

/** The same for shops, with where its file is downloaded. */
export const presentShopFedexOrder = (order: typeof fedexOrders.$inferSelect) => ({
  ...presentFedexOrder(order),
  file: order.fileId && pathOf(storefront.readFedexFile, { id: order.id }),
});
