import type { LineState, Statement, StatementField } from "@footprint/contract/statements.ts";
import { formatCount } from "../../shared/format.tsx";
import { counting } from "../../shared/several.ts";

export const statementPath = (id: string) => `/invoices/statements/${id}`;

export const lineCount = counting("line", "lines");
export const paymentCount = counting("payment", "payments");

export const stateWords: Record<LineState, string> = {
  certain: "Certain",
  likely: "Likely",
  unclear: "Unclear",
  none: "No invoice",
  paid: "Paid",
  aside: "Set aside",
};

export const fieldWords: Record<StatementField, string> = {
  date: "Date",
  time: "Time",
  zone: "Timezone",
  amount: "Amount",
  currency: "Currency",
  name: "Name of the payer",
  email: "E-mail of the payer",
  note: "Note",
  invoice: "Invoice number",
  transaction: "Transaction id",
  reference: "Transaction that it reverses",
  type: "Type",
  status: "Status",
};

/** Open lines that somebody has to look at. */
export const leftOf = ({ payments }: Statement) => payments.unclear.count + payments.none.count;

/** "412 lines: 371 certain, 22 likely, 11 left over, 8 refused" */
export function summaryOf(statement: Statement): string {
  const { lines, payments, refused, known, skipped } = statement;
  const others = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const parts = [
    [payments.certain.count, "certain"],
    [payments.likely.count, "likely"],
    [leftOf(statement), "left over"],
    [payments.paid.count, "paid"],
    [payments.aside.count, "set aside"],
    [known, "known from other statements"],
    [others, others === 1 ? "no incoming payment" : "no incoming payments"],
    [refused, "refused"],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, words]) => `${formatCount(count)} ${words}`);
  return `${lineCount(lines)}: ${said.join(", ")}`;
}
