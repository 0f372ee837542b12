import type { FedexOrder } from "@footprint/contract/fedex.ts";
import { StatusBadge } from "../../shared/format.tsx";
import { ShortId } from "../../shared/ShortId.tsx";

const tones = {
  Pending: "warning",
  Completed: "positive",
  Cancelled: "danger",
  "Awaiting User Input": "neutral",
  "In Process": "info",
} as const;

export function FedexStatus({ order: { status } }: { order: FedexOrder }) {
  return <StatusBadge tone={tones[status]}>{status}</StatusBadge>;
}

/** The server sends staff three asterisks instead of the discord id: nothing to copy. */
export function FedexCustomer({ order: { user } }: { order: FedexOrder }) {
  return user.discordId === "***" ? "***" : <ShortId value={user.discordId} name="discord id" />;
}
