import type { Outcome } from "@footprint/contract/schemas.ts";
import { type StatementLine, statements } from "@footprint/contract/statements.ts";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { notifyError } from "../../shared/notify.ts";
import { randomId } from "../../shared/randomId.ts";
import { sumOf } from "../../shared/several.ts";
import { useTypedSum } from "../../shared/typedSum.tsx";
import { PaidLines } from "./PaidLines.tsx";
import classes from "./PayChosen.module.css";
import { paymentCount } from "./words.ts";

type PayChosenProps = {
  statement: string;
  lines: readonly StatementLine[];
  /** Told after each call: the lines that were paid, or wait for an approval. */
  onDone: (ids: string[]) => void;
  onClose: () => void;
};

/** So many pairs are sent at once. */
const atOnce = 100;

/** Shows each chosen line beside the invoice that it fits and why, and pays what was looked at. */
export function PayChosen({ statement, lines, onDone, onClose }: PayChosenProps) {
  const [told, setTold] = useState<Outcome[]>([]);
  const [calls] = useState(() =>
    Array.from({ length: Math.ceil(lines.length / atOnce) }, (_, place) => ({
      pairs: lines
        .slice(place * atOnce, (place + 1) * atOnce)
        .flatMap(({ _id, invoice }) => (invoice ? [{ line: _id, invoice: invoice._id }] : [])),
      idempotencyKey: randomId(),
    })),
  );
  const pay = useMutation({
    async mutationFn() {
      let known = told;
      for (const { pairs, idempotencyKey } of calls.slice(Math.floor(known.length / atOnce))) {
        const { outcomes } = await callApi(statements.payProposed, { body: { pairs } }, { idempotencyKey });
        known = [...known, ...outcomes];
        setTold(known);
        onDone(outcomes.filter(({ done, request }) => done || request).map(({ _id }) => _id));
      }
    },
    onError: notifyError,
  });
  const sum = sumOf(lines.map(({ amount }) => amount));
  const typedSum = useTypedSum({ sum, rows: lines.length }, !pay.isIdle);
  if (pay.isSuccess) {
    const numbers = new Map(lines.map(({ _id, line }) => [_id, line]));
    const named = told.map((each) => ({ ...each, line: numbers.get(each._id) ?? 0 }));
    return <PaidLines statement={statement} told={named} onClose={onClose} />;
  }
  const start = () => (!pay.isIdle || typedSum.isRight()) && pay.mutate();
  return (
    <Dialog title={`Pay ${paymentCount(lines.length)}?`} onClose={onClose} isWorking={pay.isPending} size="lg">
      <Stack gap="md">
        <Text size="sm">
          <b>{formatMoney(sum)}</b> will be credited to these customers, each line for the invoice beside it. One that
          fits another by then is refused.
        </Text>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
        <ul className={classes.pairs} aria-label="Lines and invoices" tabIndex={0}>
          {lines.map(({ _id, line, name, email, amount, invoice, reason }) => (
            <li key={_id}>
              <div>
                <span>
                  {`Line ${line}, `}
                  <b>{name || email || "nobody is named"}</b>
                  {" → "}
                  <b>{invoice?.user.username}</b>
                </span>
                <b>{formatMoney(amount)}</b>
              </div>
              <small>{reason}</small>
            </li>
          ))}
        </ul>
        {typedSum.field}
        {pay.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {pay.error.message}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pay.isPending} data-autofocus>
            Cancel
          </Button>
          <Button onClick={start} disabled={pay.isPending}>
            {pay.isPending ? "Paying…" : pay.error ? "Try again" : `Pay ${formatMoney(sum)}`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
