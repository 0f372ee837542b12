import { customPrices } from "@footprint/contract/custom-prices.ts";
import type { User } from "@footprint/contract/users.ts";
import { callApi } from "../../shared/api.ts";
import { useAskAgain } from "../../shared/askAgain.tsx";
import { CustomerField } from "../../shared/Finder.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { PricePlanList } from "./PricePlan.tsx";
import { reasonForPrice } from "./reasonForPrice.ts";
import { tellConflict } from "./usePricePreview.ts";

/** Gives a customer the prices of another. */
export function CopyCustomPrices({ user, onClose }: { user: User; onClose: () => void }) {
  const askAgain = useAskAgain();
  return (
    <FormModal
      title={`Copy prices to ${user.username}`}
      initialValues={{ from: "", reason: "" }}
      check={({ from }) => (from ? undefined : "Choose the customer whose prices are copied")}
      onSubmit={async ({ from, reason }, options) => {
        const params = { id: user._id };
        const { warnings, version } = await callApi(customPrices.previewCopy, { params, query: { from } });
        await askAgain({
          title: `Copy these prices to ${user.username} all the same?`,
          action: "Copy all the same",
          warnings: warnings.map(({ message }) => message),
        });
        return callApi(customPrices.copy, { params, body: { from, reason } }, { ...options, version }).catch(
          tellConflict,
        );
      }}
      submitLabel="Copy Prices"
      workingLabel="Copying…"
      onClose={onClose}
    >
      {(fields, done) => (
        <>
          <CustomerField label="Copy from" autoFocus onChoose={(from) => fields.setFieldValue("from", from)} />
          {!done && fields.values.from && <Shown customer={user._id} from={fields.values.from} />}
          <ReasonField {...reasonForPrice} {...fields.getInputProps("reason")} />
        </>
      )}
    </FormModal>
  );
}

function Shown({ customer, from }: { customer: string; from: string }) {
  const asked = { params: { id: customer }, query: { from } };
  const preview = useApiQuery(customPrices.previewCopy, asked, { retry: false });
  return <PricePlanList preview={preview} />;
}
