import { type TrackingCode, tracking, trackingTemplates, trackingTypes } from "@footprint/contract/tracking.ts";
import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FileField } from "../../shared/FileField.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { labelOf } from "../../shared/labels.ts";
import { NumberField, numberOf } from "../../shared/NumberField.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { Warning } from "../../shared/Warning.tsx";

type Values = Pick<TrackingCode, "type" | "template"> & {
  amount: string;
  trackRef: string;
  note: string;
  file: File | null;
};

const blank: Values = { amount: "", type: "priority", template: "evs", trackRef: "", note: "", file: null };
const choices = (values: readonly string[]) => values.map((value) => ({ value, label: labelOf(value) }));

export function CreateTracking({ onClose }: { onClose: () => void }) {
  return (
    <FormModal
      title="Create tracking codes"
      initialValues={blank}
      onSubmit={({ file, ...values }, options) => {
        const body = { ...values, amount: numberOf(values.amount, 0), file: file ?? undefined };
        return callApi(tracking.create, { body }, options);
      }}
      submitLabel="Create"
      workingLabel="Creating…"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <NumberField
            label="Amount"
            description="How many consecutive codes, up to 10,000"
            decimals={0}
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
          <TextInput
            label="Where they came from"
            description="Such as the carrier's order; shown with the batch"
            maxLength={500}
            {...fields.getInputProps("note")}
          />
          <FileField
            label="File"
            description="What shows it, such as the carrier's bill"
            accept={tracking.create.upload.types}
            maxBytes={tracking.create.upload.maxBytes}
            value={fields.values.file}
            onChange={(file) => fields.setFieldValue("file", file)}
            error={fields.errors.file}
          />
          <NobodyTakes type={fields.values.type} />
        </>
      )}
    </FormModal>
  );
}

/** Codes are paid for: to register some that no label takes is most likely a mistake. */
function NobodyTakes({ type }: { type: TrackingCode["type"] }) {
  const { data } = useApiQuery(tracking.runway, {});
  const runway = data?.runways.find((one) => one.type === type);
  if (!runway || runway.labelTypes.length > 0) return null;
  return <Warning>No enabled label type takes {labelOf(type)} codes: nobody would use these.</Warning>;
}
