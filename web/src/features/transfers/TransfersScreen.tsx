import type { Reply } from "@footprint/contract/endpoint.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { Anchor, NativeSelect, VisuallyHidden } from "@mantine/core";
import { Author } from "../../shared/Author.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { isId, useList } from "../../shared/list.ts";
import { Amount, Kind, Reverse, What } from "./TransferCells.tsx";

type Listed = Reply<typeof transfers.list>["transfers"][number];

const kindFilter = {
  name: "kind",
  label: "Kind",
  options: ["All", "deposit", "refund", "adjustment", "reversal"],
  optionLabel: statusLabel,
} as const;

const amounts = [10, 50, 100, 250, 500, 1000].map(String);

/** What people moved, all customers together: deposits, refunds, adjustments and reversals. */
export function TransfersScreen() {
  const list = useList(transfers.list, (reply) => reply.transfers, {
    filter: kindFilter,
    links: { by: isId, customer: isId, over: /^\d{1,8}(\.\d{1,2})?$/ },
  });
  const { over = "", by, customer } = list.links;
  const isShown = !list.query.isPlaceholderData;
  const first = isShown ? list.rows?.[0] : undefined;

  const columns: Column<Listed>[] = [
    { title: "When", cell: ({ createdAt }) => <Time value={createdAt} exact />, dimmed: true, width: "11%" },
    { title: "Customer", cell: ({ user }) => <CustomerLink user={user} />, width: "14%", onCard: "headline" },
    { title: "Kind", cell: (transfer) => <Kind transfer={transfer} />, width: "11%", below: "Customer" },
    { title: "What", cell: (transfer) => <What transfer={transfer} />, wraps: true },
    {
      title: "Who",
      cell: ({ by: author }) =>
        author._id === null || author._id === by ? (
          <Author admin={author} />
        ) : (
          <Anchor component="button" c="inherit" fz="inherit" onClick={() => list.set("by", author._id ?? undefined)}>
            <VisuallyHidden>Only those by </VisuallyHidden>
            <Author admin={author} />
          </Anchor>
        ),
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
    { title: "", cell: (transfer) => <Reverse transfer={transfer} user={transfer.user} />, width: "8%" },
  ];

  return (
    <ListScreen
      title="Transfers"
      counted={["transfer", "transfers"]}
      list={list}
      columns={columns}
      chips={{
        by: { text: `By: ${(by && first?.by.username) ?? "…"}`, removes: "show everybody's transfers" },
        customer: { text: `Customer: ${(customer && first?.user.username) ?? "…"}`, removes: "show all customers" },
      }}
      tools={
        <NativeSelect
          aria-label="Amount"
          value={over}
          onChange={(event) => list.set("over", event.currentTarget.value)}
          data={[
            { value: "", label: "Any amount" },
            ...[...new Set([...amounts, over])].filter(Boolean).map((amount) => ({
              value: amount,
              label: `${formatMoney(Number(amount)).replace(".00", "")} and more`,
            })),
          ]}
        />
      }
      empty={{ title: "No transfers yet", hint: "Deposits, refunds, adjustments and reversals appear here." }}
    />
  );
}
