import type { StatementLine } from "@footprint/contract/statements.ts";
import { StatusBadge } from "../../shared/format.tsx";
import { stateWords } from "./words.ts";

const tones = {
  certain: "positive",
  likely: "info",
  unclear: "warning",
  none: "warning",
  paid: "plain",
  aside: "plain",
} as const;

/** The customer has what the payer got back. */
export const isToReverse = ({ state, reversed }: Pick<StatementLine, "state" | "reversed">) =>
  state === "paid" && reversed !== null;

/** How sure it is which invoice a line has paid; or what became of it. */
export function LineStatus({ line: { state, invoice, done, asked, reversed } }: { line: StatementLine }) {
  if (done?.reversed) return <StatusBadge tone="neutral">Deposit reversed</StatusBadge>;
  if (isToReverse({ state, reversed })) return <StatusBadge tone="danger">Reversed since</StatusBadge>;
  if (asked) return <StatusBadge tone="info">Waits for approval</StatusBadge>;
  if (!done && invoice && invoice.status !== "pending")
    return <StatusBadge tone="neutral">{`Invoice ${invoice.status} meanwhile`}</StatusBadge>;
  return <StatusBadge tone={tones[state]}>{stateWords[state]}</StatusBadge>;
}
