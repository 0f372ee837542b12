import type { Reply } from "@footprint/contract/endpoint.ts";
import { type LabelType, labelTypes } from "@footprint/contract/label-types.ts";
import type { TierChange } from "@footprint/contract/price-preview.ts";
import { Group, Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { memo } from "react";
import { ApiError, callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatChange, formatMoney, formatTotal, formatWeights, StatusBadge } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { useAskAgain } from "./AskAgain.tsx";
import classes from "./Prices.module.css";
import { PriceWarnings } from "./PriceWarnings.tsx";
import { changeInPercent } from "./percent.ts";
import { StartField } from "./StartField.tsx";

/** Replaces all prices by a table from a spreadsheet, after showing what becomes of each. */
export function PastePrices({ labelType, onClose }: { labelType: LabelType; onClose: () => void }) {
  const askAgain = useAskAgain();
  const params = { id: labelType._id };
  return (
    <FormModal
      title={`Paste prices of ${labelType.name}`}
      initialValues={{ text: "", reason: "", at: "" }}
      onSubmit={async ({ text, reason, at }, options) => {
        const pasted = await callApi(labelTypes.paste, { params, body: { text } });
        const { prices, refused, changes, warnings, version } = pasted;
        const [first] = refused;
        if (first) throw new ApiError(400, `Line ${first.line}: ${first.problem}`);
        if (prices.length === 0) throw new ApiError(400, "There are no prices in it");
        const title = `Change ${changed(changes)} of ${labelType.name}?`;
        await askAgain({ title, labelType: labelType.name, warnings, action: at ? "Schedule" : "Replace prices" });
        const body = { prices, reason, ...(at && { at }) };
        return callApi(labelTypes.replaceTiers, { params, body }, { ...options, version });
      }}
      submitLabel={({ at }) => (at ? "Schedule" : "Replace prices")}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Textarea
            label="Table"
            description="From weight, to weight and price, as copied from a spreadsheet. All prices are replaced by these."
            rows={6}
            required
            data-autofocus
            maxLength={20_000}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...fields.getInputProps("text")}
          />
          <DryRun labelType={labelType} text={fields.values.text} />
          <Group align="flex-end" gap={12}>
            <ReasonField flex="1 1 200px" description={null} {...fields.getInputProps("reason")} />
            <StartField {...fields.getInputProps("at")} />
          </Group>
        </>
      )}
    </FormModal>
  );
}

const changed = (changes: readonly TierChange[]) =>
  formatTotal({ total: changes.filter(({ fate }) => fate !== "unchanged").length }, "price", "prices", false);

/** What the table would do, line by line and in all. */
function DryRun({ labelType, text }: { labelType: LabelType; text: string }) {
  const [asked] = useDebouncedValue(text, 250);
  const query = useApiQuery(
    labelTypes.paste,
    { params: { id: labelType._id }, body: { text: asked } },
    { enabled: asked.trim() !== "", retry: false, gcTime: 0 },
  );
  if (asked.trim() === "") return null;
  if (query.isError) return <Text size="sm">{query.error.message}</Text>;
  if (!query.data) return null;
  return <Fates labelType={labelType.name} pasted={query.data} />;
}

/** So many refused lines are shown. */
const mostShown = 50;

/** Drawn for each answer, not for each key. */
const Fates = memo(({ labelType, pasted }: { labelType: string; pasted: Reply<typeof labelTypes.paste> }) => {
  const { refused, changes, preview, warnings } = pasted;
  const weights = ({ fromWeight, toWeight }: TierChange) => formatWeights(fromWeight, toWeight, labelType);
  const more = refused.length - mostShown;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className={classes.fates} tabIndex={0} aria-label="What becomes of each price">
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Weight</th>
              <th scope="col">Fate</th>
              <th scope="col">Price</th>
            </tr>
          </thead>
          <tbody>
            {refused.slice(0, mostShown).map(({ line, text, problem }) => (
              <tr key={`line ${line}`}>
                <td>Line {line}</td>
                <td>
                  <StatusBadge tone="danger">Refused</StatusBadge> {problem}
                </td>
                <td>{text.slice(0, 24)}</td>
              </tr>
            ))}
            {more > 0 && (
              <tr>
                <td colSpan={3}>
                  And {formatTotal({ total: more }, "more refused line", "more refused lines", false)}
                </td>
              </tr>
            )}
            {changes.map((change) => (
              <tr key={`${change.fromWeight} ${change.toWeight}`}>
                <td>{weights(change)}</td>
                <td>
                  <StatusBadge tone={tones[change.fate]}>{words[change.fate]}</StatusBadge>
                </td>
                <td>{pricesOf(change)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {preview && (
        <Text size="sm" role="status">
          {formatTotal({ total: preview.changed.orders }, "order", "orders", false)} of the last 30 days,{" "}
          {formatMoney(preview.changed.before)} → {formatMoney(preview.changed.after)} (
          <b>{formatChange(Math.round((preview.changed.after - preview.changed.before) * 100) / 100)}</b>)
          {preview.changed.unpriced > 0 && `, ${preview.changed.unpriced} would find no price`}.
        </Text>
      )}
      <PriceWarnings labelType={labelType} warnings={warnings} />
    </>
  );
});

const tones = { new: "info", changed: "warning", unchanged: "plain", removed: "danger" } as const;
const words = { new: "New", changed: "Changed", unchanged: "Unchanged", removed: "Removed" };

function pricesOf({ was, price }: TierChange): string {
  if (was === null) return price === null ? "" : formatMoney(price);
  if (price === null || price === was) return formatMoney(was);
  return `${formatMoney(was)} → ${formatMoney(price)} (${changeInPercent(was, price)})`;
}
