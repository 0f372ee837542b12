import { type LabelType, labelTypes, type PriceTier } from "@footprint/contract/label-types.ts";
import type { PriceOverview, Repriced } from "@footprint/contract/price-preview.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconArrowDown, IconArrowRight, IconArrowUp } from "@tabler/icons-react";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { callApi } from "../../shared/api.ts";
import { FormConflict, useEditForm } from "../../shared/editForm.tsx";
import { FormAlert } from "../../shared/FormAlert.tsx";
import { SubmitButton } from "../../shared/form.tsx";
import { formatChange, formatCount, formatMoney, formatTotal, formatWeights } from "../../shared/format.tsx";
import { amountOf, MoneyField, NumberField } from "../../shared/NumberField.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { editedTier, type TierValues, tierOf, tierValues } from "../../shared/TierFields.tsx";
import { Warning } from "../../shared/Warning.tsx";
import { useAskAgain } from "./AskAgain.tsx";
import classes from "./Prices.module.css";
import { PriceWarnings } from "./PriceWarnings.tsx";
import { percentOf } from "./percent.ts";
import { StartField } from "./StartField.tsx";

type Values = TierValues & { reason: string; at: string };

const { fields, valuesOf } = editedTier;

/** A tier is changed below its row, beside what that would mean; `price` is proposed where an earlier one is to return. */
export function TierEditor({
  labelType,
  tier,
  isGone,
  sold,
  price = tier.price,
  onDraft,
  onClose,
}: {
  labelType: LabelType;
  tier: PriceTier;
  /** Somebody has deleted it. */
  isGone: boolean;
  sold: PriceOverview["tiers"][number] | undefined;
  price?: number;
  /** What is typed, for the chart of its history. */
  onDraft: (price: number | undefined) => void;
  onClose: () => void;
}) {
  const askAgain = useAskAgain();
  const params = { id: labelType._id };
  const others = labelType.prices.filter(({ _id }) => _id !== tier._id);
  const tableWith = (values: Values) =>
    [...others, tierOf(values)].map(({ fromWeight, toWeight, price }) => ({ fromWeight, toWeight, price }));
  const form = useEditForm<Values>({
    initialValues: { ...tierValues({ ...tier, price }), reason: "", at: "" },
    edit: { fields, valuesOf, version: tier.version },
    async onSubmit(values, options) {
      const { warnings } = await callApi(labelTypes.preview, { params, body: { prices: tableWith(values) } });
      const words = `${formatMoney(tier.price)} to ${formatMoney(amountOf(values.price))}`;
      await askAgain({
        title: `Change ${weights} from ${words}?`,
        labelType: labelType.name,
        warnings,
        action: actionOf(values),
      });
      const { reason, at } = values;
      const body = { price_id: tier._id, ...tierOf(values), reason, ...(at && { at }) };
      return callApi(labelTypes.updateTier, { params, body }, options);
    },
    end: { after: 2000, on: "success", finish: onClose },
  });
  const { values } = form.fields;
  const weights = formatWeights(tier.fromWeight, tier.toWeight, labelType.name);
  const next = tierOf(values);
  const isFilledIn = values.fromWeight !== "" && values.toWeight !== "" && values.price !== "";
  const isTier = isFilledIn && Object.values(next).every((value) => value >= 0);
  const isChanged = next.price !== tier.price || next.fromWeight !== tier.fromWeight || next.toWeight !== tier.toWeight;

  const [asked] = useDebouncedValue(isTier && isChanged ? JSON.stringify(tableWith(values)) : "", 250);
  const query = useApiQuery(
    labelTypes.preview,
    { params, body: { prices: asked ? JSON.parse(asked) : [] } },
    { enabled: asked !== "", retry: false, gcTime: 0 },
  );
  const isShown = asked !== "" && isTier && isChanged;
  const preview = isShown ? query.data?.preview.changed : undefined;
  const refusal = isShown && query.isError ? query.error.message : undefined;

  useEffect(() => {
    onDraft(isPrice(values.price) && amountOf(values.price) !== tier.price ? amountOf(values.price) : undefined);
    return () => onDraft(undefined);
  }, [values.price, tier.price, onDraft]);

  const priceField = useRef<HTMLInputElement>(null);
  // Before anybody can type.
  useLayoutEffect(() => priceField.current?.select(), []);

  const unit = weightUnit(labelType.name);
  return (
    <form
      className={classes.editor}
      aria-label={`Edit ${weights}`}
      onSubmit={form.submit}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.nativeEvent.isComposing && !form.working) onClose();
      }}
    >
      <div className={classes.fields} inert={form.settled}>
        <NumberField required w={116} label={`From weight (${unit})`} {...form.fields.getInputProps("fromWeight")} />
        <NumberField required w={116} label={`To weight (${unit})`} {...form.fields.getInputProps("toWeight")} />
        <MoneyField
          required
          ref={priceField}
          w={132}
          label="Price"
          step={0.01}
          {...form.fields.getInputProps("price")}
        />
        {isPrice(values.price) && next.price !== tier.price && <Comparison was={tier.price} is={next.price} />}
      </div>
      <dl className={classes.cells} aria-busy={query.isFetching}>
        <Cell title="Per label" note={`was ${formatMoney(tier.price)}`}>
          {isPrice(values.price) ? formatChange(round(next.price - tier.price)) : "–"}
        </Cell>
        <OverDays sold={sold} preview={preview} />
        <Reach sold={sold} preview={preview} />
      </dl>
      {refusal ? (
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          {refusal}
        </Text>
      ) : (
        isShown && <PriceWarnings labelType={labelType.name} warnings={query.data?.warnings ?? []} />
      )}
      <div className={classes.fields} inert={form.settled}>
        <TextInput
          className={classes.reason}
          label="Reason"
          placeholder="Optional, kept in its history"
          maxLength={500}
          {...form.fields.getInputProps("reason")}
        />
        <StartField {...form.fields.getInputProps("at")} />
      </div>
      {!form.settled && <FormConflict form={form} />}
      {isGone && !form.working && <Warning>This price has been deleted. It can be added again as a new one.</Warning>}
      <FormAlert alert={form.alert} />
      <Group justify="space-between" gap="8px 16px">
        <Text size="xs" c="dimmed">
          {values.at ? "For orders from then on." : "For orders from now on."} Past orders keep their price.
        </Text>
        <Group gap={8} ml="auto">
          <Button variant="default" onClick={onClose} disabled={form.working}>
            {form.settled || isGone ? "Close" : "Cancel"}
          </Button>
          {!form.settled && !isGone && <SubmitButton form={form} label={actionOf(values)} workingLabel="Saving…" />}
        </Group>
      </Group>
    </form>
  );
}

const round = (amount: number) => Math.round(amount * 100) / 100;
const isPrice = (text: string) => text !== "" && amountOf(text) >= 0;

/** Save $8.61 */
const actionOf = ({ price, at }: Values) =>
  `${at ? "Schedule" : "Save"}${isPrice(price) ? ` ${formatMoney(amountOf(price))}` : ""}`;

function Comparison({ was, is }: { was: number; is: number }) {
  const Icon = is < was ? IconArrowDown : IconArrowUp;
  return (
    <p className={classes.comparison}>
      <s>{formatMoney(was)}</s>
      <IconArrowRight size={16} aria-label="becomes" />
      <b>{formatMoney(is)}</b>
      <span>
        <Icon size={14} aria-hidden /> {percentOf(was, is)}
      </span>
    </p>
  );
}

function Cell({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}

type Told = { sold: PriceOverview["tiers"][number] | undefined; preview: Repriced | undefined };

const orders = (total: number) => formatTotal({ total }, "order", "orders", false);

function OverDays({ sold, preview }: Told) {
  const difference = preview && round(preview.after - preview.before);
  return (
    <Cell
      title="Over the last 30 days"
      note={
        preview
          ? `${formatMoney(preview.before)} → ${formatMoney(preview.after)}`
          : `sold for ${formatMoney(sold?.revenue ?? 0)}`
      }
    >
      {orders(preview?.orders ?? sold?.orders ?? 0)}
      {difference !== undefined && (
        <>
          ,{" "}
          <span data-loss={difference < 0 || undefined}>{difference ? formatChange(difference) : "no difference"}</span>
        </>
      )}
    </Cell>
  );
}

function Reach({ sold, preview }: Told) {
  const notes = preview && [
    preview.atCustomPrices > 0 &&
      `${formatCount(preview.atCustomPrices)} ${preview.atCustomPrices === 1 ? "was" : "were"} at custom prices`,
    preview.unpriced > 0 && `${formatCount(preview.unpriced)} would find no price`,
    preview.newlyPriced > 0 && `${formatCount(preview.newlyPriced)} would find a price`,
  ];
  const customPrices = formatTotal({ total: sold?.customPrices ?? 0 }, "custom price", "custom prices", false);
  return (
    <Cell
      title="Who it reaches"
      note={notes ? notes.filter(Boolean).join(", ") || "all at the standard price" : customPrices}
    >
      {orders(preview ? preview.orders - preview.atCustomPrices : (sold?.orders ?? 0))}
    </Cell>
  );
}
