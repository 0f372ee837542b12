import type { Transfer } from "@footprint/contract/transfers.ts";
import { Anchor, VisuallyHidden } from "@mantine/core";
import {
  IconAdjustments,
  IconArrowBackUp,
  IconArrowDownLeft,
  IconArrowUpRight,
  IconRotate2,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Author } from "../../shared/Author.tsx";
import { RowButton } from "../../shared/buttons.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { formatChange, formatCount, formatWeight, StatusBadge, Time } from "../../shared/format.tsx";
import { IdLink } from "../../shared/IdLink.tsx";
import { labelOf, statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import type { List } from "../../shared/list.ts";
import classes from "./TransferCells.module.css";

const ReverseTransfer = lazyPart(() => import("./ReverseTransfer.tsx").then((file) => file.ReverseTransfer));

const OrderDetails = lazyPart(() => import("../../shared/OrderDetails.tsx").then((file) => file.OrderDetails));

const icons = {
  deposit: IconArrowDownLeft,
  purchase: IconArrowUpRight,
  refund: IconArrowBackUp,
  adjustment: IconAdjustments,
  reversal: IconRotate2,
};

export function KindIcon({ transfer: { kind, amount, reversedBy } }: { transfer: Transfer }) {
  const Icon = icons[kind];
  return <Icon className={classes.icon} size={16} aria-hidden data-in={(amount > 0 && !reversedBy) || undefined} />;
}

export function Kind({ transfer }: { transfer: Transfer }) {
  return (
    <span className={classes.kind}>
      <KindIcon transfer={transfer} />
      {statusLabel(transfer.kind)}
    </span>
  );
}

/** What the money was moved for, and why. */
export function What({ transfer }: { transfer: Transfer }) {
  const { word, link, more } = purposeOf(transfer);
  const { reason } = transfer;
  if (!word && !reason) return <span className={classes.more}>No reason given</span>;
  return (
    <span className={classes.what}>
      {word && (
        <span>
          {word} {link}
        </span>
      )}
      {more && <span className={classes.more}>{more}</span>}
      {transfer.for?.kind === "order" && transfer.for.custom && transfer.kind === "purchase" && (
        <StatusBadge tone="neutral">Custom price</StatusBadge>
      )}
      {reason && <span className={word ? classes.more : undefined}>{reason}</span>}
    </span>
  );
}

/** The same on a phone, where there is little room: what it was stands beside its kind, the rest below. */
export function BriefWhat({ transfer }: { transfer: Transfer }) {
  const { word, link, more } = purposeOf(transfer);
  const rest = [transfer.for?.kind === "order" ? undefined : word, more, transfer.reason].filter(Boolean).join(", ");
  return (
    <>
      <span>
        <b>{statusLabel(transfer.kind)}</b> {link}
      </span>
      <span className={classes.brief}>{rest || "No reason given"}</span>
    </>
  );
}

/** What it was for, in a word; which one, to be opened; and what else there is to say of it. */
function purposeOf({ for: purpose }: Transfer): { word?: string; link?: ReactNode; more?: string } {
  switch (purpose?.kind) {
    case "order":
      return {
        word: "Order",
        link: <OrderLink {...purpose} />,
        more: `${purpose.labelType}, ${formatWeight(purpose.weight, purpose.labelType)}`,
      };
    case "bulk order":
      return {
        word: "Bulk order",
        link: linkTo("bulk-orders", purpose.uuid),
        more: `${formatCount(purpose.orderCount)} ${purpose.orderCount === 1 ? "label" : "labels"}`,
      };
    case "fedex order":
      return { word: "Fedex order", link: linkTo("fedex", purpose.uuid) };
    case "invoice":
      return { word: "Invoice", link: linkTo("invoices", purpose._id), more: labelOf(purpose.payment_method) };
    case "transfer":
      return { word: `of ${purpose.of}`, link: <Time value={purpose.createdAt} exact /> };
    default:
      return {};
  }
}

/** Opens the order above the list, which keeps its place. */
function OrderLink({ _id, uuid }: { _id: string; uuid: string }) {
  const open = useDialog();
  return (
    <IdLink value={uuid} onClick={() => open((close) => <OrderDetails id={_id} onClose={close} onLeave={close} />)} />
  );
}

const linkTo = (list: string, id: string) => <IdLink value={id} to={`/${list}?search=${id}`} />;

/** Pressed, the list shows what they did, and nothing else. */
export function Who({ by, list }: { by: Transfer["by"]; list: Pick<List<Transfer>, "set"> }) {
  const { _id: id } = by;
  if (id === null) return <Author by={by} inList />;
  return (
    <Anchor component="button" c="inherit" fz="inherit" onClick={() => list.set({ by: id })}>
      <VisuallyHidden>Only those by </VisuallyHidden>
      <Author by={by} inList />
    </Anchor>
  );
}

/** With its sign: green came in; what was taken back is struck through. */
export function Amount({ transfer: { amount, reversedBy } }: { transfer: Transfer }) {
  return (
    <span className={classes.amount} data-in={amount > 0 || undefined} data-reversed={reversedBy !== null || undefined}>
      {formatChange(amount)}
    </span>
  );
}

/** Adjustments, deposits and charged Fedex orders can be taken back, once. */
export function Reverse({
  transfer,
  user,
  variant = "subtle",
}: {
  transfer: Transfer;
  user: { _id: string; username: string };
  variant?: "subtle" | "default";
}) {
  const open = useDialog();
  const { kind, amount, reversedBy } = transfer;
  if (reversedBy) return <StatusBadge tone="neutral">Reversed</StatusBadge>;
  if (kind !== "adjustment" && kind !== "deposit" && transfer.for?.kind !== "fedex order") return null;
  return (
    <RowButton
      text="Reverse"
      variant={variant}
      of={`the ${kind} of ${formatChange(amount)}`}
      onClick={() => open((close) => <ReverseTransfer transfer={transfer} user={user} onClose={close} />)}
    />
  );
}
