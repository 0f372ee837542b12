import type { Transfer } from "@footprint/contract/transfers.ts";
import {
  IconAdjustmentsHorizontal,
  IconArrowBackUp,
  IconArrowDownLeft,
  IconArrowUpRight,
  IconRotate,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { RowButton } from "../../shared/buttons.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { formatChange, formatCount, formatWeight, StatusBadge, Time } from "../../shared/format.tsx";
import { IdLink } from "../../shared/IdLink.tsx";
import { labelOf, statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import classes from "./TransferCells.module.css";

const ReverseTransfer = lazyPart(() => import("./ReverseTransfer.tsx").then((file) => file.ReverseTransfer));

const OrderDetails = lazyPart(() => import("../../shared/OrderDetails.tsx").then((file) => file.OrderDetails));

const icons = {
  deposit: IconArrowDownLeft,
  purchase: IconArrowUpRight,
  refund: IconArrowBackUp,
  adjustment: IconAdjustmentsHorizontal,
  reversal: IconRotate,
};

export function KindIcon({ transfer: { kind, amount } }: { transfer: Transfer }) {
  const Icon = icons[kind];
  return <Icon className={classes.icon} size={16} aria-hidden data-in={amount > 0 || undefined} />;
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
  const { name, more } = purposeOf(transfer);
  const { reason } = transfer;
  if (!name && !reason) return <span className={classes.more}>No reason given</span>;
  return (
    <span className={classes.what}>
      {name && <span>{name}</span>}
      {more && <span className={classes.more}>{more}</span>}
      {transfer.for?.kind === "order" && transfer.for.custom && transfer.kind === "purchase" && (
        <StatusBadge tone="neutral">Custom price</StatusBadge>
      )}
      {reason && <span>{reason}</span>}
    </span>
  );
}

function purposeOf({ for: purpose }: Transfer): { name?: ReactNode; more?: ReactNode } {
  switch (purpose?.kind) {
    case "order":
      return {
        name: (
          <>
            Order <OrderLink {...purpose} />
          </>
        ),
        more: `${purpose.labelType}, ${formatWeight(purpose.weight, purpose.labelType)}`,
      };
    case "bulk order":
      return {
        name: <>Bulk order {link("bulk-orders", purpose.uuid)}</>,
        more: `${formatCount(purpose.orderCount)} ${purpose.orderCount === 1 ? "label" : "labels"}`,
      };
    case "fedex order":
      return { name: <>Fedex order {link("fedex", purpose.uuid)}</> };
    case "invoice":
      return { name: <>Invoice {link("invoices", purpose._id)}</>, more: labelOf(purpose.payment_method) };
    case "transfer":
      return {
        name: (
          <>
            of {purpose.of} <Time value={purpose.createdAt} exact />
          </>
        ),
      };
    default:
      return {};
  }
}

/** Opens the order above the list, which keeps its place. */
function OrderLink({ _id, uuid }: { _id: string; uuid: string }) {
  const open = useDialog();
  return <IdLink value={uuid} onClick={() => open((close) => <OrderDetails id={_id} onClose={close} />)} />;
}

const link = (list: string, id: string) => <IdLink value={id} to={`/${list}?search=${id}`} />;

/** With its sign: green came in; what was taken back is struck through. */
export function Amount({ transfer: { amount, reversedBy } }: { transfer: Transfer }) {
  return (
    <span className={classes.amount} data-in={amount > 0 || undefined} data-reversed={reversedBy !== null || undefined}>
      {formatChange(amount)}
    </span>
  );
}

/** Adjustments, deposits and charged Fedex orders can be taken back, once. */
export function Reverse({ transfer, user }: { transfer: Transfer; user: { _id: string; username: string } }) {
  const open = useDialog();
  const { kind, amount, reversedBy } = transfer;
  if (reversedBy) return <StatusBadge tone="neutral">Reversed</StatusBadge>;
  if (kind !== "adjustment" && kind !== "deposit" && transfer.for?.kind !== "fedex order") return null;
  return (
    <RowButton
      text="Reverse"
      of={`the ${kind} of ${formatChange(amount)}`}
      onClick={() => open((close) => <ReverseTransfer transfer={transfer} user={user} onClose={close} />)}
    />
  );
}
