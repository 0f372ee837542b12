import { type Invoice, invoiceStatuses, invoices } from "@footprint/contract/invoices.ts";
import { Button, Skeleton } from "@mantine/core";
import { IconCheck, IconFileUpload, IconReceipt } from "@tabler/icons-react";
import { Link } from "react-router";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useConfirm } from "../../shared/dialogs.tsx";
import { customerFilter, dayFilter } from "../../shared/filters.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { labelOf, statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { methodFilter } from "../../shared/methodFilter.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { counting, type Several } from "../../shared/several.ts";
import { HostedPage, InvoiceStatus } from "./InvoiceCells.tsx";

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

const invoiceCount = counting("invoice", "invoices");

const several: Several<Invoice> = {
  nameOf: (invoice) => `invoice ${invoice._id}`,
  customerOf: (invoice) => invoice.user,
  amountOf: (invoice) => invoice.amount,
  exported: invoices.exportChosen,
  actions: [
    {
      text: (count) => `Mark ${invoiceCount(count)} as Paid`,
      Icon: IconCheck,
      applies: (invoice) => invoice.status !== "paid",
      ask: {
        message:
          "Each amount will be credited to the balance of its customer and count as a deposit. Make sure that the money has arrived.",
        leftOut: "paid already",
        movesMoney: true,
        reason: "Optional, up to 500 characters. Kept in the log, and told to the shop.",
        working: "Marking as paid…",
        done: (count) => `${invoiceCount(count)} marked as paid`,
        call: (ids, reason, options) => callApi(invoices.markSeveralPaid, { body: { ids, reason } }, options),
      },
    },
  ],
};

/** All invoices, or those of one customer. */
export function InvoicesScreen({ customer }: { customer?: string }) {
  const list = useList(invoices.list, (reply) => reply.invoices, {
    filter: statusFilter,
    filters: [dayFilter, methodFilter, ...(customer ? [] : [customerFilter])],
    read: { call: invoices.read, rowOf: (reply) => reply.invoice },
    within: customer ? { query: { customer } } : undefined,
  });
  const confirm = useConfirm();

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

  const id: Column<Invoice> = {
    title: "Invoice",
    cell: (invoice) => <ShortId value={invoice._id} name="invoice id" />,
    onCard: customer ? "headline" : "hidden",
  };
  const who: Column<Invoice> = {
    title: "User",
    cell: ({ user }) => <CustomerLink user={user} />,
    second: ({ user }) => user.email,
    hidden: Boolean(customer),
    onCard: "headline",
  };
  const amount: Column<Invoice> = {
    title: "Amount",
    cell: (invoice) => <b>{formatMoney(invoice.amount)}</b>,
    align: "right",
    onCard: "aside",
  };
  const method: Column<Invoice> = { title: "Payment method", cell: (invoice) => labelOf(invoice.payment_method) };
  const status: Column<Invoice> = {
    title: "Status",
    cell: (invoice) => <InvoiceStatus status={invoice.status} />,
    onCard: "aside",
  };
  const created: Column<Invoice> = {
    title: "Created",
    cell: (invoice) => <Time value={invoice.createdAt} />,
    dimmed: true,
  };

  const columns: Column<Invoice>[] = [
    { ...id, width: "14%" },
    { ...who, width: "24%" },
    { ...amount, width: "8%" },
    { ...method, width: "11%", below: "Amount" },
    { ...status, width: "9%" },
    { ...created, width: "8%", below: "Status" },
    {
      title: "Invoice page",
      cell: (invoice) => <HostedPage invoice={invoice} />,
      width: "8%",
      below: "Invoice",
    },
    {
      title: "",
      cell: (invoice) => (
        <>
          {(invoice.status === "paid" || invoice.status === "reversed") && (
            <RowButton
              text="Payment"
              of={`of ${formatMoney(invoice.amount)} by ${invoice.user.username}`}
              {...(invoice.status === "paid" && { Icon: IconReceipt })}
              onClick={() => list.open(invoice)}
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
      actions={
        <Button
          component={Link}
          to="/invoices/statements"
          variant="default"
          leftSection={<IconFileUpload size={16} aria-hidden />}
        >
          Match a statement
        </Button>
      }
      list={list}
      views={{ screen: "invoices", usual: { Pending: "status=pending", Paid: "status=paid" } }}
      columns={columns}
      columnsBeside={[customer ? id : who, amount, status, created]}
      exported={invoices.export}
      several={several}
      searchFor="Invoice id, username, email"
      empty={{ title: "No invoices yet", hint: "An invoice appears here when a customer tops up in the shop." }}
      details={(invoice, close) => (
        <InvoicePayments invoice={invoice} onMarkPaid={() => askToMarkPaid(invoice)} onClose={close} />
      )}
    />
  );
}
