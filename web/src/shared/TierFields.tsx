import { SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

/** A price for a range of weights, as it is typed. */
export type TierValues = { fromWeight: string; toWeight: string; price: string };

export const blankTier: TierValues = { fromWeight: "", toWeight: "", price: "" };

/** As it is sent. */
export const tierOf = ({ fromWeight, toWeight, price }: TierValues) => ({
  fromWeight: Number(fromWeight),
  toWeight: Number(toWeight),
  price: Number(price),
});

export function TierFields({
  field,
  unit,
}: {
  /** `fields.getInputProps` of the form these fields stand in. */
  field: (name: keyof TierValues) => ReturnType<UseFormReturnType<TierValues>["getInputProps"]>;
  /** Unknown until a label type is chosen. */
  unit: string | undefined;
}) {
  const common = {
    type: "number",
    required: true,
    withAsterisk: false,
    inputMode: "decimal",
    autoComplete: "off",
  } as const;
  const inUnit = unit ? ` (${unit})` : "";
  return (
    <>
      <SimpleGrid cols={2} spacing="md">
        <TextInput {...common} label={`From weight${inUnit}`} step="any" {...field("fromWeight")} />
        <TextInput {...common} label={`To weight${inUnit}`} step="any" {...field("toWeight")} />
      </SimpleGrid>
      {/* Steps count from the minimum; without one, from whatever was typed before. */}
      <TextInput {...common} label="Price" min="0" step="0.01" leftSection="$" {...field("price")} />
    </>
  );
}
