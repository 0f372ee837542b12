import { type User, users } from "@footprint/contract/users.ts";
import { Group, Skeleton, Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormAlert } from "../../shared/FormAlert.tsx";
import { SubmitButton, useApiForm } from "../../shared/form.tsx";
import { StatusBadge } from "../../shared/format.tsx";
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
  const form = useApiForm({
    initialValues: {},
    onSubmit: () => callApi(users.setCustomPricing, { params: { id: _id }, body: { customPricingEnabled: !enabled } }),
  });
  return (
    <form onSubmit={form.submit}>
      <Group gap="8px 16px">
        <StatusBadge tone={enabled ? "positive" : "neutral"}>{enabled ? "Enabled" : "Disabled"}</StatusBadge>
        <div className={classes.news}>
          {form.alert ? (
            <FormAlert alert={form.alert} />
          ) : (
            <Text size="sm">
              {enabled
                ? `${username} pays these prices, and the standard price where there is none.`
                : `${username} pays standard prices. Custom prices apply once custom pricing is enabled.`}
            </Text>
          )}
        </div>
        <SubmitButton
          form={form}
          variant="default"
          label={enabled ? "Disable Custom Pricing" : "Enable Custom Pricing"}
          workingLabel={enabled ? "Disabling…" : "Enabling…"}
        />
      </Group>
    </form>
  );
}
