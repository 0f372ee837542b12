import type { Invoice } from "@footprint/contract/invoices.ts";
import { Anchor } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { formatMoney, StatusBadge } from "../../shared/format.tsx";
import { statusLabel } from "../../shared/labels.ts";

const tones = {
  pending: "warning",
  paid: "positive",
  expired: "danger",
  failed: "danger",
  reversed: "danger",
} as const;

export function InvoiceStatus({ status }: { status: Invoice["status"] }) {
  return <StatusBadge tone={tones[status]}>{statusLabel(status)}</StatusBadge>;
}

/** The address comes from a shop: only web addresses become links. */
export function HostedPage({ invoice }: { invoice: Invoice }) {
  const { hosted_url: address, user, amount } = invoice;
  if (!/^https?:\/\//i.test(address)) return "–";
  return (
    <Anchor
      display="inline-flex"
      style={{ alignItems: "center", gap: 4 }}
      fz="inherit"
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={`Open the invoice page for ${formatMoney(amount)} of ${user.username} in a new tab`}
    >
      Open <IconExternalLink size={14} aria-hidden />
    </Anchor>
  );
}
