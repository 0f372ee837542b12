import { labelTypes } from "@footprint/contract/label-types.ts";
import { type User, users } from "@footprint/contract/users.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { NativeSelect } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatWeight } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { blankTier, TierFields, tierOf } from "../../shared/TierFields.tsx";

export function AddCustomPrice({ user, onClose }: { user: User; onClose: () => void }) {
  const types = useApiQuery(labelTypes.list, {});
  const known = types.data?.labelTypes;
  const choice = known ? "Choose a label type" : types.isError ? "Could not be loaded" : "Loading…";
  return (
    <FormModal
      title={`Add Price for ${user.username}`}
      initialValues={{ labelType: "", ...blankTier }}
      onSubmit={({ labelType, ...tier }, options) => {
        const body = { labelType, ...tierOf(tier) };
        return callApi(users.addCustomPrice, { params: { id: user._id }, body }, options);
      }}
      submitLabel="Add Price"
      workingLabel="Adding…"
      onClose={onClose}
    >
      {(fields) => {
        const chosen = known?.find((type) => type._id === fields.values.labelType);
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
          </>
        );
      }}
    </FormModal>
  );
}
