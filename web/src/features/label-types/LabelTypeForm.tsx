import type { Reply } from "@footprint/contract/endpoint.ts";
import { type LabelType, labelKinds, labelTypes } from "@footprint/contract/label-types.ts";
import { tracking, trackingTypes } from "@footprint/contract/tracking.ts";
import { usualCodes } from "@footprint/contract/usual-codes.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { NativeSelect, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { useAskAgain } from "../../shared/askAgain.tsx";
import { type Edit, edited } from "../../shared/edits.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatTotal } from "../../shared/format.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { labelOf } from "../../shared/labels.ts";
import { NumberField, numberOf } from "../../shared/NumberField.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { Warning } from "../../shared/Warning.tsx";

/** Codes are empty for none, and undefined until somebody chooses: then the uid tells. */
type Values = { name: string; uid: string; maxWeight: string; type: LabelType["type"]; codes: string | undefined };

const codeChoices = [
  { value: "", label: "None: the shop sends the tracking" },
  ...trackingTypes.map((type) => ({ value: type, label: labelOf(type) })),
];

const blank: Values = { name: "", uid: "", maxWeight: "", type: "usps", codes: undefined };

type Definition = Pick<LabelType, "name" | "uid" | "maxWeight" | "type" | "codes">;

const valuesOf = ({ name, uid, maxWeight, type, codes }: Definition): Values => ({
  name,
  uid,
  maxWeight: String(maxWeight),
  type,
  codes: codes ?? "",
});

const codesOf = ({ type, uid, codes }: Values) =>
  type === "usps"
    ? (trackingTypes.find((one) => one === codes) ?? (codes === undefined ? usualCodes(type, uid) : null))
    : null;

const edit: Omit<Edit<Values>, "version"> = {
  fields: [
    edited("name", "Name"),
    edited("uid", "Uid"),
    edited("maxWeight", "Max weight"),
    edited("type", "Type"),
    edited("codes", "Codes"),
  ],
  valuesOf,
};

/** Adds a label type, or changes the given one. */
export function LabelTypeForm({ labelType, onClose }: { labelType?: LabelType; onClose: () => void }) {
  const askAgain = useAskAgain();
  return (
    <FormModal
      title={labelType ? `Edit ${labelType.name}` : "Add label type"}
      initialValues={labelType ? valuesOf(labelType) : blank}
      edit={labelType && { ...edit, version: labelType.version }}
      onSubmit={async (values, options) => {
        if (labelType && weightUnit(labelType.name) !== weightUnit(values.name)) {
          const uses = await callApi(labelTypes.inUse, { params: { id: labelType._id } });
          await askAgain({
            title: `Weigh ${values.name} in ${inWords(weightUnit(values.name))} from now on?`,
            warnings: [otherUnit(labelType.name, uses)],
            action: `Save, in ${inWords(weightUnit(values.name))}`,
          });
        }
        const { name, uid, maxWeight, type } = values;
        const body = { name, uid, maxWeight: numberOf(maxWeight), type, codes: codesOf(values) };
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
          {labelType && weightUnit(labelType.name) !== weightUnit(fields.values.name) && (
            <OtherUnit labelType={labelType} />
          )}
          <TextInput required label="Uid" autoCapitalize="none" spellCheck={false} {...fields.getInputProps("uid")} />
          <NumberField
            required
            label={`Max weight (${weightUnit(fields.values.name)})`}
            {...fields.getInputProps("maxWeight")}
          />
          <NativeSelect label="Type" data={labelKinds} {...fields.getInputProps("type")} />
          <NativeSelect
            label="Codes"
            description={
              fields.values.type === "usps"
                ? "The prepaid codes that its labels take"
                : "Only labels of type usps take prepaid codes"
            }
            disabled={fields.values.type !== "usps"}
            data={codeChoices}
            value={codesOf(fields.values) ?? ""}
            onChange={(event) => fields.setFieldValue("codes", event.currentTarget.value)}
            error={fields.errors.codes}
          />
          <NoneLeft codes={codesOf(fields.values)} />
        </>
      )}
    </FormModal>
  );
}

const inWords = (unit: string) => (unit === "oz" ? "ounces" : "pounds");

/** Its weights stay the numbers that they are, and mean something else. */
function otherUnit(name: string, { tiers, customPrices, orders, scheduled }: Reply<typeof labelTypes.inUse>): string {
  const was = weightUnit(name);
  const is = was === "oz" ? "lb" : "oz";
  const counted = [
    formatTotal({ total: tiers }, "tier", "tiers", false),
    formatTotal({ total: customPrices, totalCapped: customPrices >= 1_000 }, "custom price", "custom prices", false),
    formatTotal({ total: orders }, "order of the last 30 days", "orders of the last 30 days", false),
  ];
  const lost = formatTotal({ total: scheduled }, "scheduled change", "scheduled changes", false);
  return `Weights change from ${was} to ${is}, and their numbers stay: 1 ${was} becomes 1 ${is}. This concerns ${counted.slice(0, 2).join(", ")} and ${counted[2]}.${scheduled > 0 ? ` ${lost} will not be made.` : ""}`;
}

function OtherUnit({ labelType: { _id, name } }: { labelType: LabelType }) {
  const { data } = useApiQuery(labelTypes.inUse, { params: { id: _id } });
  return data ? <Warning>{otherUnit(name, data)}</Warning> : null;
}

/** Orders that find no code are refused. */
function NoneLeft({ codes }: { codes: LabelType["codes"] }) {
  const { data } = useApiQuery(tracking.runway, {});
  const left = data?.runways.find(({ type }) => type === codes)?.left;
  if (!codes || left !== 0) return null;
  return <Warning>No {labelOf(codes)} codes are left: its orders are refused until some are registered.</Warning>;
}
