import { settingsId } from "@footprint/contract/logs.ts";
import { type StaffLimits as Limits, website } from "@footprint/contract/website.ts";
import { Group, SimpleGrid, Skeleton, Text, TextInput, Title } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { type ApiForm, SubmitButton, useApiForm } from "../../shared/form.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { useApiQuery, useToastedCall } from "../../shared/queries.ts";
import classes from "./PaymentSettings.module.css";

/** As typed: empty for no limit. */
type Fields = Record<keyof Limits, string>;

const labels: Fields = {
  staffCredit: "Largest credit",
  staffCreditPerDay: "Credits per day",
  staffRefund: "Largest refund",
  staffRefundPerDay: "Refunds per day",
};
const names = Object.keys(labels) as (keyof Limits)[];

/** What a staff account may credit and refund, at once and in a business day. */
export function StaffLimits() {
  const query = useApiQuery(website.limits, {});
  const limits = query.data?.limits;
  return (
    <section className={classes.panel} aria-labelledby="staff-limits" aria-busy={query.isPending}>
      <Group justify="space-between">
        <Title order={2} size="h4" id="staff-limits">
          Limits of staff
        </Title>
        <HistoryButton of="the settings" subject={settingsId} />
      </Group>
      <Text size="sm" c="dimmed" mt={4} mb="md">
        What one staff account may credit and refund. A field left empty sets no limit; administrators have none.
      </Text>
      {query.isError && !limits ? (
        <LoadFailure title="The limits could not be loaded" query={query} />
      ) : limits ? (
        <LimitsForm limits={limits} />
      ) : (
        <Skeleton height={200} />
      )}
    </section>
  );
}

function LimitsForm({ limits }: { limits: Limits }) {
  const update = useToastedCall((body: Partial<Limits>) => callApi(website.updateLimits, { body }));
  const form: ApiForm<Fields> = useApiForm<Fields>({
    initialValues: typed(limits),
    // Only changed fields are sent: somebody else may have changed the others meanwhile.
    onSubmit: (values) => {
      const changed = names.filter((name) => form.fields.isDirty(name));
      return update.mutateAsync(Object.fromEntries(changed.map((name) => [name, amountOf(values[name])])));
    },
    end: { after: 0, on: "success", finish: () => form.fields.resetDirty(form.fields.getValues()) },
  });
  return (
    <form onSubmit={form.submit}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {names.map((name) => (
          <TextInput
            key={name}
            label={labels[name]}
            type="number"
            step="any"
            min={0}
            inputMode="decimal"
            leftSection="$"
            placeholder="No limit"
            {...form.fields.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
      <Group justify="flex-end" mt="md">
        <SubmitButton form={form} label="Save limits" workingLabel="Saving…" />
      </Group>
    </form>
  );
}

const typed = (limits: Limits) =>
  Object.fromEntries(names.map((name) => [name, limits[name] === null ? "" : String(limits[name])])) as Fields;

const amountOf = (text: string) => (text.trim() === "" ? null : Number(text));
