import { TextInput, type TextInputProps } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import { type InputEvent, type Ref, useEffect, useRef } from "react";

type Props = TextInputProps & { ref?: Ref<HTMLInputElement> };

/**
 * A number with decimals. Browsers drop a comma without a word, which would make 125 of 12,5, and the minus sign that
 * the panel writes.
 */
export function NumberField(props: Props) {
  return <TextInput type="number" step="any" inputMode="decimal" onBeforeInput={readComma} {...props} />;
}

/** An amount in dollars. A comma in thousands, typed as 1,250, would be sent as 1.25: that alone is refused here. */
export function MoneyField({ ref, error, ...props }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const refusal = /\.\d\d0+$/.test(String(props.value)) ? "At most two decimals, and no comma in thousands" : "";
  useEffect(() => field.current?.setCustomValidity(refusal), [refusal]);
  return <NumberField ref={useMergedRef(ref, field)} leftSection="$" error={refusal || error} {...props} />;
}

/** NaN as long as it is no amount in dollars and cents. */
export const amountOf = (text: string) => (/\.\d{3}/.test(text) ? Number.NaN : Number(text));

function readComma(event: InputEvent<HTMLInputElement>) {
  const { data } = event;
  if (!data || !/[,，٫−]/.test(data)) return;
  event.preventDefault();
  // What is dropped on a field arrives before the field has the focus.
  event.currentTarget.focus();
  document.execCommand("insertText", false, withPoint(data.replace(/[，٫]/g, ",").replace("−", "-")));
}

/** 12,5 is 12.5; 1,250 and 1,250.00, which can only be pasted as a whole, are 1250. */
const withPoint = (text: string) =>
  /^\D*[1-9]\d{0,2}(,\d{3})+(\.\d*)?\D*$/.test(text) ? text.replaceAll(",", "") : text.replace(",", ".");
