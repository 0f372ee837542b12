import { settingsId } from "@footprint/contract/logs.ts";
import { type StaffLimits as Limits, website } from "@footprint/contract/website.ts";
import { Group, SimpleGrid, Skeleton, Space, Switch, Text, Title } from "@mantine/core";
import { type CallOptions, callApi } from "../../shared/api.ts";
import { FormConflict, useEditForm } from "../../shared/editForm.tsx";
import { edited } from "../../shared/edits.ts";
import { SubmitButton } from "../../shared/form.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { amountOf, MoneyField } from "../../shared/NumberField.tsx";
import { useApiQuery, useToastedCall } from "../../shared/queries.ts";
import classes from "./PaymentSettings.module.css";

/** As typed: empty for no limit. */
type Amounts = Record<Exclude<keyof Limits, "approvals">, string>;
type Fields = Amounts & { approvals: boolean };

const labels: Amounts = {
  staffCredit: "Largest credit",
  staffCreditPerDay: "Credits per day",
  staffRefund: "Largest refund",
  staffRefundPerDay: "Refunds per day",
};
const names = Object.keys(labels) as (keyof Amounts)[];
const askInstead = "Ask for approval instead of refusing";
const editedFields = [
  ...names.map((name) => edited<Fields>(name, labels[name], "$")),
  edited<Fields>("approvals", askInstead),
];

/** What a staff account may credit and refund, at once and in a business day. */
export function StaffLimits() {
  const query = useApiQuery(website.limits, {});
  const limits = query.data?.limits;
  return (
    <section className={classes.panel} aria-labelledby="staff-limits" aria-busy={query.isPending}>
      <Group justify="space-between">
        <Title order={2} size="h4" id="staff-limits">
          Staff limits
        </Title>
        <HistoryButton of="the settings" subject={settingsId} />
      </Group>
      <Text size="sm" c="dimmed" mt={4} mb="md">
        How much one staff account may credit and refund. Leave a field empty for no limit. Administrators have no
        limits.
      </Text>
      {query.isError && !limits ? (
        <LoadFailure title="The limits could not be loaded" query={query} />
      ) : limits ? (
        <LimitsForm limits={limits} version={query.data?.version ?? ""} />
      ) : (
        <Skeleton height={200} />
      )}
    </section>
  );
}

function LimitsForm({ limits, version }: { limits: Limits; version: string }) {
  const update = useToastedCall(({ body, options }: { body: Partial<Limits>; options: CallOptions }) =>
    callApi(website.updateLimits, { body }, options),
  );
  const form = useEditForm<Fields>({
    initialValues: typed(limits),
    // Only changed fields are sent: somebody else may have changed the others meanwhile.
    onSubmit: (values, options, base) => {
      const changed = names.filter((name) => values[name] !== base[name]);
      const body = {
        ...Object.fromEntries(changed.map((name) => [name, limitOf(values[name])])),
        ...(values.approvals !== base.approvals && { approvals: values.approvals }),
      };
      return update.mutateAsync({ body, options });
    },
    edit: { version, fields: editedFields, valuesOf: typed, now: typed(limits) },
    end: { after: 0, on: "success", finish: () => {} },
  });
  return (
    <form onSubmit={form.submit}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {names.map((name) => (
          <MoneyField key={name} label={labels[name]} placeholder="No limit" {...form.fields.getInputProps(name)} />
        ))}
      </SimpleGrid>
      <Switch
        mt="md"
        label={askInstead}
        description="Anything above a limit becomes a request, which an administrator approves or declines within a day."
        {...form.fields.getInputProps("approvals", { type: "checkbox" })}
      />
      {form.conflict && <Space h="md" />}
      <FormConflict form={form} />
      <Group justify="flex-end" mt="md">
        <SubmitButton form={form} label="Save limits" workingLabel="Saving…" />
      </Group>
    </form>
  );
}

const typed = (limits: Limits): Fields => ({
  ...(Object.fromEntries(names.map((name) => [name, limits[name] === null ? "" : String(limits[name])])) as Amounts),
  approvals: limits.approvals,
});

const limitOf = (text: string) => (text === "" ? null : amountOf(text));
