import { type Statement, statements } from "@footprint/contract/statements.ts";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { notifyError } from "../../shared/notify.ts";
import { Progress } from "../../shared/Progress.tsx";
import { randomId } from "../../shared/randomId.ts";
import { useTypedSum } from "../../shared/typedSum.tsx";
import { PaidLines, type Told } from "./PaidLines.tsx";
import { paymentCount } from "./words.ts";

/** Asks once, and pays what is certain a hundred lines at a time, from where it came to. */
export function PayCertain({ statement, onClose }: { statement: Statement; onClose: () => void }) {
  const [{ count, sum }] = useState(statement.payments.certain);
  const work = useWork(statement._id);
  const typedSum = useTypedSum({ sum, rows: count }, work.isBegun);
  const start = () => (work.isBegun || typedSum.isRight()) && work.go();

  if (work.isEnded)
    return <PaidLines statement={statement._id} told={work.told} isStopped={work.isStopped} onClose={onClose} />;
  return (
    <Dialog title={`Pay ${formatCount(count)} certain?`} onClose={onClose} isWorking={work.isRunning}>
      <Stack gap="md">
        <Text size="sm">
          <b>{formatMoney(sum)}</b> for <b>{paymentCount(count)}</b> will be credited to the customers whose invoices
          they fit, each by itself. Every deposit is in the log with its line, and can be reversed. Then the rest is
          matched again.
        </Text>
        {typedSum.field}
        {work.isBegun && <Progress done={work.told.length} of={Math.max(count, work.told.length)} />}
        {work.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {work.error.message}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          {work.isRunning ? (
            <Button variant="default" onClick={work.stop}>
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
          )}
          <Button onClick={start} disabled={work.isRunning}>
            {work.isRunning ? "Paying…" : work.error ? "Try again" : `Pay ${formatMoney(sum)}`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

type Batch = { lines: { _id: string; line: number }[]; idempotencyKey: string };

/** After a failure the next try goes on with the lines that failed, under the same key. */
function useWork(id: string) {
  const [told, setTold] = useState<Told[]>([]);
  const [isStopped, setStopped] = useState(false);
  const stopped = useRef(false);
  const unfinished = useRef<Batch>(undefined);
  const place = useRef(0);
  // Nothing goes on where nobody can stop it.
  useEffect(() => {
    stopped.current = false;
    return () => {
      stopped.current = true;
    };
  }, []);
  const work = useMutation({
    async mutationFn() {
      while (!stopped.current) {
        const batch = unfinished.current ?? (await nextBatch(id, place.current));
        if (batch.lines.length === 0) break;
        unfinished.current = batch;
        const { lines, idempotencyKey } = batch;
        const ids = lines.map(({ _id }) => _id);
        const { outcomes } = await callApi(statements.payCertain, { body: { ids } }, { idempotencyKey });
        unfinished.current = undefined;
        place.current = lines.at(-1)?.line ?? place.current;
        const numbers = new Map(lines.map(({ _id, line }) => [_id, line]));
        setTold((known) => [...known, ...outcomes.map((each) => ({ ...each, line: numbers.get(each._id) ?? 0 }))]);
      }
    },
    onError: notifyError,
  });
  function stop(now: boolean) {
    stopped.current = now;
    setStopped(now);
  }
  return {
    told,
    isStopped,
    go() {
      if (work.isPending) return;
      stop(false);
      work.mutate();
    },
    stop: () => stop(true),
    isBegun: !work.isIdle,
    isRunning: work.isPending,
    isEnded: work.isSuccess,
    error: work.error,
  };
}

async function nextBatch(id: string, after: number): Promise<Batch> {
  const { lines } = await callApi(statements.lines, { params: { id }, query: { state: "certain", after, limit: 100 } });
  return { lines, idempotencyKey: randomId() };
}
