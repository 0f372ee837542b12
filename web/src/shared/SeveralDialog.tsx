import type { Outcome } from "@footprint/contract/schemas.ts";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useBlockLeaving } from "./blockLeaving.ts";
import { longestPage } from "./chosen.ts";
import { Dialog } from "./Dialog.tsx";
import { formatCount, formatMoney } from "./format.tsx";
import { notify, notifyError } from "./notify.ts";
import { Progress } from "./Progress.tsx";
import { ReasonField } from "./ReasonField.tsx";
import { RefusedRows } from "./RefusedRows.tsx";
import { randomId } from "./randomId.ts";
import classes from "./SeveralDialog.module.css";
import { type SeveralQuestion, sumOf } from "./several.ts";
import { useTypedSum } from "./typedSum.tsx";

type Row = { _id: string; name: string; customer: { _id: string; username: string } | undefined; amount: number };

type SeveralDialogProps = {
  /** The question, and the button's text: "Refund 3 orders". */
  text: string;
  danger: boolean;
  rows: readonly Row[];
  /** How many other rows were chosen too. */
  leftOut: number;
  question: SeveralQuestion;
  /** Called after each request with the ids of the rows that were done. */
  onDone: (ids: string[]) => void;
  onClose: () => void;
};

/** Asks, works through the rows a hundred at a time, and lists those that were refused, with the reason. */
export function SeveralDialog(props: SeveralDialogProps) {
  const { text, danger, rows, leftOut, question, onClose } = props;
  const money = question.movesMoney && { sum: sumOf(rows.map(({ amount }) => amount)), shares: sharesOf(rows) };
  const [reason, setReason] = useState("");
  const [isUnsaid, setUnsaid] = useState(false);
  const why = useRef<HTMLInputElement>(null);
  const work = useWork(props, reason);
  const typedSum = useTypedSum(money ? { sum: money.sum, rows: rows.length } : undefined, work.isBegun);

  function start() {
    const isRight = typedSum.isRight();
    const lacksReason = question.needsReason === true && reason.trim() === "";
    setUnsaid(lacksReason);
    if (lacksReason) why.current?.focus();
    else if (isRight) work.go();
  }

  if (work.isEnded) return <Results {...props} outcomes={work.outcomes} />;
  return (
    <Dialog title={`${text}?`} onClose={onClose} isWorking={work.isRunning}>
      <Stack gap="md">
        <Text size="sm">
          {question.message}
          {leftOut > 0 &&
            ` ${formatCount(leftOut)} of the chosen ${leftOut === 1 ? "is" : "are"} left out: ${question.leftOut}.`}
        </Text>
        {money && (
          <>
            <Text size="sm">
              <b>{formatMoney(money.sum)}</b> in all, to{" "}
              {money.shares.length === 1 ? "one customer" : "these customers"}:
            </Text>
            {/* Scrolls: the keyboard has to reach it. */}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above */}
            <ul className={classes.customers} aria-label="Customers" tabIndex={0}>
              {money.shares.map(({ customer, count, sum }) => (
                <li key={customer?._id}>
                  <div>
                    {customer?.username} {count > 1 && <span>× {formatCount(count)}</span>}
                  </div>
                  <b>{formatMoney(sum)}</b>
                </li>
              ))}
            </ul>
          </>
        )}
        {question.reason && (
          <ReasonField
            ref={why}
            description={question.reason}
            error={isUnsaid && "Say why"}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            disabled={work.isBegun}
          />
        )}
        {typedSum.field}
        {work.isBegun && rows.length > longestPage && <Progress done={work.outcomes.length} of={rows.length} />}
        {work.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {work.error.message}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          {work.isRunning && rows.length > longestPage ? (
            <Button variant="default" onClick={work.stop}>
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={onClose} disabled={work.isRunning} data-autofocus>
              Cancel
            </Button>
          )}
          <Button {...(danger && { color: "red.8" })} onClick={start} disabled={work.isRunning}>
            {work.isRunning ? question.working : work.error ? "Try again" : text}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** One call after the other. After a failure, the next try continues with the failed call, under the same key. */
function useWork({ rows, question, onDone, onClose }: SeveralDialogProps, reason: string) {
  const [calls] = useState(() =>
    Array.from({ length: Math.ceil(rows.length / longestPage) }, (_, place) => ({
      ids: rows.slice(place * longestPage, (place + 1) * longestPage).map(({ _id }) => _id),
      idempotencyKey: randomId(),
    })),
  );
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const isStopped = useRef(false);
  // Stops when the dialog is gone, since nobody could stop it.
  useEffect(() => {
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  const work = useMutation({
    async mutationFn() {
      let known = outcomes;
      for (const { ids, idempotencyKey } of calls.slice(known.length / longestPage)) {
        if (isStopped.current) break;
        const reply = await question.call(ids, reason, { idempotencyKey });
        known = [...known, ...reply.outcomes];
        setOutcomes(known);
        // Rows that wait for an approval are not requested again.
        onDone(reply.outcomes.filter(({ done, request }) => done || request).map(({ _id }) => _id));
      }
      return known;
    },
    onSuccess(known) {
      if (known.length < rows.length || known.some(({ done }) => !done)) return;
      notify("success", question.done(known.length));
      onClose();
    },
    onError: notifyError,
  });
  return {
    outcomes,
    go() {
      if (work.isPending) return;
      isStopped.current = false;
      work.mutate();
    },
    stop: () => {
      isStopped.current = true;
    },
    isBegun: !work.isIdle,
    isRunning: work.isPending,
    isEnded: work.isSuccess,
    error: work.error,
  };
}

/** The results, if not all were done. */
function Results({ rows, outcomes, question, onClose }: SeveralDialogProps & { outcomes: Outcome[] }) {
  useBlockLeaving();
  const asked = outcomes.filter(({ request }) => request).length;
  const refused = outcomes.filter(({ done, request }) => !done && !request);
  const untried = rows.length - outcomes.length;
  const rowOf = (id: string) => rows.find(({ _id }) => _id === id);
  return (
    <Dialog title={question.done(outcomes.length - refused.length - asked)} onClose={onClose}>
      <Stack gap="md">
        {asked > 0 && (
          <Text size="sm">
            {formatCount(asked)} {asked === 1 ? "is" : "are"} above your limit: sent to the administrators for approval.
          </Text>
        )}
        {untried > 0 && (
          <Text size="sm">
            Stopped: {formatCount(untried)} {untried === 1 ? "was" : "were"} not tried, and{" "}
            {untried === 1 ? "is" : "are"} still chosen.
          </Text>
        )}
        {refused.length > 0 && (
          <>
            <Text size="sm">
              {formatCount(refused.length)} {refused.length === 1 ? "was" : "were"} refused, and{" "}
              {refused.length === 1 ? "is" : "are"} still chosen:
            </Text>
            <RefusedRows
              rows={refused.map(({ _id: id, message }) => {
                const row = rowOf(id);
                return { id, name: row?.name, customer: row?.customer?.username, message };
              })}
            />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Each customer's amount, largest first. By id, since two may have the same name. */
function sharesOf(rows: readonly Row[]) {
  return [...Map.groupBy(rows, ({ customer }) => customer?._id).values()]
    .map((own) => ({
      customer: own[0]?.customer,
      count: own.length,
      sum: sumOf(own.map(({ amount }) => amount)),
    }))
    .sort((a, b) => b.sum - a.sum);
}
