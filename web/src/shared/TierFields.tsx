import { SimpleGrid } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type Edit, edited } from "./edits.ts";
import { amountOf, MoneyField, NumberField, numberOf } from "./NumberField.tsx";

/** A price for a range of weights, as typed into the form. */
export type TierValues = { fromWeight: string; toWeight: string; price: string };

export const blankTier: TierValues = { fromWeight: "", toWeight: "", price: "" };

/** The same in the API's form. */
export const tierOf = ({ fromWeight, toWeight, price }: TierValues) => ({
  fromWeight: numberOf(fromWeight),
  toWeight: numberOf(toWeight),
  price: amountOf(price),
});

/** An existing price in the form's format. */
export const tierValues = ({ fromWeight, toWeight, price }: Record<keyof TierValues, number>): TierValues => ({
  fromWeight: String(fromWeight),
  toWeight: String(toWeight),
  price: price.toFixed(2),
});

export const editedTier: Omit<Edit<TierValues>, "version"> = {
  fields: [edited("fromWeight", "From weight"), edited("toWeight", "To weight"), edited("price", "Price", "$")],
  valuesOf: tierValues,
};

export function TierFields({
  field,
  unit,
}: {
  /** `getInputProps` of the form that these fields are part of. */
  field: (name: keyof TierValues) => ReturnType<UseFormReturnType<TierValues>["getInputProps"]>;
  /** Unknown until a label type is chosen. */
  unit: string | undefined;
}) {
  const inUnit = unit ? ` (${unit})` : "";
  return (
    <>
      <SimpleGrid cols={2} spacing="md">
        <NumberField required label={`From weight${inUnit}`} {...field("fromWeight")} />
        <NumberField required label={`To weight${inUnit}`} {...field("toWeight")} />
      </SimpleGrid>
      <MoneyField required label="Price" step={0.01} {...field("price")} />
    </>
  );
}
