import { type Invoice, invoices } from "@footprint/contract/invoices.ts";
import { type StatementLine, statements } from "@footprint/contract/statements.ts";
import { Button, Checkbox, Group, Radio, Skeleton, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Radio.layer.css";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../../shared/api.ts";
import { BalanceChange } from "../../shared/BalanceChange.tsx";
import { Dialog } from "../../shared/Dialog.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { notify, notifyError } from "../../shared/notify.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { randomId } from "../../shared/randomId.ts";
import { SearchField } from "../../shared/SearchField.tsx";
import { Warning } from "../../shared/Warning.tsx";
import classes from "./AssignInvoice.module.css";

/** Finds the invoice that a line has paid, and pays it. */
export function AssignInvoice({ line, onClose }: { line: StatementLine; onClose: () => void }) {
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<Invoice>();
  const [accepts, setAccepts] = useState(false);
  const [reason, setReason] = useState("");
  const [idempotencyKey] = useState(randomId);
  const query = useApiQuery(invoices.list, {
    query: { search, status: search ? "All" : "pending", limit: 25 },
  });
  const found = query.data?.invoices.filter(({ status }) => status !== "paid");
  const differs = chosen !== undefined && chosen.amount !== line.amount;
  const pay = useMutation({
    mutationFn: (invoice: Invoice) =>
      callApi(
        statements.pay,
        { params: { id: line._id }, body: { invoice: invoice._id, differs, reason: differs ? reason : "" } },
        { idempotencyKey: `${idempotencyKey}-${invoice._id}` },
      ),
    onSuccess({ message }) {
      notify("success", message);
      onClose();
    },
    onError: notifyError,
  });

  return (
    <Dialog title="Which invoice has this paid?" onClose={onClose} isWorking={pay.isPending} size="lg">
      <Stack gap="md">
        <Text size="sm">
          <b>{formatMoney(line.amount)}</b> of {line.name || line.email || "somebody without a name"}
          {line.note && <>: “{line.note}”</>}
        </Text>
        <SearchField value={search} onChange={setSearch} placeholder="Invoice id, username, email" />
        {found ? (
          <Radio.Group
            aria-label="Invoice"
            value={chosen?._id ?? ""}
            onChange={(id) => {
              setChosen(found.find(({ _id }) => _id === id));
              setAccepts(false);
            }}
          >
            <div className={classes.found}>
              {found.map((invoice) => (
                <Radio
                  key={invoice._id}
                  value={invoice._id}
                  disabled={pay.isPending}
                  label={<Choice invoice={invoice} isEqual={invoice.amount === line.amount} />}
                />
              ))}
              {found.length === 0 && (
                <Text size="sm" c="dimmed">
                  {search ? "No open invoice is found by this." : "No invoice is pending."}
                </Text>
              )}
            </div>
          </Radio.Group>
        ) : (
          <Skeleton height={160} aria-busy />
        )}
        {chosen && <BalanceChange customer={chosen.user} amount={chosen.amount} />}
        {differs && (
          <Warning>
            The line is {formatMoney(line.amount)}, and the invoice {formatMoney(chosen.amount)}: the invoice's amount
            is credited.
            <Checkbox
              mt="xs"
              label={`Credit ${formatMoney(chosen.amount)} all the same`}
              checked={accepts}
              onChange={(event) => setAccepts(event.currentTarget.checked)}
            />
            {accepts && (
              <ReasonField
                mt="xs"
                description="Up to 500 characters. Kept in the log."
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
              />
            )}
          </Warning>
        )}
        {pay.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {pay.error.message}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pay.isPending}>
            Cancel
          </Button>
          <Button
            disabled={!chosen || pay.isPending || (differs && !(accepts && reason.trim()))}
            onClick={() => chosen && pay.mutate(chosen)}
          >
            {pay.isPending
              ? "Paying…"
              : chosen
                ? `Pay ${formatMoney(chosen.amount)} to ${chosen.user.username}`
                : "Pay"}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Choice({ invoice: { user, amount, status, createdAt }, isEqual }: { invoice: Invoice; isEqual: boolean }) {
  return (
    <span className={classes.choice}>
      <b>{user.username}</b>
      <span>{isEqual ? <b>{formatMoney(amount)}</b> : formatMoney(amount)}</span>
      <span className={classes.quiet}>
        {status !== "pending" && `${statusLabel(status)} · `}
        <Time value={createdAt} exact plain />
      </span>
    </span>
  );
}
