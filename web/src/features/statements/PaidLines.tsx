import type { Outcome } from "@footprint/contract/schemas.ts";
import { statements } from "@footprint/contract/statements.ts";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { formatCount } from "../../shared/format.tsx";
import { notify } from "../../shared/notify.ts";
import { RefusedRows } from "../../shared/RefusedRows.tsx";
import { paymentCount } from "./words.ts";

export type Told = Outcome & { line: number };

type PaidLinesProps = { statement: string; told: readonly Told[]; isStopped?: boolean; onClose: () => void };

/** What became of lines; what is left is matched again, since fewer owe the same by now. */
export function PaidLines({ statement, told, isStopped = false, onClose }: PaidLinesProps) {
  const match = useMutation({ mutationFn: () => callApi(statements.match, { params: { id: statement } }) });
  const asked = told.filter(({ request }) => request).length;
  const refused = told.filter(({ done, request }) => !done && !request);
  const message = `${paymentCount(told.length - refused.length - asked)} credited`;
  const isAllDone = refused.length === 0 && asked === 0 && !isStopped;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    match.mutate();
    if (!isAllDone) return;
    notify("success", message);
    onClose();
  }, []);
  if (isAllDone) return null;
  return (
    <Dialog title={message} onClose={onClose}>
      <Stack gap="md">
        {isStopped && <Text size="sm">Stopped: what is left can be paid later.</Text>}
        {asked > 0 && (
          <Text size="sm">
            {formatCount(asked)} {asked === 1 ? "is" : "are"} above your limit: sent to the administrators for approval.
          </Text>
        )}
        {refused.length > 0 && (
          <>
            <Text size="sm">{formatCount(refused.length)} refused, and not paid:</Text>
            <RefusedRows rows={refused.map(({ _id: id, line, message }) => ({ id, name: `Line ${line}`, message }))} />
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
