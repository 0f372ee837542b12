import { type LabelType, labelTypes } from "@footprint/contract/label-types.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { callApi, ifRefused } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { blankTier, TierFields, tierOf } from "../../shared/TierFields.tsx";
import { useAskAgain } from "./AskAgain.tsx";
import type { Gap } from "./gaps.ts";

/** Adds a tier to a label type: with a gap, between its bounds. */
export function TierForm({
  labelType,
  gap,
  onClose,
}: {
  labelType: LabelType;
  gap: Gap | undefined;
  onClose: () => void;
}) {
  const askAgain = useAskAgain();
  const { _id: id, name, prices } = labelType;
  const bounds = gap && { fromWeight: String(gap.fromWeight), toWeight: String(gap.toWeight) };
  return (
    <FormModal
      title={`Add Weight to ${name}`}
      initialValues={{ ...blankTier, ...bounds, reason: "" }}
      onSubmit={async ({ reason, ...values }, options) => {
        const tier = tierOf(values);
        const table = [...prices, tier].map(({ fromWeight, toWeight, price }) => ({ fromWeight, toWeight, price }));
        const shown = await callApi(labelTypes.preview, { params: { id }, body: { prices: table } }).catch(ifRefused);
        const title = `Add a price of ${formatMoney(tier.price)}?`;
        await askAgain({ title, labelType: name, warnings: shown?.warnings ?? [], action: "Add Weight" });
        return callApi(labelTypes.addTier, { params: { id }, body: { ...tier, reason } }, options);
      }}
      submitLabel="Add Weight"
      workingLabel="Adding…"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TierFields field={(name) => fields.getInputProps(name)} unit={weightUnit(name)} />
          <ReasonField
            description="Optional, up to 500 characters. Kept in its history."
            {...fields.getInputProps("reason")}
          />
        </>
      )}
    </FormModal>
  );
}
