import { setImmediate } from "node:timers/promises";
import type { invoiceStatuses } from "@footprint/contract/invoices.ts";
import type { LineState } from "@footprint/contract/statements.ts";
import { dollars } from "../ledger.ts";
import { plain } from "./values.ts";

/** An unused payment. Times are in milliseconds. */
export type OpenLine = {
  id: string;
  /** Its line number in the file. */
  line: number;
  at: number;
  hasTime: boolean;
  amountCents: number;
  name: string;
  email: string;
  note: string;
  /** The customers for whom this payer has paid before. */
  paidFor: readonly string[];
};
export type Customer = { id: string; username: string; email: string; discordId: string };
/** Only pending invoices are proposed. Others may be what a line has paid, and make a match doubtful. */
export type MatchedInvoice = {
  id: string;
  customerId: string;
  amountCents: number;
  status: (typeof invoiceStatuses)[number];
  /** Pending, or marked as paid by something other than a line, so that an open line may have paid it. */
  isUnaccounted: boolean;
  /** Asks for payment by the statement's service. */
  isOfSource: boolean;
  createdAt: number;
};
export type Proposal =
  | { invoiceId: string; state: Extract<LineState, "certain" | "likely" | "unclear">; reason: string }
  | { invoiceId: null; state: "none"; reason: string };

const minute = 60_000;
const hour = 60 * minute;
const dayLong = 24 * hour;
/** How long after its invoice a payment is expected, and how long it may take if the note names the invoice. */
export const near = 3 * dayLong;
export const far = 30 * dayLong;
/** Clocks differ; and if only the day is known, the payment may have been made at any time of it. */
const slackOf = ({ hasTime }: { hasTime: boolean }) => (hasTime ? hour : dayLong);
/** A name that this many customers share identifies nobody. */
const mostNamesakes = 5;

/**
 * Proposes for each open line an invoice that it may have paid, none twice. A match is certain only if line and invoice
 * fit each other and nothing else: either the note names the invoice, or the payer is known to be the customer and
 * nobody else owes the same. An amount alone is never certain. Works by look-ups and sorting; no line is compared with
 * all invoices.
 */
export async function proposeInvoices(
  lines: OpenLine[],
  invoices: MatchedInvoice[],
  people: Customer[],
): Promise<Map<string, Proposal>> {
  const breathe = turnGiver();
  const proposals = new Map<string, Proposal>();
  const used = new Set<string>();
  const propose = (each: Read, invoice: MatchedInvoice, state: "certain" | "likely" | "unclear", reason: string) => {
    used.add(invoice.id);
    const closed = each.named.includes(invoice) ? undefined : closedOf(each);
    const proposal = closed ? ({ state: "unclear", reason: closed } as const) : { state, reason };
    proposals.set(each.line.id, { invoiceId: invoice.id, ...proposal });
  };

  const inTime = [...invoices].sort((one, other) => one.createdAt - other.createdAt || compare(one.id, other.id));
  const named = indexByNote(inTime);
  const customers = indexCustomers(people);
  const payable = inTime.filter(({ isOfSource, isUnaccounted }) => isOfSource && isUnaccounted);
  const byAmountAlone = ({ amountCents }: MatchedInvoice) => String(amountCents);
  const byCustomer = ({ customerId, amountCents }: MatchedInvoice) => `${customerId} ${amountCents}`;
  const ofAmount = groupByTime(payable, byAmountAlone, createdAt);
  const ofCustomer = groupByTime(payable, byCustomer, createdAt);
  const isFree = ({ id, status }: MatchedInvoice) => status === "pending" && !used.has(id);

  /** Each line with whom and what it seems to be for. */
  const read: Read[] = [];
  for (const line of [...lines].sort(
    (one, other) => one.at - other.at || one.line - other.line || compare(one.id, other.id),
  )) {
    const { fits, strange } = named(line, customers.wordsIn(line));
    read.push({ line, named: fits, strange, known: customers.knownBy(line), alike: customers.alike(line) });
    await breathe();
  }
  const namings = countBy(read.flatMap(({ named: fits }) => fits.map(({ id }) => id)));
  const claims = groupByTime(
    read.flatMap(({ line, known }) => [...known.keys()].map((customer) => ({ line, customer }))),
    ({ line, customer }) => `${customer} ${line.amountCents} ${line.hasTime}`,
    ({ line }) => line.at,
  );
  const payments = groupByTime(
    lines,
    (line) => `${line.amountCents} ${line.hasTime}`,
    ({ at }) => at,
  );
  /** How many lines with the same key may have paid an invoice, going by their time. */
  const payersOf = (shelf: TimeGroups<unknown>, key: string, { createdAt: made }: MatchedInvoice) =>
    [true, false]
      .map((hasTime) => shelf.within(`${key} ${hasTime}`, made - slackOf({ hasTime }), made + near))
      .reduce((sum, { length }) => sum + length, 0);

  const unnamed: Read[] = [];
  for (const each of read) {
    const sure = sureByNote(each, namings);
    if (sure) propose(each, sure.invoice, "certain", sure.reason);
    else unnamed.push(each);
    await breathe();
  }
  // An invoice that a note names for certain was paid by nobody else.
  const left: Read[] = [];
  const unused = payable.filter(({ id }) => !used.has(id));
  const unusedOfAmount = groupByTime(unused, byAmountAlone, createdAt);
  const unusedOfCustomer = groupByTime(unused, byCustomer, createdAt);
  for (const each of unnamed) {
    const sure = sureByPayer(each);
    if (sure) propose(each, sure.invoice, "certain", sure.reason);
    else left.push(each);
    await breathe();
  }

  // Uncertain lines share the rest: first those that name an invoice, then known payers, then similar names, at last by
  // amount alone. Within each round the earliest payment comes first.
  const rounds = [byNote, byPayer, byLikeness, byAmount];
  let waiting = left;
  for (const round of rounds) {
    const next: Read[] = [];
    for (const each of waiting) {
      if (!round(each)) next.push(each);
      await breathe();
    }
    waiting = next;
  }
  for (const each of waiting) {
    const reason = closedOf(each);
    if (reason) proposals.set(each.line.id, { invoiceId: null, state: "none", reason });
  }
  return proposals;

  /** Invoices of this amount and these days that belong to other customers. */
  function owedByOthers(line: OpenLine, customer: string): number {
    const [from, until] = [line.at - near, line.at + slackOf(line)];
    const all = unusedOfAmount.within(String(line.amountCents), from, until).length;
    return all - unusedOfCustomer.within(`${customer} ${line.amountCents}`, from, until).length;
  }

  /** The payer is one customer with one invoice of this amount in these days, and nobody else may have paid it. */
  function sureByPayer({ line, named: fits, strange, known }: Read) {
    const [[customer, reason] = ["", ""]] = known;
    if (fits.length > 0 || strange || known.size !== 1) return undefined;
    const key = `${customer} ${line.amountCents}`;
    const theirs = ofCustomer.within(key, line.at - near, line.at + slackOf(line));
    const [invoice] = theirs.first(1);
    if (!invoice || theirs.length > 1 || invoice.status !== "pending" || namings.has(invoice.id)) return undefined;
    if (owedByOthers(line, customer) > 0) return undefined;
    return payersOf(claims, key, invoice) === 1
      ? { invoice, reason: `${reason}, ${paidAfter(line, invoice)}` }
      : undefined;
  }

  function byNote(each: Read): boolean {
    const { line, named: fits, strange } = each;
    const free = fits.filter(isFree);
    const invoice = free.find(({ amountCents }) => amountCents === line.amountCents) ?? free[0];
    if (!invoice) return false;
    const isEqual = invoice.amountCents === line.amountCents && invoice.isOfSource;
    const doubt = !invoice.isOfSource
      ? "but that asks for another payment method"
      : isEqual
        ? (namings.get(invoice.id) ?? 0) > 1
          ? "but so do other lines"
          : fits.length > 1 || strange
            ? "but others too"
            : "but the payer is another"
        : `but that is ${dollars(invoice.amountCents)}`;
    propose(each, invoice, isEqual ? "likely" : "unclear", `The note names the invoice, ${doubt}`);
    return true;
  }

  function byPayer(each: Read): boolean {
    const { line, known, strange } = each;
    for (const [customer, reason] of known) {
      const key = `${customer} ${line.amountCents}`;
      const shelf = ofCustomer.within(key, line.at - far, line.at + slackOf(line));
      const invoice = shelf.last(isFree);
      if (!invoice) continue;
      const amount = dollars(line.amountCents);
      const doubt =
        known.size > 1
          ? ", but it may be another customer"
          : strange
            ? ", but the note may name another invoice"
            : shelf.length > 1
              ? `, one of ${shelf.length} invoices of ${amount}`
              : owedByOthers(line, customer) > 0
                ? `, but others have invoices of ${amount} too`
                : "";
      propose(each, invoice, "likely", `${reason}${doubt}, ${paidAfter(line, invoice)}`);
      return true;
    }
    return false;
  }

  function byLikeness(each: Read): boolean {
    const { line, known, alike } = each;
    if (known.size > 0) return false;
    const found = alike.flatMap((customer) => {
      const shelf = ofCustomer.within(`${customer} ${line.amountCents}`, line.at - near, line.at + slackOf(line));
      return shelf.last(isFree) ?? [];
    });
    const [invoice] = found;
    if (!invoice || found.length > 1) return false;
    const username = customers.named(invoice.customerId);
    propose(each, invoice, "likely", `The name is like ${username}'s, ${paidAfter(line, invoice)}`);
    return true;
  }

  function byAmount(each: Read): boolean {
    const { line, known } = each;
    const key = String(line.amountCents);
    const shelf = ofAmount.within(key, line.at - far, line.at + slackOf(line));
    const invoice = shelf.last(isFree);
    if (!invoice) return false;
    const around = ofAmount.within(key, line.at - near, line.at + slackOf(line)).length;
    const rivals = payersOf(payments, key, invoice);
    const isOnly = around === 1 && rivals === 1 && invoice.createdAt >= line.at - near;
    const amount = dollars(line.amountCents);
    const reason =
      known.size > 0
        ? `The amount agrees, but the payer is another, ${paidAfter(line, invoice)}`
        : isOnly
          ? `The only invoice and the only payment of ${amount} within 3 days, ${paidAfter(line, invoice)}`
          : shelf.length > 1
            ? `One of ${shelf.length.toLocaleString("en-US")} invoices of ${amount}, ${paidAfter(line, invoice)}`
            : `The only invoice of ${amount}, ${paidAfter(line, invoice)}`;
    propose(each, invoice, isOnly && known.size === 0 ? "likely" : "unclear", reason);
    return true;
  }
}

type Read = {
  line: OpenLine;
  /** The invoices that the note names. */
  named: MatchedInvoice[];
  /** The note contains another word that looks like an invoice's id. */
  strange: boolean;
  /** The customers that the payer seems to be, and why. */
  known: Map<string, string>;
  /** Customers that the payer may be. */
  alike: string[];
};

/** For a note that names an invoice which is no longer pending. */
function closedOf({ named }: Read): string | undefined {
  const closed = named.find(({ status }) => status !== "pending");
  return closed && `The note names an invoice that is ${closed.status} already`;
}

/**
 * The note names one invoice of this amount, which no other line names, and the payer is not known to be somebody else.
 */
function sureByNote({ line, named, strange, known }: Read, namings: Map<string, number>) {
  const [invoice] = named;
  if (!invoice || named.length > 1 || strange || invoice.status !== "pending") return undefined;
  if (namings.get(invoice.id) !== 1) return undefined;
  if (invoice.amountCents !== line.amountCents || !invoice.isOfSource) return undefined;
  if ([...known.keys()].some((customer) => customer !== invoice.customerId)) return undefined;
  return { invoice, reason: `The note names the invoice, ${paidAfter(line, invoice)}` };
}

const createdAt = (invoice: MatchedInvoice) => invoice.createdAt;

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

function countBy(ids: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** "paid 2 hours later" */
function paidAfter(line: OpenLine, invoice: MatchedInvoice): string {
  const took = line.at - invoice.createdAt;
  if (!line.hasTime) {
    const days = Math.max(0, Math.ceil((took - 1) / dayLong));
    return days === 0 ? "paid on the same day" : `paid ${many(days, "day")} later`;
  }
  if (took < 2 * minute) return "paid at once";
  if (took < 2 * hour) return `paid ${many(Math.round(took / minute), "minute")} later`;
  if (took < 2 * dayLong) return `paid ${many(Math.round(took / hour), "hour")} later`;
  return `paid ${many(Math.round(took / dayLong), "day")} later`;
}

const many = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

type TimeGroups<T> = { within(key: string, from: number, until: number): TimeGroup<T> };
/** Items of one kind within a span of time, both ends included. */
type TimeGroup<T> = { length: number; first(count: number): T[]; last(isWanted: (each: T) => boolean): T | undefined };

/** Groups items by key, in the order of their time: counting those in a span takes two look-ups. */
function groupByTime<T>(all: readonly T[], keyOf: (each: T) => string, timeOf: (each: T) => number): TimeGroups<T> {
  const byKey = Map.groupBy(all, keyOf);
  for (const group of byKey.values()) group.sort((one, other) => timeOf(one) - timeOf(other));
  /** For each group and place, the nearest earlier place that may still be wanted, so that used ones are skipped. */
  const before = new Map<string, Map<number, number>>();
  return {
    within(key, from, until) {
      const group = byKey.get(key) ?? [];
      const start = placeOf(group, (each) => timeOf(each) >= from);
      const end = placeOf(group, (each) => timeOf(each) > until);
      return {
        length: Math.max(0, end - start),
        first: (count) => group.slice(start, Math.min(end, start + count)),
        last(isWanted) {
          const skipped = before.get(key) ?? new Map<number, number>();
          before.set(key, skipped);
          const passed: number[] = [];
          let place = end - 1;
          while (place >= start && !isWanted(group[place] as T)) {
            passed.push(place);
            place = skipped.get(place) ?? place - 1;
          }
          for (const each of passed) skipped.set(each, place);
          return place >= start ? group[place] : undefined;
        },
      };
    },
  };
}

/** The first place in a group from which on a condition holds. */
function placeOf<T>(group: readonly T[], holds: (each: T) => boolean): number {
  let low = 0;
  let high = group.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(group[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Words of a note that may be an invoice's id or a part of it. */
export const idsIn = (note: string) =>
  note
    .toLowerCase()
    .replace(/([\da-f])-(?=[\da-f])/g, "$1")
    .match(/[\da-f]{6,32}/g)
    ?.slice(0, 20) ?? [];

/** Looks up ids in notes: whole ones, or at least six characters of their beginning or end, as the panel shows them. */
function indexByNote(invoices: MatchedInvoice[]) {
  const shown = (text: string) => text.replaceAll("-", "");
  const starts = Map.groupBy(invoices, ({ id }) => shown(id).slice(0, 6));
  const ends = Map.groupBy(invoices, ({ id }) => shown(id).slice(-6));
  return ({ note, at, hasTime, amountCents }: OpenLine, explained: string[]) => {
    const inTime = ({ createdAt: made }: MatchedInvoice) => made <= at + slackOf({ hasTime }) && made >= at - far;
    const fitting = (word: string) => {
      const byEnd = (ends.get(word.slice(-6)) ?? []).filter(({ id }) => shown(id).endsWith(word));
      if (byEnd.length > 0) return byEnd.filter(inTime);
      // Ids of the same hours begin alike, so the amount has to agree too.
      const begun = (starts.get(word.slice(0, 6)) ?? []).filter(
        (invoice) => shown(invoice.id).startsWith(word) && invoice.amountCents === amountCents,
      );
      return (begun.length === 1 || word.length >= 12 ? begun.slice(0, 2) : []).filter(inTime);
    };
    const found = idsIn(note).map((word) => ({ word, fits: fitting(word) }));
    const isStrange = (word: string) => /\d/.test(word) && !explained.some((known) => known.includes(word));
    return {
      fits: [...new Set(found.flatMap(({ fits }) => fits))],
      strange: found.some(({ word, fits }) => fits.length === 0 && isStrange(word)),
    };
  };
}

const squash = (text: string) => plain(text).replace(/[^\p{L}\p{N}]/gu, "");
const wordsOf = (text: string) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** A word as a name: in small letters, without punctuation around it. */
const bare = (word: string) => word.toLowerCase().replace(/^[._-]+|[._-]+$/g, "");
/** Ordinary words occur in other people's notes too. */
const isOwnWord = (word: string) => word.length >= 4 && /\d|[._-]/.test(word);
const longestWord = 200;

/** The first words of a note that may be a username or discordId. */
const ownWords = (note: string) =>
  (note.match(/[\p{L}\p{N}._-]+/gu) ?? [])
    .filter((word) => word.length <= longestWord)
    .map(bare)
    .filter(isOwnWord)
    .slice(0, 20);

const mailsIn = (note: string) =>
  note
    .split(/[\s<>(),;:]+/)
    .filter((word) => word.length <= longestWord && /^[^@]+@[^@]+\.\w+$/.test(word))
    .slice(0, 5);

/** Ways to write a name as one word: as it is, last name first, and without middle names. */
function spellingsOf(name: string): string[] {
  const parts = wordsOf(name);
  const turned = parts.length > 1 ? [...parts.slice(-1), ...parts.slice(0, -1)] : parts;
  const short = parts.length > 2 ? [parts[0], parts.at(-1)] : parts;
  return [...new Set([parts, turned, short].map((words) => words.join("")))].filter((word) => word.length >= 4);
}

/** Keys for looking up the customers that a line may mean: names in small letters, without punctuation. */
export const soughtBy = ({ name, email, note }: Pick<OpenLine, "name" | "email" | "note">) => ({
  names: [...spellingsOf(name), ...ownWords(note).map(squash)],
  mails: [email, ...mailsIn(note)].filter(Boolean).map((mail) => mail.toLowerCase()),
  discordIds: ownWords(note).filter((word) => /^\d{5,}$/.test(word)),
});

/**
 * Identifies a payer by e-mail, name, earlier payments, or the note. None of these is proof: names are free to choose,
 * and customers' e-mails are whatever their shops say.
 */
function indexCustomers(people: Customer[]) {
  const all = new Map(people.map((customer) => [customer.id, customer]));
  const keys = new Map<string, Set<string>>();
  const add = (key: string, id: string) => {
    const ids = keys.get(key) ?? new Set();
    ids.add(id);
    keys.set(key, ids);
  };
  for (const { id, username, email, discordId } of all.values()) {
    const [local = ""] = email.split("@");
    if (email) add(`mail ${email.toLowerCase()}`, id);
    if (squash(username).length >= 4) add(`name ${squash(username)}`, id);
    if (squash(local).length >= 6) add(`name ${squash(local)}`, id);
    if (isOwnWord(bare(username))) add(`word ${bare(username)}`, id);
    if (discordId.length >= 5) add(`word ${discordId}`, id);
    if (squash(username).length >= 3) add(`alike ${squash(username)}`, id);
  }
  const lookUp = (key: string) => {
    const ids = keys.get(key);
    return ids && ids.size <= mostNamesakes ? [...ids] : [];
  };
  const named = (id: string) => all.get(id)?.username ?? "another customer";
  return {
    named,
    wordsIn: ({ note }: OpenLine) => ownWords(note).filter((word) => keys.has(`word ${word}`)),
    knownBy({ name, email, note, paidFor }: OpenLine): Map<string, string> {
      const known = new Map<string, string>();
      const found = (ids: readonly string[], reason: (username: string) => string) => {
        for (const id of ids) if (!known.has(id)) known.set(id, reason(named(id)));
      };
      const byMail = (mails: string[]) => mails.flatMap((mail) => lookUp(`mail ${mail.toLowerCase()}`));
      found(byMail([email]), (username) => `The e-mail is ${username}'s`);
      const earlier = paidFor.slice(0, mostNamesakes);
      found(earlier, (username) => `The payer has paid for ${username} before`);
      found(byMail(mailsIn(note)), (username) => `The note has the e-mail of ${username}`);
      found(
        spellingsOf(name).flatMap((spelling) => lookUp(`name ${spelling}`)),
        (username) => `The name is ${username}'s`,
      );
      found(
        ownWords(note).flatMap((word) => lookUp(`word ${word}`)),
        (username) => `The note names ${username}`,
      );
      return known;
    },
    alike: ({ name, note }: OpenLine): string[] => [
      ...new Set([...wordsOf(name), ...wordsOf(note).slice(0, 20)].flatMap((word) => lookUp(`alike ${word}`))),
    ],
  };
}

/** Gives others a turn of the event loop now and then. */
function turnGiver() {
  let done = 0;
  return async () => {
    if (++done % 100 === 0) await setImmediate();
  };
}
