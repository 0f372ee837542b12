import { createHash } from "node:crypto";
import { type StatementField, type StatementMapping, statementFields } from "@footprint/contract/statements.ts";
import { type CsvRecord, csvRecords } from "./csv.ts";
import { decimalShown, isAmount, longestValue, ordersOf, plain } from "./values.ts";

/**
 * The names of columns, best first, in small letters without accents: English, German, French, Spanish, Italian, Dutch,
 * Portuguese and Polish.
 */
const names: Record<StatementField, string[]> = {
  date: ["date", "datum", "fecha", "data", "transaction date", "buchungsdatum", "date de transaction"],
  time: ["time", "uhrzeit", "heure", "hora", "ora", "tijd", "czas", "godzina", "zeit"],
  zone: [
    "timezone",
    "time zone",
    "zeitzone",
    "fuseau horaire",
    "zona horaria",
    "fuso orario",
    "tijdzone",
    "fuso horario",
    "strefa czasowa",
  ],
  amount: [
    "gross",
    "amount",
    "brutto",
    "betrag",
    "avant commission",
    "montant",
    "bruto",
    "importe",
    "lordo",
    "importo",
    "bedrag",
    "valor bruto",
    "valor",
    "kwota",
    "brut",
  ],
  currency: ["currency", "wahrung", "devise", "divisa", "moneda", "valuta", "moeda", "waluta"],
  name: [
    "name of sender/receiver",
    "name",
    "sender",
    "from",
    "payer",
    "nom",
    "nombre",
    "nome",
    "naam",
    "nazwa",
    "absender",
  ],
  email: [
    "from email address",
    "absender e-mail-adresse",
    "e-mail-adresse des absenders",
    "de l'adresse email",
    "correo electronico del remitente",
    "indirizzo email mittente",
    "van e-mailadres",
    "do endereco de e-mail",
    "email",
    "e-mail",
    "e-mail-adresse",
  ],
  type: ["transaction type", "type", "typ", "tipo", "beschreibung", "art", "description"],
  status: ["status", "etat", "statut", "estado", "stato"],
  note: [
    "notes",
    "note",
    "hinweis",
    "notiz",
    "nachricht",
    "mitteilung",
    "verwendungszweck",
    "remarque",
    "message",
    "nota",
    "concepto",
    "messaggio",
    "opmerking",
    "mensagem",
    "notatka",
    "description",
    "subject",
    "betreff",
    "memo",
  ],
  invoice: [
    "invoice number",
    "rechnungsnummer",
    "numero de facture",
    "numero de factura",
    "numero fattura",
    "factuurnummer",
    "numero da fatura",
    "numer faktury",
    "invoice id",
    "custom number",
  ],
  transaction: [
    "transaction id",
    "transaktionscode",
    "transaktions-id",
    "numero de transaction",
    "id. de transaccion",
    "id de transaccion",
    "codice transazione",
    "transactiereferentie",
    "id da transacao",
    "numer transakcji",
    "reference",
  ],
  reference: [
    "reference txn id",
    "reference transaction id",
    "zugehoriger transaktionscode",
    "numero de transaction de reference",
    "id. de referencia de trans.",
    "id de transaccion de referencia",
    "codice transazione di riferimento",
    "codice riferimento transazione",
    "transactiereferentie (referentie)",
    "id de referencia da transacao",
    "identyfikator transakcji referencyjnej",
  ],
};

const separators = [",", ";", "\t", "|"];
/** The heading is looked for in this many records at the top. */
const preamble = 20;

/** The layout of a file: its separator, its headings, and which record they are. */
export type Layout = { separator: string; headings: string[]; record: number };

const tidy = (heading: string) =>
  plain(heading.slice(0, longestValue))
    .replace(/[\s\u00a0_]+/g, " ")
    .replace(/[*:]/g, "")
    .trim();

const recognised = (headings: string[]) => {
  const tidied = headings.map(tidy);
  return Object.values(names).filter((known) => known.some((name) => tidied.includes(name))).length;
};

/** The separator and record with most known headings; undefined if nothing looks like a table. */
export function layoutOf(text: string): Layout | undefined {
  let best: (Layout & { score: number }) | undefined;
  for (const separator of separators) {
    let record = 0;
    for (const { fields = [] } of csvRecords(text, separator) as Iterable<{ fields?: string[] }>) {
      if (record === preamble) break;
      const score = 1000 * recognised(fields) + (record === 0 ? fields.length : 0);
      if (fields.length > 1 && score > (best?.score ?? 0)) best = { separator, headings: fields, record, score };
      record++;
    }
  }
  return best;
}

/** Equal for all files with these headings. */
export const headingHash = ({ headings }: Layout) =>
  createHash("sha256").update(headings.map(tidy).join("\u001f")).digest("base64url");

/** The records below the heading. */
export function* recordsBelow(text: string, { separator, record }: Layout): Generator<CsvRecord> {
  let place = 0;
  for (const found of csvRecords(text, separator)) if (place++ > record) yield found;
}

/** The meaning of the columns by their headings or, if these say nothing, by their contents. */
export function columnsOf({ headings }: Layout, samples: string[][]): StatementMapping["columns"] {
  const tidied = headings.map(tidy);
  const taken = new Set<number>();
  const columns = Object.fromEntries(statementFields.map((field) => [field, null])) as StatementMapping["columns"];
  const take = (field: StatementField, place: number) => {
    if (place < 0) return;
    columns[field] = place;
    taken.add(place);
  };
  for (const field of Object.keys(names) as StatementField[]) {
    const known = names[field].map((name) =>
      tidied.findIndex((heading, place) => heading === name && !taken.has(place)),
    );
    take(field, known.find((place) => place >= 0) ?? -1);
  }
  const mostly = (is: (text: string) => boolean) =>
    headings.findIndex((_, place) => {
      const values = samples.map((fields) => fields[place]?.trim() ?? "").filter((value) => value !== "");
      const found = values.filter((value) => value.length <= longestValue && is(value));
      return !taken.has(place) && values.length > 0 && found.length >= 0.9 * values.length;
    });
  if (columns.date === null)
    take(
      "date",
      mostly((text) => ordersOf(text).length > 0),
    );
  if (columns.amount === null)
    take(
      "amount",
      mostly((text) => /[.,]\d{2}\D*$/.test(text) && isAmount(text)),
    );
  if (columns.email === null)
    take(
      "email",
      mostly((text) => /^\S+@\S+\.\S+$/.test(text)),
    );
  return columns;
}

/**
 * Which service a file is from, by headings that only one of them has: the payment app has one column for both names.
 */
export function sourceTold({ headings }: Layout): StatementMapping["source"] | undefined {
  const all = headings.map(tidy);
  if (all.includes("name of sender/receiver") || all.includes("asset type")) return "cashapp";
  return [...names.email.slice(0, 8), ...names.reference].some((name) => all.includes(name)) ? "paypal" : undefined;
}

/** The payment app calls payments P2P; everything else is PayPal's. */
export function sourceOf(layout: Layout, samples: string[][]): StatementMapping["source"] {
  const isCashApp = () => samples.flat().some((text) => /P2P|^\$\w+$/.test(text));
  return sourceTold(layout) ?? (isCashApp() ? "cashapp" : "paypal");
}

/** Learns from all dates and amounts of a file how they are written. */
export function learnFormats() {
  const orders = { "day first": 0, "month first": 0 };
  const decimals = { ".": 0, ",": 0 };
  let isOpen = false;
  return {
    see(date: string, amount: string) {
      const possible = ordersOf(date);
      const [only] = possible;
      if (possible.length === 1 && only) orders[only]++;
      else if (only && /^\s*\d{1,2}[-/]/.test(date)) isOpen = true;
      const decimal = decimalShown(amount);
      if (decimal) decimals[decimal]++;
    },
    /** What most lines show; if none shows anything, the convention that usually goes with the amounts. */
    conclude(otherwise?: Pick<StatementMapping, "dateOrder" | "decimal">) {
      const decimal: StatementMapping["decimal"] =
        decimals["."] === decimals[","] ? (otherwise?.decimal ?? ".") : decimals["."] > decimals[","] ? "." : ",";
      const isTied = orders["day first"] === orders["month first"];
      const usual = decimal === "," ? ("day first" as const) : ("month first" as const);
      const shown = orders["day first"] > orders["month first"] ? ("day first" as const) : ("month first" as const);
      return { decimal, dateOrder: isTied ? (otherwise?.dateOrder ?? usual) : shown, orderGuessed: isTied && isOpen };
    },
  };
}
