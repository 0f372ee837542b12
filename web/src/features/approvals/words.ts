import type { Approval } from "@footprint/contract/approvals.ts";

export const actWords: Record<Approval["act"], string> = {
  credit: "Add balance",
  refund: "Refund order",
  deposit: "Mark as paid",
};

export const statusWords: Record<Approval["status"], string> = {
  waiting: "Waiting",
  approved: "Approved",
  declined: "Declined",
  failed: "Could not be done",
  expired: "Expired",
};

/** Where the order or the invoice is seen; of a credit, the customer's balance. */
export function pathOf({ for: thing, user }: Approval): string {
  if (!thing) return `/users/${user._id}?tab=balance`;
  return `/${thing.kind === "order" ? "orders" : "invoices"}?search=${thing._id}&view=${thing._id}`;
}
