import { type User, users } from "@footprint/contract/users.ts";
import { callApi } from "../../shared/api.ts";
import { BalanceChange } from "../../shared/BalanceChange.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { amountOf, MoneyField } from "../../shared/NumberField.tsx";
import { ReasonField } from "../../shared/ReasonField.tsx";

type Customer = Pick<User, "_id" | "username">;

export function AddBalance({ user, onClose }: { user: Customer; onClose: () => void }) {
  return (
    <FormModal
      title={`Add Balance to ${user.username}`}
      initialValues={{ balance: "", reason: "" }}
      onSubmit={({ balance, reason }, options) =>
        callApi(users.addBalance, { params: { id: user._id }, body: { balance: amountOf(balance), reason } }, options)
      }
      submitLabel={({ balance }) => (takes(balance) ? `Take ${formatMoney(-amountOf(balance))}` : "Add Balance")}
      workingLabel={({ balance }) => (takes(balance) ? "Taking…" : "Adding…")}
      onClose={onClose}
    >
      {(fields, done) => (
        <>
          <MoneyField
            label="Amount"
            description="A negative amount takes money back, as a correction."
            min={Number.NEGATIVE_INFINITY}
            data-autofocus
            {...fields.getInputProps("balance")}
          />
          {!done && (
            <BalanceChange customer={user} amount={amountOf(fields.values.balance)}>
              {questionAbout(user, amountOf(fields.values.balance))}
            </BalanceChange>
          )}
          <ReasonField {...fields.getInputProps("reason")} />
        </>
      )}
    </FormModal>
  );
}

const takes = (amount: string) => amountOf(amount) < 0;

function questionAbout({ username }: Customer, amount: number): string {
  if (amount > 0) return `Add ${formatMoney(amount)} to ${username}'s balance?`;
  if (amount < 0) return `Take ${formatMoney(-amount)} from ${username}'s balance?`;
  return `Enter how much to add to ${username}'s balance.`;
}
