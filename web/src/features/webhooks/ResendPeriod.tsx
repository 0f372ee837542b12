import { type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { dayAfter, todayIn } from "../../shared/days.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { useSession } from "../../shared/session.ts";
import { nameOf } from "./words.ts";

type Fields = { from: string; to: string; only: "all" | "failed" };

/** For a receiver that lost what it had, or answered before it should have. */
export function ResendPeriod({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { timezone } = useSession();
  const today = todayIn(timezone);
  const initialValues: Fields = { from: today, to: today, only: "all" };
  return (
    <FormModal
      title="Send a period again"
      initialValues={initialValues}
      validate={({ from, to }) => ({
        ...(!from && { from: "Choose a day" }),
        ...(!to && { to: "Choose a day" }),
        ...(from && to && from > to && { to: "The last day comes before the first" }),
      })}
      onSubmit={(body, options) => callApi(webhooks.resendPeriod, { params: { id: webhook._id }, body }, options)}
      submitLabel="Send again"
      workingLabel="Looking for them…"
      closeAfter={6_000}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            What happened on these days is sent to {nameOf(webhook)} once more, oldest first, each with the id that it
            had. Receivers tell by it what they know already.
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            {(["from", "to"] as const).map((name) => (
              <TextInput
                key={name}
                label={name === "from" ? "First day" : "Last day"}
                type="date"
                min={dayAfter(today, -30)}
                max={today}
                {...(name === "from" && { "data-autofocus": true })}
                {...fields.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            Events are kept for 30 days.
          </Text>
          <NativeSelect
            label="What"
            data={[
              { value: "all", label: "Everything" },
              { value: "failed", label: "Only what failed" },
            ]}
            {...fields.getInputProps("only")}
          />
        </>
      )}
    </FormModal>
  );
}
