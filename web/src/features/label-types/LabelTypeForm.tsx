import { type LabelType, labelKinds, labelTypes } from "@footprint/contract/label-types.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { NativeSelect, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";

type Values = { name: string; uid: string; maxWeight: string; type: LabelType["type"] };

const blank: Values = { name: "", uid: "", maxWeight: "", type: "usps" };

/** Adds a label type, or changes the given one. */
export function LabelTypeForm({ labelType, onClose }: { labelType?: LabelType; onClose: () => void }) {
  return (
    <FormModal
      title={labelType ? `Edit ${labelType.name}` : "Add label type"}
      initialValues={labelType ? { ...labelType, maxWeight: String(labelType.maxWeight) } : blank}
      onSubmit={({ name, uid, maxWeight, type }, options) => {
        const body = { name, uid, maxWeight: Number(maxWeight), type };
        return labelType
          ? callApi(labelTypes.update, { params: { id: labelType._id }, body }, options)
          : callApi(labelTypes.create, { body }, options);
      }}
      submitLabel={labelType ? "Save" : "Add"}
      workingLabel={labelType ? "Saving…" : "Adding…"}
      aside={labelType && <HistoryButton of={labelType.name} subject={labelType._id} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput
            required
            label="Name"
            description="With “First Class” in its name it is weighed in ounces, otherwise in pounds."
            data-autofocus
            {...fields.getInputProps("name")}
          />
          <TextInput required label="Uid" autoCapitalize="none" spellCheck={false} {...fields.getInputProps("uid")} />
          <TextInput
            required
            label={`Max weight (${weightUnit(fields.values.name)})`}
            type="number"
            step="any"
            inputMode="decimal"
            {...fields.getInputProps("maxWeight")}
          />
          <NativeSelect label="Type" data={labelKinds} {...fields.getInputProps("type")} />
        </>
      )}
    </FormModal>
  );
}
