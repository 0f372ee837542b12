import type { Reply } from "@footprint/contract/endpoint.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { byFilter, choiceFilter, customerFilter, dayFilter, linkFilter } from "../../shared/filters.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { useList } from "../../shared/list.ts";
import { methodFilter } from "../../shared/methodFilter.ts";
import { Amount, Kind, Reverse, What, Who } from "./TransferCells.tsx";

type Listed = Reply<typeof transfers.list>["transfers"][number];

const kindFilter = {
  name: "kind",
  label: "Kind",
  options: ["All", "deposit", "refund", "adjustment", "reversal"],
  optionLabel: statusLabel,
} as const;

const isAmount = /^\d{1,8}(\.\d{1,2})?$/;
const andMore = (amount: string) => `${formatMoney(Number(amount)).replace(".00", "")} and more`;
const amountFilter = {
  ...choiceFilter(
    "over",
    "Amount",
    ["10", "50", "100", "250", "500", "1000"].map((amount) => [amount, andMore(amount)]),
  ),
  accepts: (value: string) => isAmount.test(value),
};

const reversedFilter = linkFilter("reversed", "Reversed", {
  accepts: (value) => value === "false",
  textOf: () => "No",
});

const reasonFilter = linkFilter("reason", "Reason", { accepts: (value) => value !== "", textOf: (value) => value });

const usual = {
  "Large adjustments this month": "kind=adjustment&over=100&days=This+month",
  "Large adjustments last month": "kind=adjustment&over=100&days=Last+month",
  "Refunds this week": "kind=refund&days=This+week",
  "Refunds last week": "kind=refund&days=Last+week",
};

/** What people moved, all customers together: deposits, refunds, adjustments and reversals. */
export function TransfersScreen() {
  const list = useList(transfers.list, (reply) => reply.transfers, {
    filter: kindFilter,
    filters: [dayFilter, amountFilter, methodFilter, reversedFilter, reasonFilter, byFilter, customerFilter],
  });

  const columns: Column<Listed>[] = [
    { title: "When", cell: ({ createdAt }) => <Time value={createdAt} exact />, dimmed: true, width: "11%" },
    { title: "Customer", cell: ({ user }) => <CustomerLink user={user} />, width: "14%", onCard: "headline" },
    { title: "Kind", cell: (transfer) => <Kind transfer={transfer} />, width: "11%", below: "Customer" },
    { title: "What", cell: (transfer) => <What transfer={transfer} />, wraps: true },
    {
      title: "Who",
      cell: ({ by }) => <Who by={by} list={list} />,
      width: "13%",
      below: "What",
    },
    {
      title: "Amount",
      cell: (transfer) => <Amount transfer={transfer} />,
      align: "right",
      width: "9%",
      onCard: "aside",
    },
    { title: "", cell: (transfer) => <Reverse transfer={transfer} user={transfer.user} />, width: "9%" },
  ];

  return (
    <ListScreen
      title="Transfers"
      counted={["transfer", "transfers"]}
      list={list}
      views={{ screen: "transfers", usual }}
      columns={columns}
      exported={transfers.export}
      empty={{ title: "No transfers yet", hint: "Deposits, refunds, adjustments and reversals appear here." }}
    />
  );
}
