import type { Reply } from "@footprint/contract/endpoint.ts";
import type { users } from "@footprint/contract/users.ts";
import { Skeleton } from "@mantine/core";
import { IconAlertTriangleFilled, IconCircleCheckFilled } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatCount, formatMoney, Time } from "../../shared/format.tsx";
import classes from "./CustomerFigures.module.css";

export type Totals = Reply<typeof users.read>["totals"];

/** What a customer has, and what came in and went out in all. */
export function CustomerFigures({ balance, totals }: { balance: number | undefined; totals: Totals | undefined }) {
  const isThere = balance !== undefined && totals !== undefined;
  const figures: [title: string, figure: string, note: ReactNode][] = isThere
    ? [
        ["Balance", formatMoney(balance), <Agreement key="agreement" totals={totals} />],
        ["Lifetime spent", formatMoney(totals.spent), `${formatMoney(totals.spentLately)} in 30 days`],
        ["Deposited", formatMoney(totals.deposited), counted(totals.deposits, "paid invoice", "paid invoices")],
        ["Refunded", formatMoney(totals.refunded), refundsOf(totals)],
        ["Orders", formatCount(totals.orders), <LastOrder key="last" at={totals.lastOrderAt} />],
      ]
    : ["Balance", "Lifetime spent", "Deposited", "Refunded", "Orders"].map((title) => [title, "", ""]);

  return (
    <dl className={classes.figures} aria-busy={!isThere}>
      {figures.map(([title, figure, note]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd className={classes.figure}>{isThere ? figure : <Skeleton height={18} width="60%" />}</dd>
          <dd className={classes.note}>{note}</dd>
          {title === "Balance" && totals && <BalanceLine balances={totals.balances} />}
        </div>
      ))}
    </dl>
  );
}

const counted = (count: number, one: string, many: string) => `${formatCount(count)} ${count === 1 ? one : many}`;

function refundsOf({ refunds, orders }: Totals): string {
  const share = orders > 0 ? `, ${((refunds / orders) * 100).toFixed(1)} %` : "";
  return counted(refunds, "order", "orders") + (refunds > 0 ? share : "");
}

function LastOrder({ at }: { at: string | null }) {
  return at === null ? (
    "None yet"
  ) : (
    <>
      Last one <Time value={at} />
    </>
  );
}

/** Whether the ledger adds up to the balance. */
function Agreement({ totals: { agrees, transfers } }: { totals: Totals }) {
  const entries = transfers === 1 ? "its 1 entry" : `its ${formatCount(transfers)} entries`;
  const Icon = agrees ? IconCircleCheckFilled : IconAlertTriangleFilled;
  return (
    <span className={classes.agreement} data-agrees={agrees}>
      <Icon size={14} aria-hidden />
      {agrees ? `Agrees with ${entries}` : `Disagrees with ${entries}`}
    </span>
  );
}

const width = 136;
const height = 44;

/** The balance of each of the last 30 days, without axes: its course is what matters. */
function BalanceLine({ balances }: { balances: readonly number[] }) {
  const highest = Math.max(...balances);
  const lowest = Math.min(...balances);
  const span = highest - lowest || 1;
  const points = balances.map((balance, day) => {
    const x = 2 + (day / Math.max(1, balances.length - 1)) * (width - 4);
    const y = highest === lowest ? height / 2 : 2 + ((highest - balance) / span) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <dd className={classes.course}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Between ${formatMoney(lowest)} and ${formatMoney(highest)} in the last 30 days`}
      >
        <defs>
          <linearGradient id="balance-course" x2="0" y2="1">
            <stop stopColor="currentColor" stopOpacity={0.16} />
            <stop offset={1} stopColor="currentColor" stopOpacity={0} />
          </linearGradient>
        </defs>
        <polygon points={`2,${height} ${points.join(" ")} ${width - 2},${height}`} fill="url(#balance-course)" />
        <polyline points={points.join(" ")} />
        <circle r={2.5} cx={points.at(-1)?.split(",")[0]} cy={points.at(-1)?.split(",")[1]} />
      </svg>
      <span aria-hidden>30 days</span>
    </dd>
  );
}
