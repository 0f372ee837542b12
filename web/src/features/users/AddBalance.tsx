import { type User, users } from "@footprint/contract/users.ts";
import { Text, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatMoney } from "../../shared/format.tsx";
import classes from "./AddBalance.module.css";

export function AddBalance({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <FormModal
      title={`Add Balance to ${user.username}`}
      initialValues={{ balance: "" }}
      onSubmit={({ balance }, options) =>
        callApi(users.addBalance, { params: { id: user._id }, body: { balance: Number(balance) } }, options)
      }
      submitLabel="Add Balance"
      workingLabel="Adding…"
      onClose={onClose}
    >
      {(fields, done) => (
        <>
          <TextInput
            label="Amount"
            description="A negative amount takes money back, as a correction."
            type="number"
            step="any"
            leftSection="$"
            data-autofocus
            {...fields.getInputProps("balance")}
          />
          {!done && <Preview user={user} amount={Number(fields.values.balance)} />}
        </>
      )}
    </FormModal>
  );
}

/** What the balance will be. */
function Preview({ user: { username, balance }, amount }: { user: User; amount: number }) {
  const isAmount = Number.isFinite(amount) && amount !== 0;
  const after = isAmount ? Math.round((balance + amount) * 100) / 100 : balance;
  return (
    <div className={classes.preview}>
      <dl className={classes.balances}>
        <div>
          <dt>Current balance</dt>
          <dd>{formatMoney(balance)}</dd>
        </div>
        <div>
          <dt>New balance</dt>
          <dd data-negative={after < 0 || undefined}>{isAmount ? formatMoney(after) : "–"}</dd>
        </div>
      </dl>
      <Text size="sm" aria-live="polite">
        {!isAmount && `Enter how much to add to ${username}'s balance.`}
        {isAmount && amount > 0 && `Add ${formatMoney(amount)} to ${username}'s balance?`}
        {isAmount && amount < 0 && `Take ${formatMoney(-amount)} from ${username}'s balance?`}
      </Text>
    </div>
  );
}
