import { type Invoice, invoices } from "@footprint/contract/invoices.ts";
import { Anchor, Button, Skeleton, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Fragment } from "react";
import { Link } from "react-router";
import { Author } from "../../shared/Author.tsx";
import { balancePath } from "../../shared/CustomerLink.tsx";
import { Details } from "../../shared/Details.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { labelOf } from "../../shared/labels.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { HostedPage, InvoiceStatus } from "./InvoiceCells.tsx";
import classes from "./InvoicePayments.module.css";

type Step = { by: Parameters<typeof Author>[0]["by"]; reason: string; createdAt: string };

/** An invoice, and when and by whom it was paid, and taken back. */
export function InvoicePayments(props: { invoice: Invoice; onMarkPaid: () => void; onClose: () => void }) {
  const { onMarkPaid, onClose } = props;
  const query = useApiQuery(invoices.read, { params: { id: props.invoice._id } });
  const invoice = query.data?.invoice ?? props.invoice;
  const { user, amount, status, _id } = invoice;
  return (
    <DetailsPane
      what="Invoice"
      id={_id}
      size="md"
      status={<InvoiceStatus status={status} />}
      title={status === "paid" || status === "reversed" ? `Payment of ${formatMoney(amount)}` : undefined}
      onClose={onClose}
      foot={
        status !== "paid" && (
          <>
            <Text size="sm" c="dimmed" flex={1} miw={200}>
              {`Marked as paid, ${formatMoney(amount)} is credited to ${user.username}.`}
            </Text>
            <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={onMarkPaid}>
              Mark as Paid
            </Button>
          </>
        )
      }
    >
      <Details
        items={[
          { title: "Amount", value: formatMoney(amount) },
          { title: "Payment method", value: labelOf(invoice.payment_method) },
          {
            title: "Customer",
            value: (
              <Anchor component={Link} fz="inherit" fw={550} to={balancePath(user._id)}>
                {user.username}
              </Anchor>
            ),
          },
          { title: "Invoice", value: <ShortId value={_id} name="invoice id" /> },
          { title: "Invoice page", value: <HostedPage invoice={invoice} /> },
          { title: "Created", value: <Time value={invoice.createdAt} full />, wide: true },
        ]}
      />
      {query.data ? (
        <ol className={classes.steps}>
          {query.data.payments.map((payment) => (
            <Fragment key={payment.transfer}>
              <Told what="Paid" step={payment} />
              {payment.reversal && <Told what="Taken back" step={payment.reversal} />}
            </Fragment>
          ))}
          {query.data.payments.length === 0 && <li>No payment of this invoice is in the books.</li>}
        </ol>
      ) : query.isError ? (
        <LoadFailure title="The payment could not be loaded" query={query} />
      ) : (
        <Skeleton height={64} aria-busy />
      )}
    </DetailsPane>
  );
}

function Told({ what, step: { by, reason, createdAt } }: { what: string; step: Step }) {
  return (
    <li>
      {what} by <Author by={by} />
      <Text size="xs" c="dimmed">
        <Time value={createdAt} full />
      </Text>
      {reason && <Text size="sm">“{reason}”</Text>}
    </li>
  );
}
