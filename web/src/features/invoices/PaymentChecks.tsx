import { type Invoice, invoices } from "@footprint/contract/invoices.ts";
import { BalanceChange } from "../../shared/BalanceChange.tsx";
import { Time } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { Warning } from "../../shared/Warning.tsx";

/** What to look at before an invoice is marked as paid. */
export function PaymentChecks({ invoice }: { invoice: Invoice }) {
  const { status, user, amount } = invoice;
  return (
    <>
      {status === "expired" && <Warning>This invoice has expired. Make sure that the money has arrived.</Warning>}
      {status === "failed" && <Warning>This payment failed. Make sure that the money has arrived.</Warning>}
      {status === "reversed" && <Reversed invoice={invoice} />}
      <BalanceChange customer={user} amount={amount} />
    </>
  );
}

function Reversed({ invoice: { _id } }: { invoice: Invoice }) {
  const { data } = useApiQuery(invoices.read, { params: { id: _id } });
  const reversal = data?.payments.at(-1)?.reversal;
  return (
    <Warning>
      This payment was taken back
      {reversal && (
        <>
          {" "}
          <Time value={reversal.createdAt} /> by <b>{reversal.by.username}</b>
        </>
      )}
      {reversal?.reason && `: “${reversal.reason}”`}. Make sure that the money has arrived again.
    </Warning>
  );
}
