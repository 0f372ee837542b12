import { type LabelType, labelTypes, type PriceTier } from "@footprint/contract/label-types.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatWeights } from "../../shared/format.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { blankTier, TierFields, tierOf } from "../../shared/TierFields.tsx";
import { type Gap, isGap } from "./gaps.ts";

/** Changes a tier of a label type, or adds one: with a gap, between its bounds. */
export function TierForm({
  labelType,
  row,
  onClose,
}: {
  labelType: LabelType;
  row: PriceTier | Gap | undefined;
  onClose: () => void;
}) {
  const tier = row && !isGap(row) ? row : undefined;
  const bounds = row && { fromWeight: String(row.fromWeight), toWeight: String(row.toWeight) };
  const weights = tier && formatWeights(tier.fromWeight, tier.toWeight, labelType.name);
  return (
    <FormModal
      title={tier ? `Edit ${weights}` : `Add Weight to ${labelType.name}`}
      initialValues={{ ...blankTier, ...bounds, ...(tier && { price: tier.price.toFixed(2) }) }}
      onSubmit={(values, options) => {
        const params = { id: labelType._id };
        return tier
          ? callApi(labelTypes.updateTier, { params, body: { price_id: tier._id, ...tierOf(values) } }, options)
          : callApi(labelTypes.addTier, { params, body: tierOf(values) }, options);
      }}
      submitLabel={tier ? "Save" : "Add Weight"}
      workingLabel={tier ? "Saving…" : "Adding…"}
      aside={tier && <HistoryButton of={`the price for ${weights}`} subject={tier._id} />}
      onClose={onClose}
    >
      {(fields) => <TierFields field={(name) => fields.getInputProps(name)} unit={weightUnit(labelType.name)} />}
    </FormModal>
  );
}
