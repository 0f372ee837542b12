import type { Order } from "@footprint/contract/orders.ts";
import { StatusBadge } from "./format.tsx";

/** Plain while all is normal; `badge` for use alone, in a heading. */
export function OrderStatus({ order: { isRefunded }, badge = false }: { order: Order; badge?: boolean }) {
  if (isRefunded) return <StatusBadge tone="warning">Refunded</StatusBadge>;
  return <StatusBadge tone={badge ? "neutral" : "plain"}>Active</StatusBadge>;
}

/** The same in a line where there is no room for a badge. */
export function Refunded() {
  return <span style={{ color: "var(--mantine-color-orange-light-color)" }}>Refunded</span>;
}
