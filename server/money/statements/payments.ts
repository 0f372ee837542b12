import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { SkippedBecause, StatementField, StatementMapping } from "@footprint/contract/statements.ts";
import type { CsvRecord } from "./csv.ts";
import {
  currencyOf,
  isCompleted,
  isNoPayment,
  isOutgoing,
  isOwnMoney,
  isTakenBack,
  plain,
  readAmount,
  readMoment,
} from "./values.ts";

/** An incoming payment, as a line reports it. */
export type Payment = {
  line: number;
  transaction: string | null;
  /** A hash of its content, and which of the file's lines with the same content it is. */
  content: string;
  occurrence: number;
  at: Date;
  hasTime: boolean;
  amountCents: number;
  name: string;
  email: string;
  note: string;
  payer: string | null;
  /** The line that reversed it, in words. */
  reversed: string | null;
};

/**
 * Something that may have reversed a payment: an outgoing one, which names the payment's transaction or else has its
 * payer and amount; or the payment's own line, if its status says so.
 */
export type Reversal = {
  line: number;
  /** The payments that it names, in the form of `namesOf`. */
  payments: string[];
  payer: string | null;
  amountCents: number;
  at: number;
};

export type Understood =
  | { line: number; payment: Payment }
  | { line: number; skipped: SkippedBecause; reversal?: Reversal }
  | { line: number; refused: string };

const hash = (text: string) => createHash("sha256").update(text).digest("base64url");

/** One line, limited in length, without characters that cannot be stored or shown. */
function clean(text: string, most: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  return line.length > most ? [...line].slice(0, most).join("").trim() : line;
}

const quoted = (text: string) => `“${clean(text, 40)}”`;

/**
 * The payment app's id of a payment, even if a spreadsheet has changed it: without blanks, invisible characters and the
 * mark that makes it text. Null if the spreadsheet turned it into a number, which many payments may share.
 */
function transactionId(text: string): string | null {
  const bare = clean(text.replace(/[\s\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u3164\uffa0]+/gu, ""), 200)
    .normalize("NFKC")
    .replace(/^=?["'`´‘’#]+|["'`´‘’]+$/g, "");
  return bare === "" || /^\d+([.,]\d+)?e\+\d+$/i.test(bare) ? null : bare;
}

/** The same in any case. */
export const transactionKey = (transaction: string) => transaction.toLowerCase();

/**
 * The names by which a reversal may refer to a payment: its id or, if one of the two has no id, its content. Two
 * payments with the same content and different ids are different.
 */
export const namesOf = ({ transaction, content }: Pick<Payment, "transaction" | "content">) => [
  ...(transaction ? [byId(transaction)] : [`without id ${content}`]),
  `content ${content}`,
];
const byId = (transaction: string) => `id ${transactionKey(transaction)}`;

/** Identifies a payer by e-mail, else by name. */
function payerOf(source: StatementMapping["source"], { name, email }: { name: string; email: string }) {
  const who =
    email.toLowerCase() ||
    plain(name)
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return who ? hash(`${source} ${who}`) : null;
}

/** Reads lines in the order of the file, numbering those with the same content. */
export function paymentReader(
  { source, columns, dateOrder, decimal }: StatementMapping,
  timezone: string,
  takenBack: TakenBack,
) {
  const seen = new Map<string, number>();
  const needed = Math.max(columns.date ?? 0, columns.amount ?? 0);
  return (record: CsvRecord): Understood => {
    const { line } = record;
    if (record.problem !== undefined) return { line, refused: record.problem };
    const { fields } = record;
    const field = (name: StatementField) => (columns[name] === null ? "" : (fields[columns[name]] ?? ""));
    if (fields.length <= needed) return { line, refused: `It has ${fields.length} columns only` };
    const written = field("amount");
    const currencies = [clean(field("currency"), 10).toUpperCase(), currencyOf(written)];
    if (currencies.some((currency) => currency && currency !== "USD" && currency !== "$"))
      return { line, skipped: "another currency" };
    const amountCents = readAmount(written, decimal);
    if (amountCents === undefined)
      return { line, refused: written.trim() ? `${quoted(written)} is no amount` : "It has no amount" };
    const who = { name: clean(field("name"), 200), email: clean(field("email"), 200) };
    const moment = readMoment({ date: field("date"), time: field("time"), zone: field("zone") }, dateOrder, timezone);
    const at = moment?.at.getTime() ?? Number.POSITIVE_INFINITY;
    const type = field("type");
    if (amountCents > 0 && isNoPayment(type)) return { line, skipped: "no payment" };
    if (amountCents <= 0 || isOutgoing(type)) {
      if (isOwnMoney(type)) return { line, skipped: "outgoing" };
      // For outgoing payments PayPal names itself as the sender.
      const payer = payerOf(source, { ...who, email: "" });
      const reference = transactionId(field("reference"));
      const payments = reference ? [byId(reference)] : [];
      return { line, skipped: "outgoing", reversal: { line, payments, payer, amountCents: Math.abs(amountCents), at } };
    }
    const { name, email } = who;
    const note = clean([field("invoice"), field("note")].filter((text) => text.trim()).join(" · "), 1000);
    const transaction = transactionId(field("transaction"));
    const said = [moment?.at.toISOString(), amountCents, plain(name), plain(email), plain(note)];
    const content = hash(said.join("\u001f"));
    const isDone = columns.status === null || isCompleted(field("status"));
    if (isDone === false && isTakenBack(field("status"))) {
      // The payment app reports a reversal in the payment's own line.
      const payments = transaction ? [byId(transaction), `without id ${content}`] : [`content ${content}`];
      return { line, skipped: "not completed", reversal: { line, payments, payer: null, amountCents, at } };
    }
    if (isDone === false) return { line, skipped: "not completed" };
    if (isDone === undefined)
      return {
        line,
        refused: field("status").trim() ? `${quoted(field("status"))} is no status that is known` : "It has no status",
      };
    if (!moment) {
      const told = [field("date"), field("time"), field("zone")].map((text) => text.trim()).filter(Boolean);
      return { line, refused: told.length > 0 ? `${quoted(told.join(" "))} is no date` : "It has no date" };
    }
    const occurrence = (seen.get(content) ?? 0) + 1;
    seen.set(content, occurrence);
    const told = { line, transaction, content, occurrence, ...moment, amountCents, name, email, note };
    return { line, payment: { ...told, payer: payerOf(source, told), reversed: takenBackIn(told) } };
  };

  function takenBackIn({ name, amountCents, at, ...told }: Told): string | null {
    const [named] = namesOf(told).flatMap((payment) => takenBack.get(payment) ?? []);
    const paidBack = takenBack.get(`payer ${payerOf(source, { name, email: "" })} ${amountCents}`);
    const found = named ?? (paidBack && paidBack.at >= at.getTime() ? paidBack : undefined);
    return found ? `line ${found.line}` : null;
  }
}
type Told = Pick<Payment, "transaction" | "content" | "name" | "amountCents" | "at">;

/** The last reversal of each payment, by the payment's names. */
export type TakenBack = Map<string, Reversal>;

export async function takenBackBy(records: Iterable<CsvRecord>, mapping: StatementMapping, timezone: string) {
  const read = paymentReader(mapping, timezone, new Map());
  const found: TakenBack = new Map();
  const add = (key: string, reversal: Reversal) => {
    if (reversal.at >= (found.get(key)?.at ?? 0)) found.set(key, reversal);
  };
  for await (const part of inSlices(records))
    for (const line of part.map(read)) {
      const reversal = "reversal" in line ? line.reversal : undefined;
      for (const payment of reversal?.payments ?? []) add(payment, reversal as Reversal);
      if (reversal?.payer && reversal.payments.length === 0)
        add(`payer ${reversal.payer} ${reversal.amountCents}`, reversal);
    }
  return found;
}

/** Lines that are processed before others get a turn: as many as the embedded engine stores in a blink. */
const slice = 100;

/** The same for input of any length, with a turn of the event loop now and then. */
export async function* inSlices<T>(all: Iterable<T>): AsyncGenerator<T[]> {
  let part: T[] = [];
  for (const each of all) {
    part.push(each);
    if (part.length < slice) continue;
    yield part;
    part = [];
    await setImmediate();
  }
  if (part.length > 0) yield part;
}
