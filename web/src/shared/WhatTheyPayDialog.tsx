import { labelTypes } from "@footprint/contract/label-types.ts";
import { type Quote, quotes } from "@footprint/contract/quotes.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { Button, Group, NativeSelect, SimpleGrid, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconCircleCheck } from "@tabler/icons-react";
import { useState } from "react";
import { Dialog } from "./Dialog.tsx";
import { CustomerField } from "./Finder.tsx";
import { formatMoney, formatWeight, formatWeights } from "./format.tsx";
import { NumberField, numberOf } from "./NumberField.tsx";
import { useApiQuery } from "./queries.ts";
import { Warning } from "./Warning.tsx";
import classes from "./WhatTheyPay.module.css";

/** What is already known when somebody asks. */
export type Asked = { customer?: { _id: string; username: string }; labelType?: string };

/** What a customer would pay for a label, computed as in a purchase, and whether it would go through. */
export function WhatTheyPayDialog({ customer, labelType = "", onClose }: Asked & { onClose: () => void }) {
  const [customerId, setCustomer] = useState(customer?._id ?? "");
  const [typeId, setType] = useState(labelType);
  const [typed, setWeight] = useState("");
  const [weight] = useDebouncedValue(numberOf(typed), 300);
  const types = useApiQuery(labelTypes.list, {});
  const known = types.data?.labelTypes ?? [];
  const chosen = known.find(({ _id }) => _id === typeId);
  const isAsked = Boolean(customerId && typeId) && weight > 0;
  const { data, error, isPlaceholderData } = useApiQuery(
    quotes.read,
    { query: { customer: customerId, labelType: typeId, weight } },
    { enabled: isAsked },
  );
  const unit = chosen ? ` (${weightUnit(chosen.name)})` : "";
  return (
    <Dialog title="What would they pay?" onClose={onClose}>
      <Stack gap="md">
        <CustomerField chosen={customer} onChoose={setCustomer} autoFocus={!customer} />
        <SimpleGrid cols={2} spacing="md">
          <NativeSelect
            label="Label type"
            data-autofocus={(customer && !labelType) || undefined}
            value={typeId}
            onChange={(event) => setType(event.currentTarget.value)}
            data={[
              { value: "", label: types.data ? "Choose a label type" : "Loading…", disabled: true },
              ...known.map(({ _id, name, status }) => ({ value: _id, label: status ? name : `${name} (inactive)` })),
            ]}
            error={types.error?.message}
          />
          <NumberField
            label={`Weight${unit}`}
            data-autofocus={(customer && labelType) || undefined}
            value={typed}
            onChange={setWeight}
          />
        </SimpleGrid>
        <section
          className={classes.answer}
          aria-label="Answer"
          aria-live="polite"
          aria-busy={isAsked && (!data || isPlaceholderData) && !error}
        >
          {!isAsked ? (
            <Text size="sm" c="dimmed">
              {typed && !(weight > 0)
                ? "A weight is more than 0 and has at most three decimals."
                : "Choose a customer and a label type, and enter a weight."}
            </Text>
          ) : error ? (
            <Text size="sm" c="var(--mantine-color-error)">
              {error.message}
            </Text>
          ) : (
            data && <Answer quote={data} />
          )}
        </section>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Answer({ quote }: { quote: Quote }) {
  const { price, tier, custom, standardPrice, refusals, balance } = quote;
  const labelType = quote.labelType.name;
  return (
    <Stack gap={8}>
      <div>
        <span className={classes.price}>{price === null ? "No price" : formatMoney(price)}</span>{" "}
        {tier && (
          <Text span size="sm" c="dimmed">
            for {formatWeight(quote.weight, labelType)}, tier {formatWeights(tier.fromWeight, tier.toWeight, labelType)}
          </Text>
        )}
      </div>
      {price !== null && (
        <Text size="sm">
          {quote.reason}.{custom && ` ${standardInWords(standardPrice)}`}
        </Text>
      )}
      {refusals.length === 0 && price !== null ? (
        <Text size="sm" className={classes.good}>
          <IconCircleCheck size={16} aria-hidden /> The purchase would go through: {formatMoney(balance)} less{" "}
          {formatMoney(price)} leaves {formatMoney(Math.round((balance - price) * 100) / 100)}.
        </Text>
      ) : (
        <Warning>
          <b>The purchase would be refused:</b>
          {refusals.map((refusal) => (
            <div key={refusal}>{refusal}</div>
          ))}
        </Warning>
      )}
    </Stack>
  );
}

const standardInWords = (price: number | null) =>
  price === null ? "There is no standard price." : `The standard price is ${formatMoney(price)}.`;
