import { customPrices } from "@footprint/contract/custom-prices.ts";
import type { CustomPrice, User } from "@footprint/contract/users.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { callApi } from "../../shared/api.ts";
import type { Edit } from "../../shared/edits.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatWeights } from "../../shared/format.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { editedTier, TierFields, type TierValues, tierOf, tierValues } from "../../shared/TierFields.tsx";
import { OnePricePlan } from "./PricePlan.tsx";
import { reasonForPrice } from "./reasonForPrice.ts";
import { askedAbout, shownAbout, useAskAboutPrice, usePricePreview } from "./usePricePreview.ts";

type Customer = Pick<User, "_id" | "username">;

export function EditCustomPrice({ user, price, onClose }: { user: Customer; price: CustomPrice; onClose: () => void }) {
  const { labelType, fromWeight, toWeight } = price;
  const what = `${labelType.name} ${formatWeights(fromWeight, toWeight, labelType.name)}`;
  const { fields, valuesOf } = editedTier;
  const edit: Edit<TierValues & { reason: string }> = { fields, valuesOf, version: price.version };
  const ask = useAskAboutPrice();
  return (
    <FormModal
      title={`Edit ${what} of ${user.username}`}
      initialValues={{ ...tierValues(price), reason: "" }}
      edit={edit}
      onSubmit={async ({ reason, ...values }, options) => {
        const asked = askedAbout(user._id, labelType._id, values, price._id);
        await ask(asked, `Save this price of ${user.username} all the same?`, "Save all the same");
        const body = { _id: price._id, ...tierOf(values), reason };
        return callApi(customPrices.update, { params: { id: user._id }, body }, options);
      }}
      submitLabel="Save"
      aside={<HistoryButton of={`the custom price for ${what}`} subject={price._id} />}
      onClose={onClose}
    >
      {(fields, done) => {
        const { reason, ...tier } = fields.values;
        return (
          <>
            <TierFields field={(name) => fields.getInputProps(name)} unit={weightUnit(labelType.name)} />
            {!done && <PriceShown asked={shownAbout(user._id, labelType._id, tier, price._id)} />}
            <ReasonField {...reasonForPrice} {...fields.getInputProps("reason")} />
          </>
        );
      }}
    </FormModal>
  );
}

/** What the price that is typed would change. */
export function PriceShown({ asked }: { asked: ReturnType<typeof shownAbout> }) {
  const preview = usePricePreview(asked);
  return asked ? <OnePricePlan preview={preview} /> : null;
}
