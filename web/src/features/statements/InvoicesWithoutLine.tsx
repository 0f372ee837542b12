import type { Invoice } from "@footprint/contract/invoices.ts";
import { type Statement, statements } from "@footprint/contract/statements.ts";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { useList } from "../../shared/list.ts";
import { ShortId } from "../../shared/ShortId.tsx";

const columns: Column<Invoice>[] = [
  { title: "Invoice", cell: ({ _id }) => <ShortId value={_id} name="invoice id" />, width: "20%" },
  {
    title: "User",
    cell: ({ user }) => <CustomerLink user={user} />,
    second: ({ user }) => user.email,
    onCard: "headline",
  },
  {
    title: "Amount",
    cell: ({ amount }) => <b>{formatMoney(amount)}</b>,
    align: "right",
    width: "12%",
    onCard: "aside",
  },
  { title: "Created", cell: ({ createdAt }) => <Time value={createdAt} exact />, dimmed: true, width: "18%" },
  {
    title: "",
    cell: ({ _id, amount, user }) => (
      <RowButton text="Open" of={`invoice of ${formatMoney(amount)} by ${user.username}`} to={invoicePath(_id)} />
    ),
  },
];

const invoicePath = (id: string) => `/invoices?search=${id}&view=${id}`;

/** What is pending from these days, and no line has paid. */
export function InvoicesWithoutLine({ statement: { _id } }: { statement: Statement }) {
  const list = useList(statements.invoices, (reply) => reply.invoices, {
    within: { params: { id: _id } },
    oldestFirst: true,
  });
  return (
    <ListScreen
      title="Invoices without a line"
      counted={["invoice", "invoices"]}
      list={list}
      views={{ screen: "invoices", usual: {} }}
      columns={columns}
      empty={{ title: "None is left", hint: "Every pending invoice of these days fits a line of the statement." }}
      pageOf={({ _id }) => invoicePath(_id)}
    />
  );
}
