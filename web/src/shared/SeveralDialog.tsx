import type { Outcome } from "@footprint/contract/schemas.ts";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { longestPage } from "./chosen.ts";
import { Dialog } from "./Dialog.tsx";
import { formatCount, formatMoney } from "./format.tsx";
import { notify, notifyError } from "./notify.ts";
import { ReasonField } from "./ReasonField.tsx";
import { randomId } from "./randomId.ts";
import classes from "./SeveralDialog.module.css";
import { type SeveralQuestion, sumOf } from "./several.ts";
import { useStay } from "./stay.ts";

/** Beyond either, the sum of money that is moved has to be typed. */
const freely = { amount: 500, rows: 20 };

type Row = { _id: string; name: string; customer: { _id: string; username: string } | undefined; amount: number };

type SeveralDialogProps = {
  /** What is asked, and what the button says: "Refund 3 orders". */
  text: string;
  danger: boolean;
  rows: readonly Row[];
  /** So many others were chosen too. */
  leftOut: number;
  question: SeveralQuestion;
  /** Told after each call: the ids of the rows that were done. */
  onDone: (ids: string[]) => void;
  onClose: () => void;
};

/** Asks, does it a hundred rows at a time, and says which of them were refused and why. */
export function SeveralDialog(props: SeveralDialogProps) {
  const { text, danger, rows, leftOut, question, onClose } = props;
  const money = question.movesMoney && { sum: sumOf(rows.map(({ amount }) => amount)), shares: sharesOf(rows) };
  const mustType = money && (money.sum > freely.amount || rows.length > freely.rows);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const work = useWork(props, reason);

  function start() {
    const isRight = !mustType || Number(typed.replace(/[$,\s]/g, "")) === money?.sum;
    setWrong(!isRight);
    if (isRight) work.go();
    else field.current?.focus();
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
            description={question.reason}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            disabled={work.isBegun}
          />
        )}
        {mustType && (
          <TextInput
            ref={field}
            label={`Type the sum, ${formatMoney(money.sum)}, to confirm`}
            inputMode="decimal"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={isWrong && `This is not ${formatMoney(money.sum)}`}
            disabled={work.isBegun}
          />
        )}
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

function Progress({ done, of }: { done: number; of: number }) {
  return (
    <div>
      <Text size="xs" c="dimmed" role="status">
        {formatCount(done)} of {formatCount(of)}
      </Text>
      <progress className={classes.progress} aria-label="Progress" value={done} max={of} />
    </div>
  );
}

/** One call after the other. After a failure, the next try goes on with the call that failed, under the same key. */
function useWork({ rows, question, onDone, onClose }: SeveralDialogProps, reason: string) {
  const [calls] = useState(() =>
    Array.from({ length: Math.ceil(rows.length / longestPage) }, (_, place) => ({
      ids: rows.slice(place * longestPage, (place + 1) * longestPage).map(({ _id }) => _id),
      idempotencyKey: randomId(),
    })),
  );
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const isStopped = useRef(false);
  // Nothing goes on where nobody can stop it.
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
        onDone(reply.outcomes.filter(({ done }) => done).map(({ _id }) => _id));
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
    go: () => work.isPending || work.mutate(),
    stop: () => {
      isStopped.current = true;
    },
    isBegun: !work.isIdle,
    isRunning: work.isPending,
    isEnded: work.isSuccess,
    error: work.error,
  };
}

/** What became of them, where not all were done. */
function Results({ rows, outcomes, question, onClose }: SeveralDialogProps & { outcomes: Outcome[] }) {
  useStay();
  const refused = outcomes.filter(({ done }) => !done);
  const untried = rows.length - outcomes.length;
  const rowOf = (id: string) => rows.find(({ _id }) => _id === id);
  return (
    <Dialog title={question.done(outcomes.length - refused.length)} onClose={onClose}>
      <Stack gap="md">
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
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
            <ul className={classes.refused} aria-label="Refused" tabIndex={0}>
              {refused.map(({ _id, message }) => {
                const row = rowOf(_id);
                return (
                  <li key={_id}>
                    <div>
                      <b>{row?.name}</b> <span>{row?.customer?.username}</span>
                    </div>
                    {message}
                  </li>
                );
              })}
            </ul>
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

/** What each customer gets, the largest first. By id: two may have the same name. */
function sharesOf(rows: readonly Row[]) {
  return [...Map.groupBy(rows, ({ customer }) => customer?._id).values()]
    .map((own) => ({
      customer: own[0]?.customer,
      count: own.length,
      sum: sumOf(own.map(({ amount }) => amount)),
    }))
    .sort((a, b) => b.sum - a.sum);
}
