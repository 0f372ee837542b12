import { type LabelType, labelTypes } from "@footprint/contract/label-types.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { NativeSelect, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { FormModal } from "../../shared/FormModal.tsx";
import { useApiMutation } from "../../shared/queries.ts";

type Values = { name: string; uid: string; maxWeight: string; type: LabelType["type"] };

const refreshes = [labelTypes.list, labelTypes.read];
const kinds: Record<LabelType["type"], string> = { usps: "usps", shipv2: "shipv2", wwbiz: "wwbiz" };
const definitionOf = (values: Values) => ({ ...values, maxWeight: Number(values.maxWeight) });

export function AddLabelType({ onClose }: { onClose: () => void }) {
  const create = useApiMutation(labelTypes.create, { refreshes });
  return (
    <FormModal<Values>
      title="Add label type"
      initialValues={{ name: "", uid: "", maxWeight: "", type: "usps" }}
      onSubmit={(values, options) => create.send({ body: definitionOf(values) }, options)}
      submitLabel="Add"
      workingLabel="Adding…"
      onClose={onClose}
    >
      {(fields) => <Fields fields={fields} />}
    </FormModal>
  );
}

export function EditLabelType({ labelType, onClose }: { labelType: LabelType; onClose: () => void }) {
  const update = useApiMutation(labelTypes.update, { refreshes });
  const { name, uid, maxWeight, type } = labelType;
  return (
    <FormModal<Values>
      title={`Edit ${name}`}
      initialValues={{ name, uid, maxWeight: String(maxWeight), type }}
      onSubmit={(values, options) =>
        update.send({ params: { id: labelType._id }, body: definitionOf(values) }, options)
      }
      submitLabel="Save"
      onClose={onClose}
    >
      {(fields) => <Fields fields={fields} />}
    </FormModal>
  );
}

function Fields({ fields }: { fields: UseFormReturnType<Values> }) {
  const common = { required: true, withAsterisk: false, autoComplete: "off" };
  return (
    <>
      <TextInput
        {...common}
        label="Name"
        description="With “First Class” in its name it is weighed in ounces, otherwise in pounds."
        data-autofocus
        {...fields.getInputProps("name")}
      />
      <TextInput {...common} label="Uid" autoCapitalize="none" spellCheck={false} {...fields.getInputProps("uid")} />
      <TextInput
        {...common}
        label={`Max weight (${weightUnit(fields.values.name)})`}
        type="number"
        step="any"
        inputMode="decimal"
        {...fields.getInputProps("maxWeight")}
      />
      <NativeSelect
        label="Type"
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        {...fields.getInputProps("type")}
      />
    </>
  );
}
