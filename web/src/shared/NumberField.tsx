import { decimalsOf, plainAmount, plainNumber } from "@footprint/contract/numbers.ts";
import { TextInput, type TextInputProps } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import { type KeyboardEvent, type Ref, useEffect, useRef } from "react";

type Props = Omit<TextInputProps, "value" | "onChange" | "min" | "max" | "step"> & {
  ref?: Ref<HTMLInputElement>;
  value?: string;
  onChange: (text: string) => void;
  decimals?: keyof typeof most;
  min?: number;
  max?: number;
  /** How much the arrow keys add or take away. */
  step?: number;
  plain?: typeof plainNumber;
};

const most = { 0: "A whole number", 2: "At most two decimals", 3: "At most three decimals" };

function refusalOf(understood: string | undefined, decimals: keyof typeof most): string {
  if (understood === undefined) return "Not a number. Write it like 1250.5";
  return decimalsOf(understood) > decimals ? most[decimals] : "";
}

/**
 * A number, which shows how it was understood when it is left. It is text for the browser, whose own fields for numbers
 * drop what they do not expect: 12,5 becomes 125.
 */
export function NumberField({
  ref,
  value = "",
  onChange,
  decimals = 3,
  min = 0,
  max,
  step,
  plain = plainNumber,
  ...props
}: Props) {
  const field = useRef<HTMLInputElement>(null);
  const understood = plain(value);
  const refusal = value === "" ? "" : refusalOf(understood, decimals);
  const number = Number(understood);
  const problem =
    refusal || (number < min ? `At least ${min}` : max !== undefined && number > max ? `At most ${max}` : "");
  useEffect(() => field.current?.setCustomValidity(problem), [problem]);
  const show = () => understood !== undefined && understood !== value && onChange(understood);
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") show();
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!direction || !step || refusal || props.readOnly) return;
    event.preventDefault();
    onChange(Math.max(min, (number || 0) + direction * step).toFixed(decimals));
  }
  return (
    <TextInput
      inputMode={min < 0 ? undefined : decimals === 0 ? "numeric" : "decimal"}
      autoComplete="off"
      {...props}
      ref={useMergedRef(ref, field)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trimStart())}
      onBlur={show}
      onKeyDown={onKeyDown}
      step={step}
      // A sign or mark alone is how a number begins.
      error={(/[^-−+$.,]/.test(value) && refusal) || props.error}
    />
  );
}

/** An amount in dollars. */
export const MoneyField = (props: Props) => <NumberField leftSection="$" decimals={2} plain={plainAmount} {...props} />;

/** Zero for an empty field, and NaN as long as the field refuses it. */
export function numberOf(text: string, decimals: keyof typeof most = 3, plain = plainNumber): number {
  const understood = text.trim() === "" ? "0" : plain(text);
  return refusalOf(understood, decimals) ? Number.NaN : Number(understood);
}

export const amountOf = (text: string) => numberOf(text, 2, plainAmount);
