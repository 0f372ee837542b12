import { settingsId } from "@footprint/contract/logs.ts";
import { moneyRules, type UnusualRule, type UnusualRules, unusual, unusualRules } from "@footprint/contract/unusual.ts";
import { Skeleton, Switch, Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { edited } from "../../shared/edits.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { amountOf, MoneyField, NumberField, numberOf } from "../../shared/NumberField.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import classes from "./Rules.module.css";
import { ruleWords } from "./rules.ts";

/** As typed: empty where a rule is switched off. */
type Fields = Record<UnusualRule, string>;

/** What a rule that is switched on again begins with. */
const usualLeast: Fields = {
  spend: "200",
  refunds: "100",
  credits: "250",
  address: "10",
  deposits: "200",
  night: "3",
  prices: "30",
};

const typed = (rules: UnusualRules) =>
  Object.fromEntries(unusualRules.map((rule) => [rule, rules[rule] === null ? "" : String(rules[rule])])) as Fields;

const editedFields = unusualRules.map((rule) =>
  edited<Fields>(rule, ruleWords[rule].name, moneyRules.includes(rule) ? "$" : ""),
);

/** Switches rules, and sets from how much on each speaks up. */
export function Rules({ onClose }: { onClose: () => void }) {
  const query = useApiQuery(unusual.rules, {}, { gcTime: 0 });
  if (query.data) return <RulesForm rules={query.data.rules} version={query.data.version} onClose={onClose} />;
  return (
    <Dialog title="Rules for unusual events" onClose={onClose}>
      {query.isError ? (
        <LoadFailure title="The rules could not be loaded" query={query} />
      ) : (
        <Skeleton height={420} aria-busy />
      )}
    </Dialog>
  );
}

function RulesForm({ rules, version, onClose }: { rules: UnusualRules; version: string; onClose: () => void }) {
  return (
    <FormModal
      title="Rules for unusual events"
      initialValues={typed(rules)}
      edit={{ version, fields: editedFields, valuesOf: typed }}
      onSubmit={(values, options, base) => {
        const changed = unusualRules.filter((rule) => values[rule] !== base[rule]);
        const least = (rule: UnusualRule) =>
          values[rule] === "" ? null : moneyRules.includes(rule) ? amountOf(values[rule]) : numberOf(values[rule], 0);
        const body = Object.fromEntries(changed.map((rule) => [rule, least(rule)]));
        return callApi(unusual.updateRules, { body }, options);
      }}
      submitLabel="Save rules"
      aside={<HistoryButton of="the settings" subject={settingsId} />}
      onClose={onClose}
    >
      {(fields) =>
        unusualRules.map((rule) => {
          const isOn = fields.values[rule] !== "";
          const isMoney = moneyRules.includes(rule);
          const Field = isMoney ? MoneyField : NumberField;
          const { name, rule: sentence, least } = ruleWords[rule];
          return (
            <section key={rule} className={classes.rule} aria-label={name}>
              <Switch
                label={name}
                checked={isOn}
                onChange={() => fields.setFieldValue(rule, (isOn ? "" : usualLeast[rule]) as never)}
              />
              <Field
                aria-label={`${name}: ${least.toLowerCase()}`}
                placeholder="Off"
                decimals={isMoney ? 2 : 0}
                leftSection={isMoney ? "$" : rule === "prices" ? "%" : "≥"}
                {...fields.getInputProps(rule)}
              />
              <Text size="xs" c="dimmed">
                {sentence}
              </Text>
            </section>
          );
        })
      }
    </FormModal>
  );
}
