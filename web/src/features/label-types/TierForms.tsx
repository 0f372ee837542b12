import { type LabelType, labelTypes, type PriceTier } from "@footprint/contract/label-types.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatWeights } from "../../shared/format.tsx";
import { useApiMutation } from "../../shared/queries.ts";
import { blankTier, TierFields, tierOf } from "../../shared/TierFields.tsx";
import type { Gap } from "./gaps.ts";

const refreshes = [labelTypes.read, labelTypes.list];

export function AddTier({
  labelType,
  gap,
  onClose,
}: {
  labelType: LabelType;
  gap: Gap | undefined;
  onClose: () => void;
}) {
  const add = useApiMutation(labelTypes.addTier, { refreshes });
  const bounds = gap && { fromWeight: String(gap.fromWeight), toWeight: String(gap.toWeight) };
  return (
    <FormModal
      title={`Add Weight to ${labelType.name}`}
      initialValues={{ ...blankTier, ...bounds }}
      onSubmit={(values, options) => add.send({ params: { id: labelType._id }, body: tierOf(values) }, options)}
      submitLabel="Add Weight"
      workingLabel="Adding…"
      onClose={onClose}
    >
      {(fields) => <TierFields field={(name) => fields.getInputProps(name)} unit={weightUnit(labelType.name)} />}
    </FormModal>
  );
}

export function EditTier({ labelType, tier, onClose }: { labelType: LabelType; tier: PriceTier; onClose: () => void }) {
  const update = useApiMutation(labelTypes.updateTier, { refreshes });
  const { fromWeight, toWeight, price } = tier;
  return (
    <FormModal
      title={`Edit ${formatWeights(fromWeight, toWeight, labelType.name)}`}
      initialValues={{ fromWeight: String(fromWeight), toWeight: String(toWeight), price: price.toFixed(2) }}
      onSubmit={(values, options) =>
        update.send({ params: { id: labelType._id }, body: { price_id: tier._id, ...tierOf(values) } }, options)
      }
      submitLabel="Save"
      onClose={onClose}
    >
      {(fields) => <TierFields field={(name) => fields.getInputProps(name)} unit={weightUnit(labelType.name)} />}
    </FormModal>
  );
}
