import { settingsId } from "@footprint/contract/logs.ts";
import { type CodeAlert, type Runway, tracking } from "@footprint/contract/tracking.ts";
import { Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { type Edit, edited } from "../../shared/edits.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatCount } from "../../shared/format.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { labelOf } from "../../shared/labels.ts";
import { NumberField, numberOf } from "../../shared/NumberField.tsx";
import { countDays } from "./runway.ts";

/** As typed: empty for no number of codes. */
type Values = Record<keyof CodeAlert, string>;

const valuesOf = ({ days, leadDays, codes }: CodeAlert): Values => ({
  days: String(days),
  leadDays: String(leadDays),
  codes: codes === null ? "" : String(codes),
});

const alertOf = ({ days, leadDays, codes }: Values): CodeAlert => ({
  days: numberOf(days, 0),
  leadDays: numberOf(leadDays, 0),
  codes: codes.trim() === "" ? null : numberOf(codes, 0),
});

const edit: Omit<Edit<Values>, "version"> = {
  fields: [
    edited("leadDays", "Days to get new codes"),
    edited("days", "Days to spare"),
    edited("codes", "Fewest codes"),
  ],
  valuesOf,
};

/** Sets when codes of a type are low. */
export function AlertForm({ runway: { type, alert, version }, onClose }: { runway: Runway; onClose: () => void }) {
  return (
    <FormModal
      title={`When ${labelOf(type)} codes are low`}
      initialValues={valuesOf(alert)}
      edit={{ ...edit, version }}
      onSubmit={(values, options) =>
        callApi(tracking.updateAlert, { params: { type }, body: alertOf(values) }, options)
      }
      submitLabel="Save"
      aside={<HistoryButton of="the settings" subject={settingsId} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <NumberField
            label="Days to get new codes"
            description="From ordering them to registering them"
            data-autofocus
            decimals={0}
            {...fields.getInputProps("leadDays")}
          />
          <NumberField
            label="Days to spare"
            description="How many days before the last day to order you are told, 7 or more"
            decimals={0}
            {...fields.getInputProps("days")}
          />
          <NumberField
            label="Fewest codes"
            description="Fewer than this are low, however long they last. Leave empty for none"
            decimals={0}
            {...fields.getInputProps("codes")}
          />
          <Text size="sm">{inWords(alertOf(fields.values))}</Text>
        </>
      )}
    </FormModal>
  );
}

const inWords = ({ days, leadDays, codes }: CodeAlert) =>
  Number.isNaN(days + leadDays + (codes ?? 0))
    ? ""
    : `Low where they last no longer than ${countDays(days + leadDays)}${codes === null ? "" : `, or fewer than ${formatCount(codes)} are left`}.`;
