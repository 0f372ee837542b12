import { type Invoice, invoiceStatuses, invoices, paymentMethods } from "@footprint/contract/invoices.ts";
import { Anchor, Skeleton } from "@mantine/core";
import { IconCheck, IconExternalLink, IconReceipt } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { choiceFilter, customerFilter, dayFilter } from "../../shared/filters.tsx";
import { formatMoney, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { labelOf, statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { TwoLines } from "../../shared/TwoLines.tsx";

const InvoicePayments = lazyPart(() => import("./InvoicePayments.tsx").then((file) => file.InvoicePayments));
const PaymentChecks = lazyPart(
  () => import("./PaymentChecks.tsx").then((file) => file.PaymentChecks),
  () => <Skeleton height={68} aria-busy />,
);

const statusFilter = {
  name: "status",
  label: "Status",
  options: ["All", ...invoiceStatuses],
  optionLabel: statusLabel,
} as const;

const methodFilter = choiceFilter(
  "method",
  "Method",
  paymentMethods.map((method) => [method, labelOf(method)]),
);

/** All invoices, or those of one customer. */
export function InvoicesScreen({ customer }: { customer?: string }) {
  const list = useList(invoices.list, (reply) => reply.invoices, {
    filter: statusFilter,
    filters: [dayFilter, methodFilter, ...(customer ? [] : [customerFilter])],
    within: customer ? { query: { customer } } : undefined,
  });
  const confirm = useConfirm();
  const open = useDialog();

  const showPayments = (invoice: Invoice) => open((close) => <InvoicePayments invoice={invoice} onClose={close} />);
  const askToMarkPaid = (invoice: Invoice) => {
    const { _id, amount, user } = invoice;
    confirm({
      title: "Mark as Paid?",
      message: (
        <>
          <b>{formatMoney(amount)}</b> will be credited to the balance of <b>{user.username}</b> and count as a deposit.
        </>
      ),
      details: <PaymentChecks invoice={invoice} />,
      asksReason: true,
      action: "Mark as Paid",
      working: "Marking as paid…",
      onConfirm: (options, reason) => callApi(invoices.markPaid, { params: { id: _id }, body: { reason } }, options),
    });
  };

  const columns: Column<Invoice>[] = [
    {
      title: "Invoice",
      cell: (invoice) => <ShortId value={invoice._id} name="invoice id" />,
      width: "14%",
      ...(customer && { onCard: "headline" as const }),
    },
    {
      title: "User",
      cell: ({ user }) => <TwoLines first={<CustomerLink user={user} />} second={user.email} />,
      hidden: Boolean(customer),
      width: "24%",
      onCard: "headline",
    },
    { title: "Amount", cell: (invoice) => formatMoney(invoice.amount), align: "right", width: "8%", onCard: "aside" },
    {
      title: "Payment method",
      cell: (invoice) => labelOf(invoice.payment_method),
      width: "11%",
      below: "Amount",
    },
    { title: "Status", cell: (invoice) => <Status status={invoice.status} />, width: "9%", onCard: "aside" },
    {
      title: "Created",
      cell: (invoice) => <Time value={invoice.createdAt} />,
      dimmed: true,
      width: "8%",
      below: "Status",
    },
    { title: "Invoice page", cell: (invoice) => <HostedPage invoice={invoice} />, width: "8%", below: "Invoice" },
    {
      title: "",
      cell: (invoice) => (
        <>
          {(invoice.status === "paid" || invoice.status === "reversed") && (
            <RowButton
              text="Payment"
              of={`of ${formatMoney(invoice.amount)} by ${invoice.user.username}`}
              {...(invoice.status === "paid" && { Icon: IconReceipt })}
              onClick={() => showPayments(invoice)}
            />
          )}
          {invoice.status !== "paid" && (
            <RowButton
              text="Mark as Paid"
              label={`Mark as Paid: ${formatMoney(invoice.amount)} of ${invoice.user.username}`}
              Icon={IconCheck}
              onClick={() => askToMarkPaid(invoice)}
            />
          )}
        </>
      ),
    },
  ];

  return (
    <ListScreen
      title="Invoices"
      counted={["invoice", "invoices"]}
      list={list}
      columns={columns}
      exported={invoices.export}
      searchFor="Invoice id, username, email"
      empty={{ title: "No invoices yet", hint: "An invoice appears here when a customer tops up in the shop." }}
    />
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
