import { type User, users } from "@footprint/contract/users.ts";
import { Skeleton, Text } from "@mantine/core";
import { FormAlert, SubmitButton, useApiForm } from "../../shared/form.tsx";
import { StatusBadge } from "../../shared/format.tsx";
import { useApiMutation } from "../../shared/queries.ts";
import classes from "./CustomPricingState.module.css";

/** Whether a customer's own prices count, with a button that changes it. Its height stays the same with an alert. */
export function CustomPricingState({ user }: { user: User | undefined }) {
  return (
    <section className={classes.state} aria-label="Custom pricing" aria-busy={!user}>
      {user ? <StateForm user={user} /> : <Skeleton height={14} width="50%" />}
    </section>
  );
}

function StateForm({ user: { _id, username, customPricingEnabled: enabled } }: { user: User }) {
  const set = useApiMutation(users.setCustomPricing, { refreshes: [users.read, users.list] });
  const form = useApiForm({
    initialValues: {},
    onSubmit: () => set.send({ params: { id: _id }, body: { customPricingEnabled: !enabled } }),
  });
  return (
    <form className={classes.form} onSubmit={form.submit}>
      <StatusBadge tone={enabled ? "positive" : "neutral"}>{enabled ? "Enabled" : "Disabled"}</StatusBadge>
      <div className={classes.news}>
        {form.alert ? (
          <FormAlert alert={form.alert} />
        ) : (
          <Text size="sm">
            {enabled
              ? `${username} pays these prices, and the label type's price where there is none.`
              : `${username} pays the label types' prices. These count once custom pricing is enabled.`}
          </Text>
        )}
      </div>
      <SubmitButton
        form={form}
        variant="default"
        label={enabled ? "Disable Custom Pricing" : "Enable Custom Pricing"}
        workingLabel={enabled ? "Disabling…" : "Enabling…"}
      />
    </form>
  );
}
