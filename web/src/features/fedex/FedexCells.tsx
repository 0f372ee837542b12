import { type FedexOrder, offeredStatuses } from "@footprint/contract/fedex.ts";
import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { StatusBadge } from "../../shared/format.tsx";
import { ShortId } from "../../shared/ShortId.tsx";

const tones = {
  Pending: "warning",
  Completed: "positive",
  Cancelled: "neutral",
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

/** The statuses that the form offers; another one stays as it is until one of them is chosen. */
export function StatusSelect({ order, ...props }: { order: FedexOrder } & NativeSelectProps) {
  const isOffered = offeredStatuses.some((status) => status === order.status);
  return (
    <NativeSelect
      label="Status"
      description={
        order.chargedAt && props.value === "Cancelled"
          ? "Still charged: the charge is reversed apart from this"
          : undefined
      }
      {...props}
    >
      {!isOffered && (
        <option value={order.status} disabled hidden>
          {order.status}
        </option>
      )}
      {offeredStatuses.map((status) => (
        <option key={status}>{status}</option>
      ))}
    </NativeSelect>
  );
}
