import type { StatementLine } from "@footprint/contract/statements.ts";
import { Alert, Button, Text } from "@mantine/core";
import { IconArchive, IconArrowBackUp, IconCheck, IconLink } from "@tabler/icons-react";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { Details } from "../../shared/Details.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { IdLink } from "../../shared/IdLink.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import { isToReverse, LineStatus } from "./LineStatus.tsx";

type Acts = Record<"onPay" | "onAssign" | "onSetAside" | "onReopen" | "onClose", () => void>;

/** A line, the invoice that it fits, and what can be done with the two. */
export function LineDetails({ line, onPay, onAssign, onSetAside, onReopen, onClose }: { line: StatementLine } & Acts) {
  const { invoice, done, state } = line;
  return (
    <DetailsPane
      what="Line"
      id={line._id}
      size="md"
      status={<LineStatus line={line} />}
      title={`Payment of ${formatMoney(line.amount)}`}
      onClose={onClose}
      foot={
        done ? (
          (state === "aside" || done.reversed) && (
            <Button
              ml="auto"
              variant="default"
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              onClick={onReopen}
            >
              Open again
            </Button>
          )
        ) : (
          <>
            <Button variant="default" leftSection={<IconArchive size={16} aria-hidden />} onClick={onSetAside}>
              Set aside
            </Button>
            <Button
              ml="auto"
              variant={invoice ? "default" : "filled"}
              leftSection={<IconLink size={16} aria-hidden />}
              onClick={onAssign}
            >
              {invoice ? "Another invoice" : "Assign an invoice"}
            </Button>
            {invoice?.status === "pending" && (
              <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={onPay}>
                Pay
              </Button>
            )}
          </>
        )
      }
    >
      {isToReverse(line) && invoice && !done?.reversed && (
        <Alert color="red" title="The payer got this back">
          Reversed in {line.reversed}, and still credited to <CustomerLink user={invoice.user} inList={false} />:
          reverse the deposit in their balance.
        </Alert>
      )}
      <Details
        items={[
          { title: "Amount", value: formatMoney(line.amount) },
          { title: "Line of the file", value: line.line },
          { title: "Payer", value: line.name },
          { title: "E-mail", value: line.email },
          { title: "Note", value: line.note, wide: true },
          {
            title: "Transaction",
            value: line.transaction && <ShortId value={line.transaction} name="transaction id" />,
            wide: true,
          },
          { title: "Paid", value: <Time value={line.at} full={line.hasTime} />, wide: true },
        ]}
      />
      {invoice && (
        <section aria-label="Invoice">
          <Text fw={600}>{done ? "Has paid" : "Fits"}</Text>
          {line.reason && (
            <Text size="sm" c="dimmed" mb="xs">
              {line.reason}
            </Text>
          )}
          <Details
            items={[
              { title: "Customer", value: <CustomerLink user={invoice.user} inList={false} /> },
              { title: "Amount", value: formatMoney(invoice.amount) },
              {
                title: "Invoice",
                value: <IdLink value={invoice._id} to={`/invoices?search=${invoice._id}&view=${invoice._id}`} />,
              },
              { title: "E-mail", value: invoice.user.email },
              { title: "Created", value: <Time value={invoice.createdAt} full />, wide: true },
            ]}
          />
        </section>
      )}
      {done && (
        <div>
          <Text size="sm">
            {state === "aside" ? `Set aside by ${done.by}: “${line.reason}”` : `Paid by ${done.by}`}
          </Text>
          <Text size="xs" c="dimmed">
            <Time value={done.at} full />
          </Text>
        </div>
      )}
    </DetailsPane>
  );
}
