import { type UnusualEvent, unusual } from "@footprint/contract/unusual.ts";
import { Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { notify } from "../../shared/notify.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { amountOf, ruleWords } from "./rules.ts";

/** Asks why an event needs no more attention. */
export function DismissEvent({ event, onClose }: { event: UnusualEvent; onClose: () => void }) {
  const { _id, rule, name, seen } = event;
  return (
    <FormModal
      title="Dismiss this event?"
      initialValues={{ reason: "" }}
      validate={({ reason }) => (reason.trim() ? {} : { reason: "Say why it may be dismissed" })}
      onSubmit={async ({ reason }, options) => {
        const reply = await callApi(unusual.dismiss, { params: { id: _id }, body: { reason, seen } }, options);
        notify("success", reply.message);
        return reply;
      }}
      submitLabel="Dismiss"
      workingLabel="Dismissing…"
      closeAfter={0}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            {ruleWords[rule].name}: <b>{name}</b>, {amountOf(rule, seen)}.
          </Text>
          <ReasonField
            description="Up to 500 characters. Kept with the event and in the log."
            data-autofocus
            {...fields.getInputProps("reason")}
          />
        </>
      )}
    </FormModal>
  );
}
