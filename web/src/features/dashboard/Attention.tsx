import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { Button, Skeleton } from "@mantine/core";
import {
  IconAlertTriangle,
  IconChevronRight,
  IconCircleCheckFilled,
  IconDatabaseExport,
  IconEye,
  IconFileInvoice,
  IconHandStop,
  IconQrcode,
  IconReceiptRefund,
  IconTags,
  IconTruckDelivery,
  IconUserPlus,
  IconWebhook,
} from "@tabler/icons-react";
import { type ComponentType, type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import { serverNow } from "../../shared/clock.ts";
import { formatCount, formatMoney, Time } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { useMinute } from "../../shared/today.ts";
import classes from "./Attention.module.css";
import { useReportedFailure } from "./useReportedFailure.ts";

/** How high the strip was when it was last seen in this browser: what is below does not move when it arrives. */
const heightKey = "footprint-attention";

/** What waits for somebody, each with the list where it is done. Asked after the figures. */
export function Attention({ enabled, books }: { enabled: boolean; books: Books | undefined }) {
  useMinute();
  const query = useApiQuery(dashboard.attention, {}, { enabled });
  useReportedFailure([query], "What needs attention could not be loaded");
  const strip = useRef<HTMLElement>(null);
  const { isSuccess, isPending } = query;
  useEffect(() => {
    const shown = strip.current;
    if (!isSuccess || !shown) return;
    const keep = new ResizeObserver(() => window.localStorage.setItem(heightKey, String(shown.offsetHeight)));
    keep.observe(shown);
    return () => keep.disconnect();
  }, [isSuccess]);
  return (
    <section
      ref={strip}
      className={classes.strip}
      aria-labelledby="needs-attention"
      aria-busy={isPending}
      style={isPending ? { minHeight: Number(window.localStorage.getItem(heightKey)) || undefined } : undefined}
    >
      <h2 className={classes.title} id="needs-attention">
        Needs attention
      </h2>
      {query.data ? (
        <ul className={classes.items}>
          {itemsOf({
            ...query.data,
            books: books ? { ...books, problems: books.problems.length } : query.data.books,
          }).map((item) => (
            <li key={item.to}>
              <Item {...item} />
            </li>
          ))}
        </ul>
      ) : (
        <div className={classes.loading}>
          {query.isError ? (
            <Button size="compact-sm" variant="subtle" color="red" onClick={() => query.refetch()}>
              Not loaded. Retry
            </Button>
          ) : (
            <Skeleton height={16} />
          )}
        </div>
      )}
    </section>
  );
}

/** As they were checked last, which may be since. */
type Books = { balanced: boolean; checkedAt: string; problems: string[] };

type Shown = {
  Icon: ComponentType<{ size: number }>;
  title: string;
  note: ReactNode;
  to: string;
  tone?: "late" | "wrong" | "well" | undefined;
};

function Item({ Icon, title, note, to, tone }: Shown) {
  return (
    <Link className={classes.item} to={to} data-tone={tone}>
      <Icon size={18} aria-hidden />
      <span>
        <b>{title}</b> <small>{note}</small>
      </span>
      <IconChevronRight size={14} aria-hidden />
    </Link>
  );
}

const many = (count: number, one: string, several: string) => `${formatCount(count)} ${count === 1 ? one : several}`;

/** A Fedex order that waits for longer is late. */
const lateAfterHours = 6;

/** What is empty needs nobody; the books are always told of. */
function itemsOf(waiting: Reply<typeof dashboard.attention>): Shown[] {
  const { newUsers, fedexOrders, invoices, codes, priceGaps, failedPrices, approvals, webhooks, paymentHandle } =
    waiting;
  const { unusual, books, backup, reversedPayments } = waiting;
  const usedUp = codes.filter(({ left }) => left === 0);
  const low = codes.filter(({ left }) => left > 0);
  const [lowest] = low;
  const [gap] = priceGaps;
  const [failed] = failedPrices;
  const [webhook] = webhooks;
  const items: (Shown | false | null | undefined)[] = [
    usedUp[0] && {
      Icon: IconAlertTriangle,
      title: `No ${usedUp.map(({ type }) => codeNames[type]).join(", ")} codes`,
      note: "left: orders are refused",
      to: usedUp.length === 1 ? `/usps?type=${usedUp[0].type}` : "/usps",
      tone: "wrong",
    },
    newUsers.count > 0 && {
      Icon: IconUserPlus,
      title: many(newUsers.count, "new user", "new users"),
      note: <>to verify{since(newUsers.oldest)}</>,
      to: "/new-users",
    },
    fedexOrders.count > 0 && {
      Icon: IconTruckDelivery,
      title: many(fedexOrders.count, "Fedex order", "Fedex orders"),
      note: <>pending{since(fedexOrders.oldest)}</>,
      to: "/fedex?filter=Pending",
      tone: isOlder(fedexOrders.oldest, lateAfterHours) ? "late" : undefined,
    },
    invoices.count > 0 && {
      Icon: IconFileInvoice,
      title: many(invoices.count, "invoice", "invoices"),
      note: `waiting, ${formatMoney(invoices.amount)}`,
      to: "/invoices?status=pending",
    },
    lowest && {
      Icon: IconAlertTriangle,
      title: `${codeNames[lowest.type]} codes${andMore(low.length)}`,
      note: `${lasting(lowest)}${formatCount(lowest.left)} left`,
      to: `/usps?type=${lowest.type}&used=false`,
      tone: "late",
    },
    gap && {
      Icon: IconTags,
      title: many(priceGaps.length, "price gap", "price gaps"),
      note: `${gap.name}${andMore(priceGaps.length)}`,
      to: priceGaps.length === 1 ? `/pricing/${gap._id}` : "/pricing",
      tone: "late",
    },
    failed && {
      Icon: IconTags,
      title: "Scheduled prices failed",
      note: `${failed.name}${andMore(failedPrices.length)}`,
      to: `/pricing/${failed._id}`,
      tone: "wrong",
    },
    approvals.count > 0 && {
      Icon: IconHandStop,
      title: many(approvals.count, "request", "requests"),
      note: <>for your approval{since(approvals.oldest)}</>,
      to: "/approvals",
      tone: "late",
    },
    reversedPayments && {
      Icon: IconReceiptRefund,
      title: many(reversedPayments.count, "reversed payment", "reversed payments"),
      note: `credited, ${formatMoney(reversedPayments.amount)}`,
      to: `/invoices/statements/${reversedPayments.statement}?state=paid`,
      tone: "wrong",
    },
    webhook && {
      Icon: IconWebhook,
      title: webhook.isPaused ? "Webhook paused" : "Webhook failing",
      note: `${webhook.name}${andMore(webhooks.length)}`,
      to: `/website/webhooks/${webhook._id}`,
      tone: webhook.isPaused ? "wrong" : "late",
    },
    paymentHandle && {
      Icon: IconQrcode,
      title: changedHandle(paymentHandle),
      note: (
        <>
          {paymentHandle.changes > 1 && `${formatCount(paymentHandle.changes)} changes `}by{" "}
          {paymentHandle.by.join(", ")}, <Time value={paymentHandle.createdAt} plain />
        </>
      ),
      to: "/website",
      tone: paymentHandle.warnings > 0 ? "wrong" : "late",
    },
    unusual > 0 && {
      Icon: IconEye,
      title: many(unusual, "unusual event", "unusual events"),
      note: "to look at",
      to: "/unusual",
      tone: "late",
    },
    backup && {
      Icon: IconDatabaseExport,
      title: backup.problem ? "Backup failed" : backup.isLate ? "Backup is late" : "Backed up",
      note: backup.takenAt ? (
        <>
          {(backup.problem || backup.isLate) && "last "}
          <Time value={backup.takenAt} plain />
        </>
      ) : (
        "none yet"
      ),
      to: "/logs?search=backup",
      tone: backup.problem || backup.isLate ? "wrong" : "well",
    },
    books && {
      Icon: books.balanced ? IconCircleCheckFilled : IconAlertTriangle,
      title: books.balanced ? "Books balanced" : "Books do not balance",
      note: books.balanced ? (
        <Time value={books.checkedAt} plain />
      ) : (
        <>
          {many(books.problems, "problem", "problems")}, <Time value={books.checkedAt} plain />
        </>
      ),
      to: "/transfers",
      tone: books.balanced ? "well" : "wrong",
    },
  ];
  return items.filter((item) => !!item);
}

/** Payment handle $north to $south */
function changedHandle({ from, to, changes }: { from: string; to: string; changes: number }): string {
  if (from === to) return `Payment ${changes > 1 ? "handle or image" : "image"} of ${to || "nobody"} changed`;
  return `Payment handle ${from || "(none)"} to ${to || "(none)"}`;
}

const codeNames = {
  priority: "Priority",
  express: "Express",
  ground_oz: "Ground (oz)",
  ground_lbs: "Ground (lbs)",
};

const andMore = (count: number) => (count > 1 ? ` and ${formatCount(count - 1)} more` : "");

function lasting({ days }: { days: number | null }): string {
  if (days === null) return "";
  return days === 0 ? "run out today, " : `last about ${many(days, "day", "days")}, `;
}

const isOlder = (moment: string | null, hours: number) =>
  moment !== null && serverNow() - Date.parse(moment) > hours * 3_600_000;

/** , oldest 14 h */
function since(moment: string | null): string {
  if (!moment) return "";
  const hours = Math.floor((serverNow() - Date.parse(moment)) / 3_600_000);
  if (hours < 1) return ", oldest under 1 h";
  return hours < 48 ? `, oldest ${hours} h` : `, oldest ${Math.floor(hours / 24)} d`;
}
