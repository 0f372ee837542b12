import { labelTypes } from "@footprint/contract/label-types.ts";
import { type User, users } from "@footprint/contract/users.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { NativeSelect } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatWeight } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { blankTier, TierFields, tierOf } from "../../shared/TierFields.tsx";
import { PriceShown } from "./EditCustomPrice.tsx";
import { reasonForPrice } from "./reasonForPrice.ts";
import { askedAbout, shownAbout, useAskAboutPrice } from "./usePricePreview.ts";

export function AddCustomPrice({ user, onClose }: { user: User; onClose: () => void }) {
  const types = useApiQuery(labelTypes.list, {});
  const known = types.data?.labelTypes;
  const ask = useAskAboutPrice();
  const choice = known ? "Choose a label type" : types.isError ? "Could not be loaded" : "Loading…";
  return (
    <FormModal
      title={`Add Price for ${user.username}`}
      initialValues={{ labelType: "", ...blankTier, reason: "" }}
      onSubmit={async ({ labelType, reason, ...tier }, options) => {
        await ask(
          askedAbout(user._id, labelType, tier),
          `Add this price for ${user.username} all the same?`,
          "Add all the same",
        );
        const body = { labelType, ...tierOf(tier), reason };
        return callApi(users.addCustomPrice, { params: { id: user._id }, body }, options);
      }}
      submitLabel="Add Price"
      workingLabel="Adding…"
      onClose={onClose}
    >
      {(fields, done) => {
        const { labelType, reason, ...tier } = fields.values;
        const chosen = known?.find((type) => type._id === labelType);
        return (
          <>
            <NativeSelect
              label="Label type"
              description={
                chosen ? `Up to ${formatWeight(chosen.maxWeight, chosen.name)}` : "Decides the unit of weight"
              }
              required
              data-autofocus
              data={[
                { value: "", label: choice, disabled: true },
                ...(known ?? []).map((type) => ({
                  value: type._id,
                  label: type.status ? type.name : `${type.name} (inactive)`,
                })),
              ]}
              {...fields.getInputProps("labelType")}
              error={types.error?.message ?? fields.errors.labelType}
            />
            <TierFields field={(name) => fields.getInputProps(name)} unit={chosen && weightUnit(chosen.name)} />
            {!done && <PriceShown asked={shownAbout(user._id, labelType, tier)} />}
            <ReasonField {...reasonForPrice} {...fields.getInputProps("reason")} />
          </>
        );
      }}
    </FormModal>
  );
}
