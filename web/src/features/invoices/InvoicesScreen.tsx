import { type Invoice, invoiceStatuses, invoices } from "@footprint/contract/invoices.ts";
import { Anchor } from "@mantine/core";
import { IconCheck, IconExternalLink } from "@tabler/icons-react";
import { useConfirm } from "../../shared/confirm.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { formatMoney, formatTotal, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { labelOf, statusLabel } from "../../shared/labels.ts";
import { useListState } from "../../shared/listState.ts";
import { useApiMutation, useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { randomId } from "../../shared/randomId.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import classes from "./InvoicesScreen.module.css";

const statusFilter = {
  name: "status",
  label: "Status",
  options: ["All", ...invoiceStatuses],
  optionLabel: statusLabel,
} as const;

export function InvoicesScreen() {
  const list = useListState({ filter: statusFilter });
  const query = useApiQuery(invoices.list, { query: list.values });
  const markPaid = useApiMutation(invoices.markPaid, { refreshes: [invoices.list] });
  const confirm = useConfirm();

  const askToMarkPaid = ({ _id, amount, user }: Invoice) => {
    const idempotencyKey = randomId();
    confirm({
      title: "Mark as Paid?",
      message: (
        <>
          <b>{formatMoney(amount)}</b> will be credited to the balance of <b>{user.username}</b> and count as a deposit.
        </>
      ),
      action: "Mark as Paid",
      working: "Marking as paid…",
      onConfirm: () => markPaid.send({ params: { id: _id } }, { idempotencyKey }),
    });
  };

  const columns: Column<Invoice>[] = [
    { title: "Invoice", cell: (invoice) => <ShortId value={invoice._id} name="invoice id" />, width: "14%" },
    { title: "User", cell: (invoice) => <Customer user={invoice.user} />, width: "24%", onCard: "headline" },
    { title: "Amount", cell: (invoice) => formatMoney(invoice.amount), align: "right", width: "8%", onCard: "aside" },
    {
      title: "Payment method",
      cell: (invoice) => labelOf(invoice.payment_method),
      width: "12%",
      below: "Amount",
    },
    { title: "Status", cell: (invoice) => <Status status={invoice.status} />, width: "9%", onCard: "aside" },
    {
      title: "Created",
      cell: (invoice) => <Time value={invoice.createdAt} />,
      dimmed: true,
      width: "9%",
      below: "Status",
    },
    { title: "Invoice page", cell: (invoice) => <HostedPage invoice={invoice} />, width: "9%", below: "Invoice" },
    {
      title: "",
      cell: (invoice) =>
        invoice.status !== "paid" && (
          <RowButton
            Icon={IconCheck}
            label={`Mark as Paid: ${formatMoney(invoice.amount)} of ${invoice.user.username}`}
            onClick={() => askToMarkPaid(invoice)}
          >
            Mark as Paid
          </RowButton>
        ),
    },
  ];

  return (
    <ListScreen
      title="Invoices"
      subtitle={formatTotal(query.data, "invoice", "invoices", list.isNarrowed)}
      showsTimes
      list={list}
      query={query}
      rows={(reply) => reply.invoices}
      columns={columns}
      searchFor="Invoice id, username, email"
      empty={{ title: "No invoices yet", hint: "An invoice appears here when a customer tops up in the shop." }}
    />
  );
}

function Customer({ user }: { user: Invoice["user"] }) {
  return (
    <div className={classes.customer}>
      <b>{user.username}</b>
      {user.email && <span>{user.email}</span>}
    </div>
  );
}

function Status({ status }: { status: Invoice["status"] }) {
  const tone = status === "pending" ? "warning" : status === "paid" ? "positive" : "danger";
  return <StatusBadge tone={tone}>{statusLabel(status)}</StatusBadge>;
}

/** The address comes from a shop: only web addresses become links. */
function HostedPage({ invoice }: { invoice: Invoice }) {
  const { hosted_url: address, user, amount } = invoice;
  if (!/^https?:\/\//i.test(address)) return "–";
  return (
    <Anchor
      className={classes.page}
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
