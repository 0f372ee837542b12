import { customPrices } from "@footprint/contract/custom-prices.ts";
import type { Input } from "@footprint/contract/endpoint.ts";
import type { User } from "@footprint/contract/users.ts";
import { NativeSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { callApi } from "../../shared/api.ts";
import { useAskAgain } from "../../shared/askAgain.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { NumberField, numberOf } from "../../shared/NumberField.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { PricePlanList } from "./PricePlan.tsx";
import { reasonForPrice } from "./reasonForPrice.ts";
import { tellConflict } from "./usePricePreview.ts";

type Asked = Input<typeof customPrices.previewChange>;

/** Raises or lowers a customer's own prices together. */
export function ChangeCustomPrices({ user, onClose }: { user: User; onClose: () => void }) {
  const askAgain = useAskAgain();
  const types = new Map(user.customPricing.map(({ labelType }) => [labelType._id, labelType.name]));
  const asked = ({ percent, labelType }: Values): Asked => ({
    params: { id: user._id },
    query: { percent: percentOf(percent), ...(labelType && { labelType }) },
  });
  return (
    <FormModal
      title={`Raise or lower the prices of ${user.username}`}
      initialValues={{ percent: "", labelType: "", reason: "" }}
      onSubmit={async (values, options) => {
        const { warnings, version } = await callApi(customPrices.previewChange, asked(values));
        await askAgain({
          title: `Change these prices of ${user.username} all the same?`,
          action: "Change all the same",
          warnings: warnings.map(({ message }) => message),
        });
        const { percent, labelType, reason } = values;
        const body = { percent: percentOf(percent), ...(labelType && { labelType }), reason };
        return callApi(customPrices.change, { params: { id: user._id }, body }, { ...options, version }).catch(
          tellConflict,
        );
      }}
      submitLabel={({ percent }) =>
        isPercent(percent)
          ? `${percentOf(percent) > 0 ? "Raise" : "Lower"} by ${Math.abs(percentOf(percent))} %`
          : "Change"
      }
      workingLabel="Changing…"
      onClose={onClose}
    >
      {(fields, done) => (
        <>
          <NumberField
            label="Per cent"
            description="5 raises each price by 5 %, −5 lowers it. Rounded to the cent."
            decimals={2}
            min={-100}
            max={1000}
            required
            rightSection="%"
            data-autofocus
            {...fields.getInputProps("percent")}
          />
          <NativeSelect
            label="Prices"
            data={[
              { value: "", label: "All custom prices" },
              ...[...types].map(([value, name]) => ({ value, label: `Those for ${name}` })),
            ]}
            {...fields.getInputProps("labelType")}
          />
          {!done && <Shown asked={isPercent(fields.values.percent) ? asked(fields.values) : undefined} />}
          <ReasonField {...reasonForPrice} {...fields.getInputProps("reason")} />
        </>
      )}
    </FormModal>
  );
}

type Values = { percent: string; labelType: string; reason: string };

const percentOf = (text: string) => numberOf(text, 2);
const isPercent = (text: string) => percentOf(text) !== 0 && percentOf(text) >= -100 && percentOf(text) <= 1000;

const nothing: Asked = { params: { id: "" }, query: { percent: 0 } };

function Shown({ asked }: { asked: Asked | undefined }) {
  const [settled] = useDebouncedValue(asked, 300);
  const preview = useApiQuery(customPrices.previewChange, settled ?? nothing, {
    enabled: settled !== undefined,
    retry: false,
  });
  return asked ? <PricePlanList preview={preview} /> : null;
}
