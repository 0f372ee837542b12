import { type TrackingCode, tracking, trackingTemplates, trackingTypes } from "@footprint/contract/tracking.ts";
import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { labelOf } from "../../shared/labels.ts";

type Values = Pick<TrackingCode, "type" | "template"> & { amount: string; trackRef: string };

const blank: Values = { amount: "", type: "priority", template: "evs", trackRef: "" };
const choices = (values: readonly string[]) => values.map((value) => ({ value, label: labelOf(value) }));

export function CreateTracking({ onClose }: { onClose: () => void }) {
  return (
    <FormModal
      title="Create tracking codes"
      initialValues={blank}
      onSubmit={(values, options) =>
        callApi(tracking.create, { body: { ...values, amount: Number(values.amount) } }, options)
      }
      submitLabel="Create"
      workingLabel="Creating…"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput
            label="Amount"
            description="How many consecutive codes, up to 10,000"
            type="number"
            step="any"
            inputMode="numeric"
            data-autofocus
            {...fields.getInputProps("amount")}
          />
          <SimpleGrid cols={2} spacing="md">
            <NativeSelect label="Type" data={choices(trackingTypes)} {...fields.getInputProps("type")} />
            <NativeSelect label="Template" data={choices(trackingTemplates)} {...fields.getInputProps("template")} />
          </SimpleGrid>
          <TextInput
            label="Track ref"
            description="The first code of the range: 22 digits beginning with 9"
            inputMode="numeric"
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...fields.getInputProps("trackRef")}
          />
        </>
      )}
    </FormModal>
  );
}
