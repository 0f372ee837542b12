import { type Invoice, invoices } from "@footprint/contract/invoices.ts";
import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { Fragment } from "react";
import { Link } from "react-router";
import { Author } from "../../shared/Author.tsx";
import { Details } from "../../shared/Details.tsx";
import { Dialog } from "../../shared/Dialog.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import classes from "./InvoicePayments.module.css";

type Step = { by: Parameters<typeof Author>[0]["by"]; reason: string; createdAt: string };

/** When and by whom an invoice was paid, and taken back. */
export function InvoicePayments({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const query = useApiQuery(invoices.read, { params: { id: invoice._id } });
  const { user, amount, _id } = query.data?.invoice ?? invoice;
  return (
    <Dialog title={`Payment of ${formatMoney(amount)}`} onClose={onClose}>
      <Stack gap="md" aria-busy={query.isPending}>
        <Details
          items={[
            { title: "Invoice", value: <ShortId value={_id} name="invoice id" /> },
            {
              title: "Customer",
              value: (
                <Anchor component={Link} fz="inherit" fw={550} to={`/users/${user._id}?tab=balance`} onClick={onClose}>
                  {user.username}
                </Anchor>
              ),
            },
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
          <Skeleton height={64} />
        )}
      </Stack>
    </Dialog>
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
