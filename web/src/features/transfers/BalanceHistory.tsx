import { type Transfer, transferKinds, transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { type Column, DataTable } from "../../shared/DataTable.tsx";
import { dayFilter, doerFilter } from "../../shared/filters.tsx";
import { formatChange, formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { useList } from "../../shared/list.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { useWidthUpTo } from "../../shared/windowWidth.ts";
import classes from "./BalanceHistory.module.css";
import { Amount, BriefWhat, Kind, KindIcon, Reverse, What, Who } from "./TransferCells.tsx";

const kindFilter = {
  name: "kind",
  label: "Kind",
  options: ["All", ...transferKinds],
  optionLabel: statusLabel,
} as const;

const whoFilter = doerFilter("Who");

const title = "Balance history";

/** Why a customer's balance is what it is: every change of it, with the balance after. */
export function BalanceHistory({ customer }: { customer: string }) {
  const list = useList(transfers.history, (reply) => reply.transfers, {
    filter: kindFilter,
    filters: [dayFilter, whoFilter],
    within: { params: { id: customer } },
  });
  const { data } = useApiQuery(users.read, { params: { id: customer } });
  const user = data?.user ?? { _id: customer, username: "the customer" };
  const isPhone = useWidthUpTo("phone");
  const sums = list.query.data?.sums;

  const columns: Column<Transfer>[] = [
    { title: "When", cell: ({ createdAt }) => <Time value={createdAt} exact />, dimmed: true, width: "11%" },
    { title: "Kind", cell: (transfer) => <Kind transfer={transfer} />, width: "11%", onCard: "headline" },
    { title: "What", cell: (transfer) => <What transfer={transfer} />, wraps: true },
    { title: "Who", cell: ({ by }) => <Who by={by} list={list} />, width: "14%", below: "What" },
    {
      title: "Amount",
      cell: (transfer) => <Amount transfer={transfer} />,
      align: "right",
      width: "9%",
      onCard: "aside",
    },
    {
      title: "Balance after",
      cell: ({ balanceAfter }) => formatMoney(balanceAfter),
      align: "right",
      dimmed: true,
      width: "10%",
    },
    { title: "", cell: (transfer) => <Reverse transfer={transfer} user={user} />, width: "8%" },
  ];

  const cards = (rows: readonly Transfer[] | undefined) =>
    rows ? <Cards rows={rows} user={user} /> : <DataTable title={title} columns={columns} rows={rows} />;

  return (
    <ListScreen
      title={title}
      counted={["entry", "entries"]}
      list={list}
      views={{ screen: "transfers" }}
      columns={columns}
      exported={transfers.exportHistory}
      renderRows={isPhone ? cards : undefined}
      tools={
        sums && (
          <span className={classes.sums}>
            <span>
              In <b>{formatChange(sums.in)}</b>
            </span>
            <span>
              Out <b>{formatChange(-sums.out)}</b>
            </span>
          </span>
        )
      }
      empty={{ title: "No money has moved yet", hint: "Every payment, purchase and correction appears here." }}
    />
  );
}

function Cards({ rows, user }: { rows: readonly Transfer[]; user: { _id: string; username: string } }) {
  return (
    <ul className={classes.cards} aria-label={title}>
      {rows.map((transfer) => (
        <li key={transfer._id}>
          <KindIcon transfer={transfer} />
          <div className={classes.about}>
            <BriefWhat transfer={transfer} />
            <span className={classes.quiet}>
              <Time value={transfer.createdAt} exact />, {transfer.by.username}
            </span>
          </div>
          <div className={classes.money}>
            <Amount transfer={transfer} />
            <span className={classes.quiet}>{formatMoney(transfer.balanceAfter)}</span>
            <Reverse transfer={transfer} user={user} variant="default" />
          </div>
        </li>
      ))}
    </ul>
  );
}
