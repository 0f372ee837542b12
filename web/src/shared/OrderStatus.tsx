import type { Order } from "@footprint/contract/orders.ts";
import { StatusBadge } from "./format.tsx";

export function OrderStatus({ order: { isRefunded } }: { order: Order }) {
  return <StatusBadge tone={isRefunded ? "warning" : "positive"}>{isRefunded ? "Refunded" : "Active"}</StatusBadge>;
}
