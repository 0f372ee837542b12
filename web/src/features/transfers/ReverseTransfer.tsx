import { type Transfer, transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { FormAlert } from "../../shared/FormAlert.tsx";
import { useApiForm } from "../../shared/form.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { notify } from "../../shared/notify.ts";
import { useApiQuery } from "../../shared/queries.ts";

type Props = { transfer: Transfer; user: { _id: string; username: string }; onClose: () => void };

/** Asks before an adjustment, a deposit or a charge is taken back, and says what the balance will be. */
export function ReverseTransfer({ transfer, user, onClose }: Props) {
  const { amount } = transfer;
  const kind = transfer.for?.kind === "fedex order" ? "charge" : transfer.kind;
  const form = useApiForm({
    initialValues: { reason: "" },
    async onSubmit(body, options) {
      const reply = await callApi(transfers.reverse, { params: { id: transfer._id }, body }, options);
      notify("success", reply.message);
      return reply;
    },
    end: { after: 0, on: "success", finish: onClose },
  });
  const sum = formatMoney(Math.abs(amount));

  return (
    <Dialog title={`Reverse this ${kind}?`} size="sm" onClose={onClose} isWorking={form.working}>
      <form onSubmit={form.submit}>
        <Stack gap="md">
          <Text size="sm">
            {amount > 0 ? (
              <>
                <b>{sum}</b> is taken back from the balance of <b>{user.username}</b>.
              </>
            ) : (
              <>
                <b>{sum}</b> returns to the balance of <b>{user.username}</b>.
              </>
            )}{" "}
            The {kind} of <Time value={transfer.createdAt} exact /> by {transfer.by.username} stays in the history,
            marked as reversed.
            {transfer.for?.kind === "invoice" && " Its invoice can then be marked as paid again."}
            {transfer.for?.kind === "fedex order" && " The Fedex order can then be charged again."}
          </Text>
          <BalanceAfter customer={user._id} change={-amount} />
          <TextInput
            label="Reason"
            description="Kept with the reversal, for colleagues; no shop is told."
            maxLength={500}
            {...form.fields.getInputProps("reason")}
          />
          <FormAlert alert={form.alert} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={form.working} data-autofocus>
              Cancel
            </Button>
            <Button type="submit" color="red.8" disabled={form.working}>
              {form.working ? "Reversing…" : `Reverse ${sum}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** A line from the start, so that nothing moves when the balance arrives. */
function BalanceAfter({ customer, change }: { customer: string; change: number }) {
  const { data } = useApiQuery(users.read, { params: { id: customer } });
  const balance = data?.user.balance;
  const after = balance === undefined ? undefined : Math.round((balance + change) * 100) / 100;
  const isShort = after !== undefined && after < 0;
  return (
    <Text size="sm" mih="1lh" aria-live="polite" {...(isShort && { c: "var(--mantine-color-error)" })}>
      {balance !== undefined &&
        after !== undefined &&
        (isShort
          ? `The balance of ${formatMoney(balance)} is too small for it: part of the money is spent.`
          : `Balance: ${formatMoney(balance)} now, ${formatMoney(after)} after.`)}
    </Text>
  );
}
