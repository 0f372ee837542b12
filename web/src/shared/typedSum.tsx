import { type ReactNode, useRef, useState } from "react";
import { formatMoney } from "./format.tsx";
import { amountOf, MoneyField } from "./NumberField.tsx";

/** Above either of these, the sum has to be typed. */
const freely = { amount: 500, rows: 20 };

/** A field for the sum of many rows, if it has to be typed, and whether it is right. */
export function useTypedSum(money: { sum: number; rows: number } | undefined, disabled: boolean) {
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const sum = money && (money.sum > freely.amount || money.rows > freely.rows) ? money.sum : undefined;
  const field: ReactNode = sum !== undefined && (
    <MoneyField
      ref={input}
      label={`Type the sum, ${formatMoney(sum)}, to confirm`}
      value={typed}
      onChange={setTyped}
      error={isWrong && `This is not ${formatMoney(sum)}`}
      disabled={disabled}
    />
  );
  /** Shows at the field what is wrong. */
  function isRight(): boolean {
    const isSo = sum === undefined || amountOf(typed) === sum;
    setWrong(!isSo);
    if (!isSo) input.current?.focus();
    return isSo;
  }
  return { field, isRight };
}
