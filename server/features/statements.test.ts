import { approvals } from "@footprint/contract/approvals.ts";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { type StatementLine, type StatementMapping, statements } from "@footprint/contract/statements.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { website } from "@footprint/contract/website.ts";
import { eq } from "drizzle-orm";
import { expect, inject, test as onBothEngines } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import * as schema from "../db/schema.ts";
import { seededRandom } from "../demo/random.ts";
import { checkBooks } from "../money/books.ts";
import { forgetPayers } from "../money/statements/lines.ts";
import { addCustomer, addInvoice, balanceOf, transfersOf } from "../testing/builders.ts";
import { formWith } from "../testing/multipart.ts";
import { addAccount, call, db, logRows, moveBusinessTo } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

type Caller = Parameters<typeof call>[0];
type Content = string | Uint8Array<ArrayBuffer>;

const dropFile = (content: Content, { as = "staff" as Caller, name = "report.csv" } = {}) =>
  call(as, statements.drop, { form: formWith({ file: new Blob([content]) }, name) });

async function drop(content: Content, options: { as?: Caller; name?: string } = {}) {
  const { status, body } = await dropFile(content, options);
  if (status !== 200) throw new Error(`${status} ${body.message}`);
  return body.statement._id;
}

/** Reads a statement to its end, as the panel does. */
async function take(id: string, { as = "staff" as Caller, mapping = undefined as StatementMapping | undefined } = {}) {
  for (;;) {
    const { status, body } = await call(as, statements.take, { params: { id }, body: mapping ? { mapping } : {} });
    if (status !== 200) throw new Error(`${status} ${body.message}`);
    if (body.statement.state === "ready") return body.statement;
  }
}

const read = async (content: Content, options: { as?: Caller; name?: string } = {}) => {
  const id = await drop(content, options);
  return { id, statement: await take(id, options) };
};

/** In the order of the file. */
async function linesOf(id: string, query: object = {}): Promise<StatementLine[]> {
  const all: StatementLine[] = [];
  for (let page = 1; ; page++) {
    const { body } = await call("staff", statements.lines, {
      params: { id },
      query: { limit: 100, page, after: 0, ...query },
    });
    all.push(...body.lines);
    if (page >= body.totalPages) return all;
  }
}

const columnsOf = async (id: string, mapping?: StatementMapping) =>
  (await call("staff", statements.columns, { params: { id }, body: mapping ? { mapping } : {} })).body.columns;

const refusalsOf = async (id: string) => (await call("staff", statements.read, { params: { id } })).body.refused;

const cashAppHeading =
  '"Transaction ID","Date","Transaction Type","Currency","Amount","Fee","Net Amount","Asset Type","Asset Price","Asset Amount","Status","Notes","Name of sender/receiver","Account"';

let made = 0;
type Paid = {
  id?: string;
  at?: string;
  type?: string;
  currency?: string;
  amount?: string;
  status?: string;
  note?: string;
  name?: string;
};

/** A line in the payment app's format. */
const cashApp = (paid: Paid) => {
  const {
    id = `tx${made++}`,
    at = "2026-11-03 14:22:11 UTC",
    type = "Received P2P",
    currency = "USD",
    amount = "$20.00",
  } = paid;
  const { status = "PAYMENT DEPOSITED", note = "", name = "" } = paid;
  const fields = [id, at, type, currency, amount, "$0.00", amount, "", "", "", status, note, name, ""];
  return fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(",");
};
const cashAppFile = (...lines: Paid[]) => [cashAppHeading, ...lines.map(cashApp)].join("\n");

const on = (moment: string) => new Date(`${moment}Z`);

test("a statement of the payment app is matched with the invoices that it paid, and pays them", async () => {
  const maren = await addCustomer({ username: "maren.olsen", email: "maren@example.com" });
  const tobias = await addCustomer({ username: "tb_42" });
  const lena = await addCustomer({ username: "lena", email: "lena@example.org" });
  const byName = await addInvoice({ customer: maren, amount: 20, createdAt: on("2026-11-03T13:00:00") });
  const byNote = await addInvoice({ customer: tobias, amount: 20, createdAt: on("2026-11-03T10:00:00") });
  const byAmount = await addInvoice({ customer: lena, amount: 33.5, createdAt: on("2026-11-03T10:00:00") });
  const unpaid = await addInvoice({ amount: 7, createdAt: on("2026-11-03T10:00:00") });
  const { id, statement } = await read(
    cashAppFile(
      { name: "Maren Olsen", id: "A1" },
      { name: "T. B.", note: `labels, invoice ${byNote.id.slice(-6)}` },
      { name: "Somebody Else", amount: "$33.50" },
      { name: "A Stranger", amount: "$1,234.56" },
      { amount: "-$20.00", type: "Sent P2P", status: "PAYMENT SENT" },
      { amount: "$20.00", status: "PAYMENT FAILED" },
      { amount: "$20.00", currency: "EUR" },
      { amount: "$20.00", type: "Cash Out" },
      { amount: "twenty" },
    ),
    { name: "cash_app_report.csv" },
  );
  expect(statement).toMatchObject({
    file: "cash_app_report.csv",
    source: "cashapp",
    state: "ready",
    lines: 9,
    read: 9,
    known: 0,
    refused: 1,
    by: { username: "staff" },
    payments: {
      certain: { count: 2, sum: 40 },
      likely: { count: 1, sum: 33.5 },
      unclear: { count: 0 },
      none: { count: 1 },
    },
    skipped: { outgoing: 1, "not completed": 1, "another currency": 1, "no payment": 1 },
  });
  expect(await refusalsOf(id)).toEqual([{ line: 10, why: "“twenty” is no amount" }]);
  const lines = await linesOf(id);
  expect(lines.map(({ line, state, invoice, reason }) => [line, state, invoice?._id, reason])).toEqual([
    [2, "certain", byName.id, "The name is maren.olsen's, paid 82 minutes later"],
    [3, "certain", byNote.id, "The note names the invoice, paid 4 hours later"],
    [4, "likely", byAmount.id, "The only invoice and the only payment of $33.50 within 3 days, paid 4 hours later"],
    [5, "none", undefined, ""],
  ]);
  const { body: left } = await call("staff", statements.invoices, { params: { id } });
  expect(left).toMatchObject({ invoices: [{ _id: unpaid.id }], total: 1, totalPages: 1 });

  const certain = (await linesOf(id, { state: "certain" })).map(({ _id }) => _id);
  const { body } = await call("staff", statements.payCertain, { body: { ids: [...certain, lines[2]?._id ?? ""] } });
  expect(body.outcomes.map(({ done, message }) => [done, message])).toEqual([
    [true, "$20.00 credited to maren.olsen"],
    [true, "$20.00 credited to tb_42"],
    [false, "It is not certain any more which invoice this line has paid"],
  ]);
  expect(await transfersOf(maren)).toMatchObject([
    { kind: "deposit", amount: 20, reference: byName.id, actor: "staff" },
  ]);
  const logged = (await logRows()).filter(({ action }) => action.startsWith("Marked"));
  expect(logged.map(({ action }) => action)).toEqual([
    `Marked invoice ${byName.id} ($20.00) of maren.olsen as paid: Paid by line 2 of cash_app_report.csv, transaction A1`,
    expect.stringContaining("Paid by line 3 of cash_app_report.csv"),
  ]);

  const pay = (line: StatementLine | undefined, invoice: string, more = {}) =>
    call("staff", statements.pay, { params: { id: line?._id ?? "" }, body: { invoice, ...more } });
  expect((await pay(lines[2], byAmount.id)).body.message).toBe("$33.50 credited to lena");
  expect((await pay(lines[2], unpaid.id)).body.message).toBe("This line has paid an invoice already");
  const refused = await pay(lines[3], unpaid.id);
  expect([refused.status, refused.body.message]).toEqual([409, "The line is $1,234.56, and the invoice $7.00"]);
  expect((await pay(lines[3], byAmount.id)).body.message).toBe("This invoice is already paid");
  expect((await pay(lines[3], unpaid.id, { differs: true })).body.message).toBe(
    "Say why a line of another amount pays this invoice",
  );
  expect((await pay(lines[3], unpaid.id, { differs: true, reason: "Overpaid" })).status).toBe(200);
  expect((await logRows()).at(-1)?.action).toContain(", which is $1,234.56: Overpaid");
  expect((await linesOf(id)).map(({ state, done }) => [state, done?.by])).toEqual(Array(4).fill(["paid", "staff"]));
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a statement of PayPal in German, with commas before the cents and Latin letters, is read as it is meant", async () => {
  const customer = await addCustomer({ username: "jurgen", email: "juergen.moeller@example.de" });
  const invoice = await addInvoice({
    customer,
    amount: 1234.56,
    paymentMethod: "paypal",
    createdAt: on("2026-11-03T10:00:00"),
  });
  const text = [
    '"Datum";"Uhrzeit";"Zeitzone";"Name";"Typ";"Status";"Währung";"Brutto";"Gebühr";"Netto";"Absender E-Mail-Adresse";"Transaktionscode";"Rechnungsnummer";"Hinweis"',
    '"03.11.2026";"12:30:00";"Europe/Berlin";"Jürgen Möller";"Allgemeine Zahlung";"Abgeschlossen";"USD";"1.234,56";"-12,00";"1.222,56";"Juergen.Moeller@example.de";"8AB";"";"Grüße"',
    '"04.11.2026";"12:30:00";"MEZ";"Bank";"Bankgutschrift auf PayPal-Konto";"Abgeschlossen";"USD";"500,00";"0,00";"500,00";"";"8AC";"";""',
    '"04.11.2026";"12:30:00";"MEZ";"Jemand";"Rückzahlung";"Abgeschlossen";"USD";"-5,00";"0,00";"-5,00";"";"8AD";"";""',
    '"04.11.2026";"12:30:00";"MEZ";"Jemand";"Allgemeine Zahlung";"Ausstehend";"USD";"5,00";"0,00";"5,00";"";"8AE";"";""',
  ].join("\r\n");
  const id = await drop(Uint8Array.from(Buffer.from(text, "latin1")));
  expect(await columnsOf(id)).toMatchObject({
    headings: expect.arrayContaining(["Währung"]),
    mapping: { source: "paypal", dateOrder: "day first", decimal: ",", columns: { amount: 7, currency: 6, email: 10 } },
    understood: [{ line: 2, at: "2026-11-03T11:30:00.000Z", amount: 1234.56, name: "Jürgen Möller", note: "Grüße" }],
    problem: null,
  });
  const statement = await take(id);
  expect(statement.skipped).toEqual({ outgoing: 1, "not completed": 1, "another currency": 0, "no payment": 1 });
  expect(await linesOf(id)).toMatchObject([
    {
      state: "certain",
      invoice: { _id: invoice.id },
      reason: "The e-mail is jurgen's, paid 90 minutes later",
      transaction: "8AB",
    },
  ]);
});

test.for([
  ["$1,234.56", 1234.56],
  ["1.234,56 €", "another currency"],
  ["+12.00", 12],
  ["(12.00)", "outgoing"],
  ["−12.00", "outgoing"],
  ["12.00-", "outgoing"],
  ["12.00 USD", 12],
  ["USD 12", 12],
  ["US$ 1 234.50", 1234.5],
  ["1'234.50", 1234.5],
  ["12 345 678.00", 12345678],
  ["1 2 3", "“1 2 3” is no amount"],
  ["1234 567", "“1234 567” is no amount"],
  ["12.5", 12.5],
  ["12.5000", 12.5],
  ["1,23,456.78", 123456.78],
  ["12.005", "“12.005” is no amount"],
  ["12,50", "“12,50” is no amount"],
  ["1e3", "“1e3” is no amount"],
  ["$", "“$” is no amount"],
  ["99999999999999", "“99999999999999” is no amount"],
  ["", "It has no amount"],
] as const)("the amount %s among those with a point is read as %s", async ([amount, expected]) => {
  const { id, statement } = await read(cashAppFile({ amount: "$1.50" }, { amount }, { amount: "$2.50" }));
  const found = (await linesOf(id)).find(({ line }) => line === 3)?.amount;
  const skipped = Object.entries(statement.skipped).find(([, count]) => count > 0)?.[0];
  const [refused] = await refusalsOf(id);
  expect(found ?? skipped ?? refused?.why).toBe(expected);
});

test.for([
  ["2026-11-03", "2026-11-02T23:00:00.000Z"],
  ["2026-11-03 14:22:11", "2026-11-03T13:22:11.000Z"],
  ["2026-11-03T14:22:11.123Z", "2026-11-03T14:22:11.000Z"],
  ["2026-11-03 14:22:11 EST", "2026-11-03T19:22:11.000Z"],
  ["2026-11-03 14:22:11 +02:00", "2026-11-03T12:22:11.000Z"],
  ["2026-11-03 14:22 America/New_York", "2026-11-03T19:22:00.000Z"],
  ["2026-07-03 14:22 America/New_York", "2026-07-03T18:22:00.000Z"],
  ["03.11.2026", "2026-11-02T23:00:00.000Z"],
  ["3 Nov 2026", "2026-11-02T23:00:00.000Z"],
  ["3. März 2026", "2026-03-02T23:00:00.000Z"],
  ["3 de enero de 2026 10:00", "2026-01-03T09:00:00.000Z"],
  ["Nov 3, 2026, 2:22 PM", "2026-11-03T13:22:00.000Z"],
  ["November 3rd 2026 12:05 am", "2026-11-02T23:05:00.000Z"],
  ["20261103", "2026-11-02T23:00:00.000Z"],
  ["11/03/2026", "2026-11-02T23:00:00.000Z"],
  ["13/03/2026", "“13/03/2026” is no date"],
  ["2026-02-30", "“2026-02-30” is no date"],
  ["2026-11-03 25:00", "“2026-11-03 25:00” is no date"],
  ["2026-11-03 10:00 Nowhere/City", "“2026-11-03 10:00 Nowhere/City” is no date"],
  ["1926-11-03", "“1926-11-03” is no date"],
  ["yesterday", "“yesterday” is no date"],
] as const)("the date %s among those with the month first, in Berlin, is read as %s", async ([date, expected]) => {
  await moveBusinessTo("Europe/Berlin");
  const { id } = await read(cashAppFile({ at: "10/31/2026" }, { at: date }, { at: "10/30/2026" }));
  const found = (await linesOf(id)).find(({ line }) => line === 3)?.at;
  const [refused] = await refusalsOf(id);
  expect(found ?? refused?.why).toBe(expected);
});

test("whether the day or the month comes first is decided by all dates together, or told to be a guess", async () => {
  const orderOf = async (...dates: string[]) => {
    const columns = await columnsOf(await drop(cashAppFile(...dates.map((at) => ({ at })))));
    return [columns.mapping.dateOrder, columns.orderGuessed];
  };
  expect(await orderOf("03/11/2026", "05/11/2026", "13/11/2026")).toEqual(["day first", false]);
  expect(await orderOf("03/11/2026", "05/11/2026", "11/13/2026")).toEqual(["month first", false]);
  expect(await orderOf("03/11/2026", "05/11/2026")).toEqual(["month first", true]);
});

test("columns that somebody corrects are understood so, and remembered for files with the same headings", async () => {
  const file = (rows: string[]) => ["Wann;Wieviel;Wer;Wozu", ...rows].join("\n");
  const id = await drop(file(["03/11/2026;20,00;Maren;Etiketten", "04/11/2026;30,00;Lena;Etiketten"]));
  const found = await columnsOf(id);
  expect(found).toMatchObject({
    headings: ["Wann", "Wieviel", "Wer", "Wozu"],
    samples: [["03/11/2026", "20,00", "Maren", "Etiketten"], expect.anything()],
    mapping: {
      source: "paypal",
      decimal: ",",
      dateOrder: "day first",
      columns: { date: 0, amount: 1, name: null, note: null },
    },
    remembered: false,
    orderGuessed: true,
  });
  const columns = { ...found.mapping.columns, name: 2, note: 3 };
  const mapping = { ...found.mapping, source: "cashapp" as const, dateOrder: "month first" as const, columns };
  expect((await columnsOf(id, mapping)).understood).toMatchObject([
    { line: 2, at: "2026-03-11T00:00:00.000Z", amount: 20, name: "Maren", note: "Etiketten" },
    { line: 3, at: "2026-04-11T00:00:00.000Z" },
  ]);
  const without = { ...mapping, columns: { ...columns, amount: null } };
  expect((await columnsOf(id, without)).problem).toBe("Choose the column with the amount");
  const refused = await call("staff", statements.take, { params: { id }, body: { mapping: without } });
  expect([refused.status, refused.body.message]).toEqual([400, "Choose the column with the amount"]);
  expect(await take(id, { mapping })).toMatchObject({ source: "cashapp", payments: { none: { count: 2 } } });

  const next = await drop(file(["05/11/2026;20,00;Maren;Etiketten"]));
  expect(await columnsOf(next)).toMatchObject({ mapping, remembered: true });
});

test.for([
  ["with a mark of UTF-8", (text: string) => Buffer.from(`\ufeff${text}`)],
  ["in UTF-16 with a mark", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ["in UTF-16 without a mark", (text: string) => Buffer.from(text, "utf16le")],
  ["in UTF-16, largest byte first", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ["with tabs", (text: string) => Buffer.from(text.replaceAll('","', '"\t"'))],
  ["with semicolons", (text: string) => Buffer.from(text.replaceAll('","', '";"'))],
  ["with CRLF", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
  ["with CR alone", (text: string) => Buffer.from(text.replaceAll("\n", "\r"))],
  ["with lines above its headings", (text: string) => Buffer.from(`Account report\nNovember 2026\n\n${text}`)],
] as const)("a file %s is read the same", async ([, write]) => {
  const { id } = await read(Uint8Array.from(write(cashAppFile({ name: "Zoë Łuczak", note: 'say "hi", then\tgo' }))));
  expect(await linesOf(id)).toMatchObject([
    { amount: 20, name: "Zoë Łuczak", note: expect.stringContaining('say "hi", then') },
  ]);
});

test("a mapping without ids warns, and is not remembered for others", async () => {
  const file = cashAppFile({ id: "ID1", name: "Maren" });
  const id = await drop(file);
  const { mapping, warning } = await columnsOf(id);
  expect([mapping.columns.transaction, warning]).toEqual([0, null]);
  const without = (place: number | null) => ({ ...mapping, columns: { ...mapping.columns, transaction: place } });
  for (const place of [null, 12])
    expect((await columnsOf(id, without(place))).warning).toMatch(
      /^“Transaction ID” looks like the transaction id and/,
    );
  await take(id, { mapping: without(null) });
  const next = await columnsOf(await drop(`${file}\n`));
  expect(next).toMatchObject({ mapping: { columns: { transaction: 0 } }, remembered: true, warning: null });

  // As an earlier version stored it.
  await db.update(schema.statementMappings).set({ mapping: without(null) });
  expect((await columnsOf(await drop(`${file}\n\n`))).mapping.columns.transaction).toBe(0);
});

test("a mapping without status, currency or type warns, and is not remembered for others", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  await addInvoice({ customer, amount: 20, createdAt: on("2026-11-03T13:00:00") });
  const id = await drop(cashAppFile({ amount: "$1.00" }));
  const { mapping } = await columnsOf(id);
  const without = { ...mapping, columns: { ...mapping.columns, status: null, currency: null, type: null } };
  expect((await columnsOf(id, without)).warning).toBe(
    "“Status” looks like the status and is not used as such: payments that are pending, failed or refunded count as received. “Currency” looks like the currency and is not used as such: amounts in other currencies count as dollars. “Transaction Type” looks like the type of transaction and is not used as such: what is no payment by a customer may count as one. This is not remembered for other files.",
  );
  await take(id, { mapping: without });
  const name = "Maren Olsen";
  const { statement } = await read(cashAppFile({ name, status: "PENDING" }, { name, currency: "EUR" }));
  expect([statement.payments.certain.count, statement.skipped]).toMatchObject([
    0,
    { "not completed": 1, "another currency": 1 },
  ]);
});

test("lines that cannot be read are named by their number in the file, and the others are read", async () => {
  const [first = "", second = ""] = cashAppFile({ note: "over\ntwo lines" }).split(/(?<=")\n(?=")/);
  const text = [
    first,
    second,
    '"closed"too early,2026-11-03',
    "too,few",
    "",
    cashApp({ at: "no date" }),
    cashApp({ status: "Sideways" }),
    cashApp({ note: "=HYPERLINK(1)\u202e\u0007ünï" }),
    `"a"${',"b"'.repeat(300)}`,
    cashApp({ id: "twice" }),
    cashApp({ id: "twice", amount: "$30.00" }),
    cashApp({ note: "x".repeat(9_000) }),
    cashApp({ note: "y".repeat(11_000) }),
    // Text in quotes is no line, however long it is.
    cashApp({ note: `${"y".repeat(11_000)}\n${cashApp({ note: "forged" }).replaceAll('"', "")}\n` }),
    `plain,${"z".repeat(11_000)}`,
    `${"a,".repeat(201)}"quoted\n${cashApp({ note: "forged" }).replaceAll('"', "")}\n"`,
    cashApp({ name: "The last" }),
    `"never closed\n${cashApp({ note: "forged" }).replaceAll('"', "")}`,
  ].join("\n");
  const { id, statement } = await read(text);
  expect(await refusalsOf(id)).toEqual([
    { line: 4, why: "Something follows the end of a quote" },
    { line: 5, why: "It has 2 columns only" },
    { line: 7, why: "“no date” is no date" },
    { line: 8, why: "“Sideways” is no status that is known" },
    { line: 10, why: "It has more than 200 columns" },
    { line: 14, why: "It has a field of more than 10,000 characters" },
    { line: 15, why: "It has a field of more than 10,000 characters, up to line 17" },
    { line: 18, why: "It has a field of more than 10,000 characters" },
    { line: 19, why: "It has more than 200 columns, up to line 21" },
    { line: 23, why: "A quote is opened and not closed, up to line 24" },
    { line: 12, why: "It has the same transaction id as line 11" },
  ]);
  expect(statement.refused).toBe(11);
  const lines = await linesOf(id);
  expect(lines.map(({ line }) => line)).toEqual([2, 9, 11, 13, 22]);
  expect(lines[0]?.note).toBe("over two lines");
  expect(lines[1]?.note).toBe("=HYPERLINK(1) ünï");
  expect(lines[3]?.note).toHaveLength(1000);
});

test("cells of any length and shape are answered, one after the other", async () => {
  const long = 1_500_000;
  const headings = [
    `Date,Amount,${"ﷺ".repeat(long / 3)}\n2026-11-11,5,x`,
    `Date,Amount,${"x".repeat(long)}\n2026-11-11,5,x`,
    `${",".repeat(long)}\n2026-11-11,5,x`,
    `"${"\n".repeat(long)}\n2026-11-11,5,x`,
  ];
  for (const text of headings) expect([200, 400]).toContain((await dropFile(text)).status);
  const file = [
    "Date,Amount,Status,Note,Other",
    `2026-11-11,5,Completed,${"@".repeat(1000)},x`,
    `2026-11-11,1${"-".repeat(9_000)}1,Completed,,x`,
    `2026-11-11,5,${"ﷺ".repeat(9_000)},,x`,
    `${"2026-11-11 ".repeat(900)},5,Completed,,${"a@".repeat(4_500)}`,
    `2026-11-11,5,Completed,${".".repeat(9_000)},x`,
  ].join("\n");
  const { statement } = await read(file);
  expect(statement).toMatchObject({ lines: 5, refused: 3, payments: { none: { count: 2 } } });
});

test("what is no table is refused in words", async () => {
  const answer = async (content: Content) => {
    const { status, body } = await dropFile(content);
    return [status, body.message];
  };
  expect(await answer("just some words")).toEqual([400, expect.stringContaining("no table")]);
  expect(await answer(cashAppHeading)).toEqual([400, "There is no line below the headings"]);
  expect(await answer(Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, 1, 2]))).toEqual([415, "The file must be one of CSV"]);
  expect(await answer("%PDF-1.7")).toEqual([415, "The file must be one of CSV"]);
  expect(await answer("a,b\n".repeat(100_002))).toEqual([413, expect.stringContaining("at most 100,000 lines")]);
  expect(await answer("x,".repeat(6 * 1024 * 1024))).toEqual([413, "A file has at most 10 MB"]);
  expect((await call("staff", statements.drop, { body: {} })).status).toBe(400);
  expect(await db.select().from(schema.files)).toEqual([]);
  expect(await db.select().from(schema.statements)).toEqual([]);
});

test("what is ambiguous is never certain", async () => {
  const maren = await addCustomer({ username: "maren.olsen" });
  const lena = await addCustomer({ username: "lena.okafor" });
  const other = await addCustomer({ username: "lenaokafor" });
  const at = (time: string) => on(`2026-11-03T${time}`);
  // Two invoices for one payment, one invoice for two payments, and two customers with the same name.
  await addInvoice({ customer: maren, amount: 20, createdAt: at("10:00") });
  await addInvoice({ customer: maren, amount: 20, createdAt: at("11:00") });
  const one = await addInvoice({ customer: maren, amount: 30, createdAt: at("10:00") });
  await addInvoice({ customer: lena, amount: 40, createdAt: at("10:00") });
  await addInvoice({ customer: other, amount: 40, createdAt: at("10:00") });
  // Paid before the invoice was made, long after it, by another method; named twice, with another amount, by another
  // customer.
  await addInvoice({ customer: maren, amount: 50, createdAt: at("18:00") });
  await addInvoice({ customer: maren, amount: 60, createdAt: on("2026-10-20T10:00:00") });
  await addInvoice({ customer: maren, amount: 70, createdAt: at("10:00"), paymentMethod: "paypal" });
  const twice = await addInvoice({ customer: maren, amount: 80, createdAt: at("10:00") });
  const less = await addInvoice({ customer: maren, amount: 90, createdAt: at("10:00") });
  const theirs = await addInvoice({ customer: lena, amount: 95, createdAt: at("10:00") });
  const name = "Maren Olsen";
  const { id } = await read(
    cashAppFile(
      { amount: "$20.00", name },
      { amount: "$30.00", name },
      { amount: "$30.00", name },
      { amount: "$40.00", name: "Lena Okafor" },
      { amount: "$50.00", name },
      { amount: "$60.00", name },
      { amount: "$70.00", name },
      { amount: "$80.00", note: twice.id },
      { amount: "$80.00", note: twice.id.slice(-8) },
      { amount: "$91.00", note: less.id },
      { amount: "$95.00", note: theirs.id, name },
    ),
  );
  const lines = await linesOf(id);
  expect(lines.map(({ state, reason }) => [state, reason])).toEqual([
    ["likely", "The name is maren.olsen's, one of 2 invoices of $20.00, paid 3 hours later"],
    ["likely", "The name is maren.olsen's, paid 4 hours later"],
    ["none", ""],
    ["likely", expect.stringMatching(/^The name is lena.?okafor's/)],
    ["none", ""],
    ["likely", "The name is maren.olsen's, paid 14 days later"],
    ["none", ""],
    ["likely", "The note names the invoice, but so do other lines"],
    ["none", ""],
    ["unclear", "The note names the invoice, but that is $90.00"],
    ["likely", "The note names the invoice, but the payer is another"],
  ]);
  expect(lines[1]?.invoice?._id).toBe(one.id);
});

test("a payment for an invoice that was marked as paid by hand pays no other", async () => {
  const customer = await addCustomer({ username: "onceonly" });
  const createdAt = on("2026-11-03T14:00:00");
  const made = [];
  for (const amount of [38, 38, 39, 39, 41, 41]) made.push(await addInvoice({ customer, amount, createdAt }));
  const [named, , unnamed, , short] = made;
  for (const invoice of [named, unnamed, short])
    await call("staff", invoices.markPaid, { params: { id: invoice?.id ?? "" } });
  const { id } = await read(
    cashAppFile(
      { amount: "$38.00", name: "onceonly", note: named?.id ?? "" },
      { amount: "$39.00", name: "onceonly" },
      { amount: "$41.00", name: "onceonly", note: short?.id.slice(-6) ?? "" },
      { amount: "$500.00", note: named?.id ?? "" },
      // Of an unknown invoice.
      { amount: "$41.00", name: "onceonly", note: "0a1b2c3d" },
    ),
  );
  expect((await linesOf(id)).map(({ state, reason }) => [state, reason])).toEqual([
    ["unclear", "The note names an invoice that is paid already"],
    ["likely", "The name is onceonly's, one of 2 invoices of $39.00, paid 22 minutes later"],
    ["unclear", "The note names an invoice that is paid already"],
    ["none", "The note names an invoice that is paid already"],
    ["none", ""],
  ]);
});

test.for(["Sent", "Sent P2P", "Debit", "Outgoing", "Payment to Maren", "Gesendet", "Inviato", "Wysłano"])(
  "money that went out is no payment where the amount has no sign: %s",
  async (type) => {
    const invoice = await addInvoice({ amount: 22.8, createdAt: on("2026-11-03T13:00:00") });
    const { id, statement } = await read(cashAppFile({ type, amount: "$22.80", note: `invoice ${invoice.id}` }));
    expect(statement.skipped).toMatchObject({ outgoing: 1 });
    expect(await linesOf(id)).toEqual([]);
  },
);

test("money that came in is a payment, however its type says so", async () => {
  for (const [place, type] of [
    "Received P2P",
    "Debit Card Payment",
    "Mobile Payment Received",
    "Credit",
    "",
  ].entries()) {
    const invoice = await addInvoice({ amount: 20 + place, createdAt: on("2026-11-03T13:00:00") });
    const { id } = await read(cashAppFile({ type, amount: `$${20 + place}.00`, note: `invoice ${invoice.id}` }));
    expect(await linesOf(id), type).toMatchObject([{ state: "certain", invoice: { _id: invoice.id } }]);
  }
});

test("money sent back without a sign reverses what the same payer paid before", async () => {
  const maren = await addCustomer({ username: "maren.olsen" });
  await addInvoice({ customer: maren, amount: 20, createdAt: on("2026-11-03T13:00:00") });
  const { id } = await read(
    cashAppFile(
      { name: "Maren Olsen", amount: "$20.00" },
      { name: "Maren Olsen", amount: "$20.00", type: "Sent P2P", at: "2026-11-04 09:00:00 UTC" },
    ),
  );
  expect(await linesOf(id)).toMatchObject([{ line: 2, state: "unclear" }]);
});

test("a note that may name another invoice makes no payment certain", async () => {
  const customer = await addCustomer({ username: "maren.olsen", discordId: "612345678" });
  const createdAt = on("2026-11-03T14:00:00");
  for (const amount of [21, 22]) await addInvoice({ customer, amount, createdAt });
  const { id } = await read(
    cashAppFile(
      { amount: "$21.00", name: "Maren Olsen", note: "invoice 0a1b2c3d" },
      { amount: "$22.00", name: "Maren Olsen", note: "612345678" },
    ),
  );
  expect(await linesOf(id)).toMatchObject([
    {
      state: "likely",
      reason: "The name is maren.olsen's, but the note may name another invoice, paid 22 minutes later",
    },
    { state: "certain" },
  ]);
});

test("a name that a customer chose is not certain where others owe the same, or where the payer may be another", async () => {
  const createdAt = on("2026-11-03T14:00:00");
  const owes = async (amount: number, ...given: Parameters<typeof addCustomer>) => {
    const customer = await addCustomer(...given);
    return addInvoice({ customer, amount, createdAt });
  };
  await owes(50, { username: "shipper99" });
  await owes(50, { username: "JohnSmith" });
  await owes(60, { username: "labels." });
  await owes(60, { username: "victimb" });
  // Customers without an invoice may be meant too.
  await addCustomer({ username: "annabell", email: "anna@example.com", discordId: "100000005" });
  for (const amount of [70, 71, 72, 73]) await owes(amount, { username: `Anna Bell Corp ${amount}` });
  await addCustomer({ username: "peter.known" });
  const theirs = await owes(80, { username: "mallory8" });
  await owes(90, { username: "payer.one", email: "one@example.com" });
  await owes(90, { username: "payer.two" });
  const paid = await owes(95, { username: "settled" });
  await call("staff", invoices.markPaid, { params: { id: paid.id } });
  await owes(95, { username: "Jane Doe" });
  const { id } = await read(
    cashAppFile(
      { amount: "$50.00", name: "John Smith" },
      { amount: "$60.00", name: "Vic Tim", note: "Thanks for the labels." },
      { amount: "$70.00", name: "Anna Bell Corp 70", note: "discord 100000005" },
      { amount: "$71.00", name: "Anna Bell Corp 71", note: "from Anna@example.com" },
      { amount: "$72.00", name: "Anna Bell Corp 72", note: "for peter.known." },
      { amount: "$73.00", name: "Anna Bell Corp 73" },
      { amount: "$80.00", name: "Peter Known", note: theirs.id.slice(-6) },
      { amount: "$95.00", name: "Jane Doe" },
    ),
  );
  expect((await linesOf(id)).map(({ state, reason }) => [state, reason])).toEqual([
    ["likely", "The name is JohnSmith's, but others have invoices of $50.00 too, paid 22 minutes later"],
    ["likely", "The name is like labels.'s, paid 22 minutes later"],
    ["likely", "The name is Anna Bell Corp 70's, but it may be another customer, paid 22 minutes later"],
    ["likely", expect.stringContaining("but it may be another customer")],
    ["likely", expect.stringContaining("but it may be another customer")],
    ["certain", "The name is Anna Bell Corp 73's, paid 22 minutes later"],
    ["likely", "The note names the invoice, but the payer is another"],
    ["likely", "The name is Jane Doe's, but others have invoices of $95.00 too, paid 22 minutes later"],
  ]);

  // A shop said whose an e-mail is; if somebody else owes the same, that is not enough either.
  await db.update(schema.invoices).set({ paymentMethod: "paypal" });
  const paypal = await read(
    ["Date,Amount,From Email Address,Name", "2026-11-03 14:22:11 UTC,$90.00,one@example.com,Somebody"].join("\n"),
  );
  expect(await linesOf(paypal.id)).toMatchObject([
    {
      state: "likely",
      invoice: { user: { username: "payer.one" } },
      reason: "The e-mail is payer.one's, but others have invoices of $90.00 too, paid 22 minutes later",
    },
  ]);
});

test("a note that names an invoice by its end makes lines of other amounts and statements doubtful, whichever comes first", async () => {
  const createdAt = on("2026-11-03T14:00:00");
  for (const [place, amount] of [20, 40].entries()) {
    const customer = await addCustomer({ username: `quay.no${place}` });
    const invoice = await addInvoice({ customer, amount, createdAt });
    const plain = cashAppFile({ name: customer.username, amount: `$${amount}.00` });
    const naming = cashAppFile({ name: "A Stranger", amount: `$${amount + 13}.00`, note: invoice.id.slice(-6) });
    const files = place === 0 ? [plain, naming] : [naming, plain];
    const ids: string[] = [];
    for (const file of files) ids.push((await read(file)).id);
    const [byName, byNote] = place === 0 ? ids : ids.toReversed();
    expect(await linesOf(byName ?? "")).toMatchObject([{ state: "none" }]);
    expect(await linesOf(byNote ?? "")).toMatchObject([
      { state: "unclear", reason: `The note names the invoice, but that is $${amount}.00` },
    ]);
  }
});

test("a payer who has paid for a customer before is recognised, until that payment is reversed", async () => {
  const customer = await addCustomer({ username: "wharf" });
  const paid = await addInvoice({ customer, amount: 20, createdAt: on("2026-11-03T10:00:00") });
  const { id } = await read(cashAppFile({ name: "Tobias Brandt" }));
  const [line] = await linesOf(id);
  expect(line?.state).toBe("likely");
  await call("staff", statements.pay, { params: { id: line?._id ?? "" }, body: { invoice: paid.id } });

  await addInvoice({ customer, amount: 25, createdAt: on("2026-11-04T10:00:00") });
  const next = await read(cashAppFile({ name: "TOBIAS BRANDT", amount: "$25.00", at: "2026-11-04 11:00:00 UTC" }));
  expect(await linesOf(next.id)).toMatchObject([
    {
      state: "certain",
      invoice: { user: { username: "wharf" } },
      reason: "The payer has paid for wharf before, paid 60 minutes later",
    },
  ]);

  // Anybody can choose that name.
  const other = await addInvoice({ amount: 25, createdAt: on("2026-11-04T10:30:00") });
  await call("staff", statements.match, { params: { id: next.id } });
  expect(await linesOf(next.id)).toMatchObject([
    {
      state: "likely",
      reason: "The payer has paid for wharf before, but others have invoices of $25.00 too, paid 60 minutes later",
    },
  ]);
  await call("staff", invoices.markPaid, { params: { id: other.id } });

  const [deposit] = await db.select().from(schema.transfers).where(eq(schema.transfers.reference, paid.id));
  await call("admin", transfers.reverse, { params: { id: deposit?.id ?? "" }, body: { reason: "Not theirs" } });
  await call("staff", statements.match, { params: { id: next.id } });
  expect(await linesOf(next.id)).toMatchObject([{ state: "unclear" }]);
});

onBothEngines(
  "two who drop one file at once get one statement, and two who read and pay it at once pay each invoice once",
  async () => {
    const customer = await addCustomer({ username: "maren.olsen" });
    const made = [];
    for (let number = 0; number < 6; number++)
      made.push(await addInvoice({ customer, amount: 10 + number, createdAt: on("2026-11-03T10:00:00") }));
    const file = cashAppFile(...made.map((_, number) => ({ name: "Maren Olsen", amount: `$${10 + number}.00` })));
    const dropped = await Promise.all((["staff", "admin"] as const).map((as) => dropFile(file, { as })));
    const [id = "", ...others] = new Set(dropped.map(({ body }) => body.statement._id));
    expect(others).toEqual([]);
    expect(dropped.map(({ body }) => body.isKnown).sort()).toEqual([false, true]);
    await Promise.all((["staff", "admin"] as const).map((as) => take(id, { as })));
    const ids = (await linesOf(id, { state: "certain" })).map(({ _id }) => _id);
    expect(ids).toHaveLength(6);
    const paid = await Promise.all(
      (["staff", "admin"] as const).map((as) => call(as, statements.payCertain, { body: { ids } })),
    );
    const outcomes = paid.flatMap(({ body }) => body.outcomes);
    expect(outcomes.filter(({ done }) => done)).toHaveLength(6);
    expect(new Set(outcomes.filter(({ done }) => !done).map(({ message }) => message))).toEqual(
      new Set(["This line has paid an invoice already"]),
    );
    expect(await balanceOf(customer)).toBe(75);
    expect((await checkBooks(db)).problems).toEqual([]);
  },
);

onBothEngines("ten who pay with one line at once, for ten invoices: one of these is paid", async () => {
  const customer = await addCustomer();
  const open = [];
  for (let number = 0; number < 10; number++) open.push(await addInvoice({ customer, amount: 20 }));
  const { id } = await read(cashAppFile({ name: "Maren" }));
  const [line] = await linesOf(id);
  const answers = await Promise.all(
    open.map((invoice) =>
      call("staff", statements.pay, { params: { id: line?._id ?? "" }, body: { invoice: invoice.id } }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  expect(await balanceOf(customer)).toBe(20);
});

test("a payment is used once, whatever other file it comes in", async () => {
  const same = { id: "X1", name: "Maren", note: "labels" };
  const first = await read(cashAppFile(same, { id: "X2", name: "Lena" }));
  const overlapping = await read(cashAppFile(same, { id: "X3", name: "Tobias" }));
  expect(overlapping.statement).toMatchObject({ lines: 2, known: 1, payments: { none: { count: 1 } } });

  // The same days without ids: two lines with the same content are two payments.
  const plain = (...names: string[]) =>
    [
      "Date,Amount,Currency,Name of sender/receiver,Notes",
      ...names.map((name) => `2026-11-03 14:22:11 UTC,$20.00,USD,${name}`),
    ].join("\n");
  const unnamed = await read(plain("Maren,labels", "Twin,", "Twin,"));
  expect(unnamed.statement).toMatchObject({ known: 1, payments: { none: { count: 2 } } });
  const again = await read(plain("Twin,", "Twin,", "Twin,"));
  expect(again.statement).toMatchObject({ known: 2, payments: { none: { count: 1 } } });
  const named = await read(cashAppFile({ name: "Twin" }, { name: "Twin" }, { name: "Twin" }, { name: "Twin" }));
  expect(named.statement).toMatchObject({ known: 3, payments: { none: { count: 1 } } });
  expect(await linesOf(first.id)).toHaveLength(2);
});

test("a payment is used once, whatever its file is said to be, and others are not offered that", async () => {
  const file = cashAppFile({ id: "X1", name: "Maren" }, { id: "X2", name: "Lena" });
  const first = await drop(file);
  const { mapping } = await columnsOf(first);
  await take(first);
  const second = await drop(`${file}\n`);
  const statement = await take(second, { mapping: { ...mapping, source: "paypal" } });
  expect(statement).toMatchObject({ source: "paypal", known: 2, payments: { none: { count: 0 } } });
  expect((await columnsOf(await drop(`${file}\n\n`))).mapping.source).toBe("cashapp");
});

test("a line that nearly equals one of another statement, without ids, is not certain", async () => {
  const customer = await addCustomer({ username: "double.dave" });
  const createdAt = on("2026-11-03T14:00:00");
  const [one] = [
    await addInvoice({ customer, amount: 33, createdAt }),
    await addInvoice({ customer, amount: 33, createdAt }),
  ];
  const { id } = await read(cashAppFile({ id: "D1", amount: "$33.00", name: "Double Dave", note: one.id }), {
    name: "first.csv",
  });
  const ids = (await linesOf(id)).map(({ _id }) => _id);
  expect((await call("staff", statements.payCertain, { body: { ids } })).body.message).toBe("1 of 1 marked as paid");
  const plain = (at: string) => `Date,Amount,Currency,Name of sender/receiver\n${at},$33.00,USD,Double Dave`;
  for (const at of ["2026-11-03 14:22:11 UTC", "2026-11-03", "2026-11-03 14:22", "2026-11-03 16:22:11 UTC"]) {
    const { id: next, statement } = await read(plain(at));
    expect(statement.known).toBe(0);
    expect(await linesOf(next)).toMatchObject([
      {
        state: "likely",
        reason: expect.stringContaining("but line 2 of first.csv says nearly the same and has paid an invoice"),
      },
    ]);
    expect((await call("staff", statements.remove, { params: { id: next } })).status).toBe(200);
  }
  const other = await read(plain("2026-11-03 15:01:11 UTC"));
  expect(await linesOf(other.id)).toMatchObject([{ state: "certain" }]);
});

test("a likely line says that another statement may already contain it, and that it has paid", async () => {
  const [one, other] = [await addCustomer({ username: "paid.paula" }), await addCustomer({ username: "owing.olga" })];
  const createdAt = on("2026-11-03T14:00:00");
  const invoice = await addInvoice({ customer: one, amount: 36, createdAt });
  const { id } = await read(cashAppFile({ id: "L1", amount: "$36.00", name: "A Payer", note: invoice.id }), {
    name: "first.csv",
  });
  const ids = (await linesOf(id)).map(({ _id }) => _id);
  expect((await call("staff", statements.payCertain, { body: { ids } })).body.message).toBe("1 of 1 marked as paid");
  await addInvoice({ customer: other, amount: 36, createdAt });
  const again = await read("Date,Amount,Currency,Name of sender/receiver\n2026-11-03,$36.00,USD,");
  expect(await linesOf(again.id)).toMatchObject([
    {
      state: "likely",
      reason: expect.stringContaining("but line 2 of first.csv says nearly the same and has paid an invoice"),
    },
  ]);
});

test("a payment is the same, however a second file writes its transaction id", async () => {
  const customer = await addCustomer({ username: "double.dora" });
  const createdAt = on("2026-11-03T14:00:00");
  for (const _ of [1, 2]) await addInvoice({ customer, amount: 34, createdAt });
  const line = { amount: "$34.00", name: "Double Dora" };
  await read(cashAppFile({ ...line, id: "Ab12Cd34" }));
  const written = [
    "AB12CD34",
    "ab12cd34",
    "'Ab12Cd34",
    "#Ab12Cd34",
    " Ab12 Cd34\u00a0",
    "Ab12\u200bCd34",
    '="Ab12Cd34"',
  ];
  for (const id of written) {
    const { statement } = await read(cashAppFile({ ...line, id }, { name: id }));
    expect([id, statement.known]).toEqual([id, 1]);
  }
  // Twice in one file is one payment too.
  const { id, statement } = await read(cashAppFile({ ...line, id: "Ef56" }, { ...line, id: "#EF56" }));
  expect(statement.refused).toBe(1);
  expect(await refusalsOf(id)).toEqual([{ line: 3, why: "It has the same transaction id as line 2" }]);
});

test("a payment that another statement has under another id, or under a number of a spreadsheet, is not certain", async () => {
  const customer = await addCustomer({ username: "double.dirk" });
  const createdAt = on("2026-11-03T14:00:00");
  const [one, two] = [
    await addInvoice({ customer, amount: 35, createdAt }),
    await addInvoice({ customer, amount: 35, createdAt }),
  ];
  const line = { amount: "$35.00", name: "Double Dirk" };
  const first = await read(cashAppFile({ ...line, id: "98765432101234567", note: one.id }), { name: "first.csv" });
  const ids = (await linesOf(first.id)).map(({ _id }) => _id);
  expect((await call("staff", statements.payCertain, { body: { ids } })).body.message).toBe("1 of 1 marked as paid");
  const doubt = "but line 2 of first.csv says nearly the same and has paid an invoice";
  const others: Paid[] = [
    { id: "RECEIPT1", note: two.id },
    { id: "RECEIPT2" },
    { id: "RECEIPT3", at: "2026-11-03 16:22:11 UTC" },
    { id: "RECEIPT4", name: "", note: two.id },
    { id: "9.87654E+16", note: two.id },
    { id: "9,87654E+16" },
  ];
  for (const other of others) {
    const { id } = await read(cashAppFile({ ...line, ...other }));
    expect([other.id, await linesOf(id)]).toMatchObject([
      other.id,
      [{ state: "likely", reason: expect.stringContaining(doubt) }],
    ]);
    expect((await call("staff", statements.remove, { params: { id } })).status).toBe(200);
  }
  // With another payer or time it is another payment.
  const stranger = await read(cashAppFile({ ...line, name: "Somebody Else", note: two.id }));
  expect(await linesOf(stranger.id)).toMatchObject([{ state: "certain" }]);
  await call("staff", statements.remove, { params: { id: stranger.id } });
  const later = await read(cashAppFile({ ...line, at: "2026-11-03 15:01:11 UTC" }));
  expect(await linesOf(later.id)).toMatchObject([{ state: "certain" }]);
});

test("a payment that was reversed is not certain, wherever that is told", async () => {
  const customer = await addCustomer({ username: "charly", email: "charly@example.com" });
  const owes = (amount: number) =>
    addInvoice({ customer, amount, paymentMethod: "paypal", createdAt: on("2026-11-03T10:00:00") });
  for (const amount of [45, 46, 47, 48]) await owes(amount);
  const heading =
    "Date,Time,TimeZone,Name,Type,Status,Currency,Gross,From Email Address,Transaction ID,Reference Txn ID";
  const line = (time: string, type: string, gross: string, id: string, reference = "") =>
    `11/03/2026,${time},UTC,Charly,${type},Completed,USD,${gross},${gross.startsWith("-") ? "me" : "charly"}@example.com,${id},${reference}`;
  const { id } = await read(
    [
      heading,
      // Newest first, as PayPal writes; without the payment's id; and lines that are no reversals.
      line("15:00:00", "Payment Reversal", "-45.00", "P2", "P1"),
      line("12:00:00", "Website Payment", "45.00", "P1"),
      line("12:00:00", "Website Payment", "46.00", "P3"),
      line("13:00:00", "Payment Refund", "-46.00", "P4"),
      line("12:00:00", "Website Payment", "47.00", "P5"),
      line("13:00:00", "General Currency Conversion", "-47.00", "P6", "P5"),
      line("12:00:00", "Website Payment", "48.00", "P7"),
      line("11:00:00", "Payment Refund", "-48.00", "P8"),
    ].join("\n"),
  );
  const told = async () => (await linesOf(id)).map(({ state, reason }) => [state, reason]);
  expect(await told()).toEqual([
    ["unclear", "Reversed in line 2"],
    ["unclear", "Reversed in line 5"],
    ["certain", "The e-mail is charly's, paid 2 hours later"],
    ["certain", "The e-mail is charly's, paid 2 hours later"],
  ]);

  await read([heading, line("16:00:00", "Payment Reversal", "-47.00", "P9", "P5")].join("\n"), { name: "later.csv" });
  expect((await told())[2]).toEqual(["unclear", "Reversed in line 2 of later.csv"]);
});

test("a payment that the payment app calls refunded is not certain, whichever file comes first", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  for (const amount of [20, 21, 22, 23, 24])
    await addInvoice({ customer, amount, createdAt: on("2026-11-03T13:00:00") });
  const paid = (number: number, more: Paid = {}): Paid => ({
    ...{ name: "Maren Olsen", id: `R${number}`, amount: `$2${number}.00`, ...more },
  });
  const status = "PAYMENT REFUNDED";
  const told = async (id: string) => (await linesOf(id)).map(({ line, state, reason }) => [line, state, reason]);

  // In the same file, in a later one, and a payment that is only pending.
  const monday = await read(cashAppFile(paid(0), paid(0, { status }), paid(1), paid(2), paid(3, { id: "" }), paid(4)), {
    name: "monday.csv",
  });
  expect((await told(monday.id)).map(([line, state]) => [line, state])).toEqual([
    [2, "unclear"],
    [4, "certain"],
    [5, "certain"],
    [6, "certain"],
    [7, "certain"],
  ]);
  await read(
    cashAppFile(paid(1, { id: "r1", status }), paid(2, { status: "PENDING" }), paid(3, { id: "", status: "Reversed" })),
    { name: "tuesday.csv" },
  );
  const certain = "The name is maren.olsen's, paid 82 minutes later";
  expect(await told(monday.id)).toEqual([
    [2, "unclear", "Reversed in line 3"],
    [4, "unclear", "Reversed in line 2 of tuesday.csv"],
    [5, "certain", certain],
    [6, "unclear", "Reversed in line 4 of tuesday.csv"],
    [7, "certain", certain],
  ]);

  // The file with the reversal first, and an older file read later.
  await call("staff", statements.remove, { params: { id: monday.id } });
  const again = await read(cashAppFile(paid(1), paid(2), paid(3)), { name: "monday again.csv" });
  expect((await told(again.id)).map(([, state, reason]) => [state, reason])).toEqual([
    ["unclear", "Reversed in line 2 of tuesday.csv"],
    ["certain", certain],
    // One of the two has no id, and their contents are equal.
    ["unclear", "Reversed in line 4 of tuesday.csv"],
  ]);
  const ids = (await linesOf(again.id)).map(({ _id }) => _id);
  expect((await call("staff", statements.payCertain, { body: { ids } })).body.message).toBe("1 of 3 marked as paid");
});

test("a payment that is reversed after it was credited is on record, shown, and on the dashboard until that is undone", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  await addInvoice({ customer, amount: 20, createdAt: on("2026-11-03T13:00:00") });
  const { id } = await read(cashAppFile({ name: "Maren Olsen", id: "C1" }), { name: "monday.csv" });
  const [line] = await linesOf(id);
  await call("staff", statements.payCertain, { body: { ids: [line?._id ?? ""] } });
  const attention = async () => (await call("admin", dashboard.attention)).body.reversedPayments;
  expect([await attention(), (await linesOf(id))[0]?.reversed]).toEqual([null, null]);

  const back = cashAppFile({ name: "Maren Olsen", id: "C1", status: "PAYMENT REVERSED" });
  await read(back, { name: "tuesday.csv" });
  await read(`${back}\n`, { name: "again.csv" });
  expect(await linesOf(id)).toMatchObject([{ state: "paid", reversed: "line 2 of tuesday.csv" }]);
  expect(await attention()).toEqual({ count: 1, amount: 20, statement: id });
  const rows = (await logRows()).filter(({ action }) => action.includes("was reversed in"));
  expect(rows).toMatchObject([
    {
      admin: "staff",
      action:
        "The payment of $20.00 in line 2 of monday.csv, which was credited to maren.olsen, was reversed in line 2 of tuesday.csv",
    },
  ]);

  const transfer = (await linesOf(id))[0]?.done?.transfer ?? "";
  await call("admin", transfers.reverse, { params: { id: transfer }, body: { reason: "Charged back" } });
  expect(await attention()).toBeNull();
});

test("a payment that was reversed while it waits for approval is not credited", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  await addInvoice({ customer, amount: 30, createdAt: on("2026-11-03T13:00:00") });
  const { id } = await read(cashAppFile({ name: "Maren Olsen", id: "W1", amount: "$30.00" }));
  await call("admin", website.updateLimits, { body: { staffCredit: 20, approvals: true } });
  const ids = (await linesOf(id)).map(({ _id }) => _id);
  const { body } = await call("staff", statements.payCertain, { body: { ids } });
  const back = { name: "Maren Olsen", id: "W1", amount: "$30.00", status: "PAYMENT REFUNDED" };
  await read(cashAppFile(back), { name: "tuesday.csv" });
  const request = { id: body.outcomes[0]?.request ?? "" };
  const late = await call("admin", approvals.approve, { params: request, body: {} });
  expect([late.status, late.body.message]).toEqual([
    409,
    "This cannot be done any more: The payment was reversed in line 2 of tuesday.csv",
  ]);
  expect(await balanceOf(customer)).toBe(0);
});

onBothEngines("files that hold the same payments, read at once by two, have each of them once", async () => {
  const shared = Array.from({ length: 1200 }, (_, number) => ({ id: `S${number}`, name: "Maren" }));
  const ids = [await drop(cashAppFile(...shared, { id: "one" })), await drop(cashAppFile({ id: "other" }, ...shared))];
  const read = await Promise.all(ids.map((id, place) => take(id, { as: place ? "staff" : "admin" })));
  expect(read.map(({ known, payments }) => known + payments.none.count)).toEqual([1201, 1201]);
  expect(await db.$count(schema.statementLines)).toBe(1202);
});

test("a line whose payment was reversed is used again only by who says why", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  const invoice = await addInvoice({ customer, amount: 20, createdAt: on("2026-11-03T10:00:00") });
  const file = cashAppFile({ name: "Maren Olsen", id: "R1" });
  const { id } = await read(file);
  const [line] = await linesOf(id);
  const params = { id: line?._id ?? "" };
  const pay = () => call("staff", statements.pay, { params, body: { invoice: invoice.id } });
  const reopen = (reason = "Paid the wrong one") => call("staff", statements.reopen, { params, body: { reason } });
  expect((await reopen()).body.message).toBe("This line is open");
  expect((await pay()).status).toBe(200);
  expect((await reopen()).body.message).toBe("This line has paid an invoice: reverse the deposit first");
  const { body } = await call("staff", invoices.read, { params: { id: invoice.id } });
  await call("admin", transfers.reverse, {
    params: { id: body.payments[0]?.transfer ?? "" },
    body: { reason: "Mistake" },
  });
  expect(await linesOf(id)).toMatchObject([{ state: "paid", done: { reversed: true } }]);
  expect((await pay()).body.message).toBe("This line has paid an invoice already");
  expect((await dropFile(file)).body.isKnown).toBe(true);
  expect((await reopen("")).status).toBe(400);
  expect((await reopen()).body.message).toBe("$20.00 is open again");
  expect((await logRows()).at(-1)).toMatchObject({
    action:
      "Opened line 2 of report.csv, transaction R1 ($20.00) again, whose payment was reversed: Paid the wrong one",
  });
  expect((await pay()).status).toBe(200);
  expect(await balanceOf(customer)).toBe(20);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a staff account pays within its limits, and the answer says what was refused", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  for (const amount of [10, 30]) await addInvoice({ customer, amount, createdAt: on("2026-11-03T10:00:00") });
  const { id } = await read(
    cashAppFile({ name: "Maren Olsen", amount: "$10.00" }, { name: "Maren Olsen", amount: "$30.00" }),
  );
  await call("admin", website.updateLimits, { body: { staffCredit: 20 } });
  const ids = (await linesOf(id)).map(({ _id }) => _id);
  const { body } = await call("staff", statements.payCertain, { body: { ids } });
  expect(body.outcomes.map(({ done, message }) => [done, message])).toEqual([
    [true, "$10.00 credited to maren.olsen"],
    [false, "You may credit at most $20.00 at once: ask an administrator to credit $30.00"],
  ]);
  expect(await linesOf(id)).toMatchObject([{ state: "paid" }, { state: "certain" }]);
  expect((await call("admin", statements.payCertain, { body: { ids } })).body.message).toBe("1 of 2 marked as paid");
});

test("a payment above a limit waits with its line, which is used once on approval", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  const createdAt = on("2026-11-03T10:00:00");
  const [first, second] = [
    await addInvoice({ customer, amount: 30, createdAt }),
    await addInvoice({ customer, amount: 40, createdAt }),
  ];
  const other = await addInvoice({ amount: 30, paymentMethod: "paypal", createdAt });
  const { id } = await read(
    cashAppFile({ name: "Maren Olsen", amount: "$30.00", id: "M1" }, { name: "Maren Olsen", amount: "$40.00" }),
    { name: "march.csv" },
  );
  const [one, two] = (await linesOf(id)).map(({ _id }) => _id) as [string, string];
  await call("admin", website.updateLimits, { body: { staffCredit: 20, approvals: true } });
  const pay = (line: string, invoice: { id: string }, as: Caller = "staff") =>
    call(as, statements.pay, { params: { id: line }, body: { invoice: invoice.id } });

  // Certain matches need no reason: the line is one.
  const { body } = await call("staff", statements.payCertain, { body: { ids: [one] } });
  expect(body.message).toBe("0 of 1 marked as paid, 1 sent for approval");
  const request = body.outcomes[0]?.request ?? "";
  expect((await call("admin", approvals.read, { params: { id: request } })).body.approval).toMatchObject({
    act: "deposit",
    amount: 30,
    status: "waiting",
    for: { kind: "invoice", _id: first.id },
    reason: "Paid by line 2 of march.csv, transaction M1",
  });
  expect(await linesOf(id)).toMatchObject([{ state: "certain", asked: { request } }, { asked: null }]);
  const again = await pay(one, first);
  expect([again.status, again.body.request?._id]).toEqual([202, request]);
  expect((await pay(one, other)).status).toBe(409);
  const aside = await call("staff", statements.setAside, { body: { ids: [one], reason: "Grandmother" } });
  expect(aside.body.outcomes).toMatchObject([
    { done: false, message: expect.stringContaining("waits for an approval") },
  ]);

  const approve = (as: Caller = "admin") => call(as, approvals.approve, { params: { id: request }, body: {} });
  expect((await Promise.all([approve(), approve()])).map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await balanceOf(customer)).toBe(30);
  expect(await linesOf(id)).toMatchObject([{ state: "paid", invoice: { _id: first.id }, asked: null }, {}]);
  expect((await pay(one, other, "admin")).status).toBe(409);

  // If the line was used meanwhile, the approval comes too late.
  const asked = await pay(two, second);
  expect(asked.status).toBe(202);
  expect((await pay(two, second, "admin")).status).toBe(200);
  const late = await call("admin", approvals.approve, { params: { id: asked.body.request?._id ?? "" }, body: {} });
  expect([late.status, late.body.message]).toEqual([
    409,
    "This cannot be done any more: This line has paid an invoice already",
  ]);
  expect(await balanceOf(customer)).toBe(70);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("lines that somebody has looked at are paid together, each with the invoice that was beside it", async () => {
  const createdAt = on("2026-11-03T14:00:00");
  const owes = async (username: string) =>
    addInvoice({ customer: await addCustomer({ username }), amount: 50, createdAt });
  const [one, two] = [await owes("payer.one"), await owes("payer.two")];
  const third = await addInvoice({ amount: 61, createdAt });
  const { id } = await read(
    cashAppFile(
      { name: "Payer One", amount: "$50.00" },
      { name: "Payer Two", amount: "$50.00" },
      { name: "A Stranger", amount: "$61.00" },
    ),
  );
  const lines = await linesOf(id);
  expect(lines.map(({ state }) => state)).toEqual(["likely", "likely", "likely"]);
  const pairs = lines.map(({ _id, invoice }) => ({ line: _id, invoice: invoice?._id ?? "" }));
  expect(pairs.map(({ invoice }) => invoice)).toEqual([one.id, two.id, third.id]);
  const pay = (wanted: typeof pairs) => call("staff", statements.payProposed, { body: { pairs: wanted } });
  expect((await pay([pairs[0], pairs[0]] as typeof pairs)).status).toBe(400);

  await db.update(schema.invoices).set({ status: "expired" }).where(eq(schema.invoices.id, third.id));
  const [, second = { line: "", invoice: "" }] = pairs;
  const swapped = await pay([{ line: second.line, invoice: one.id }]);
  expect(swapped.body.outcomes).toMatchObject([
    { done: false, message: "This line does not fit that invoice any more: look at it again" },
  ]);
  const { body } = await pay(pairs);
  expect(body.outcomes.map(({ done, message }) => [done, message])).toEqual([
    [true, "$50.00 credited to payer.one"],
    [true, "$50.00 credited to payer.two"],
    [false, "This invoice is expired meanwhile"],
  ]);
  expect(await linesOf(id)).toMatchObject([{ state: "paid" }, { state: "paid" }, { state: "likely" }]);
  expect((await pay(pairs.slice(0, 1))).body.outcomes).toMatchObject([
    { done: false, message: "This line has paid an invoice already" },
  ]);
});

test("a line that belongs to no invoice is set aside with a reason, and can be reopened", async () => {
  const { id } = await read(cashAppFile({ name: "Grandmother", id: "G1" }, { name: "Maren" }));
  const [line] = await linesOf(id);
  const ids = [line?._id ?? ""];
  expect((await call("staff", statements.setAside, { body: { ids, reason: " " } })).status).toBe(400);
  expect((await call("staff", statements.setAside, { body: { ids, reason: "A birthday" } })).body.message).toBe(
    "1 of 1 set aside",
  );
  expect((await logRows()).at(-1)?.action).toBe("Set aside line 2 of report.csv, transaction G1 ($20.00): A birthday");
  expect(await linesOf(id, { state: "aside" })).toMatchObject([{ reason: "A birthday", done: { by: "staff" } }]);
  expect(await linesOf(id, { state: "left" })).toMatchObject([{ name: "Maren" }]);
  const again = await call("staff", statements.setAside, { body: { ids, reason: "Again" } });
  expect(again.body.outcomes[0]?.message).toBe("staff has set this line aside already");
  expect((await call("staff", statements.payCertain, { body: { ids } })).body.outcomes[0]?.done).toBe(false);
  expect(
    (await call("staff", statements.reopen, { params: { id: ids[0] ?? "" }, body: { reason: "Hers" } })).status,
  ).toBe(200);
  expect((await linesOf(id)).map(({ state }) => state)).toEqual(["none", "none"]);
});

test("lines are found by what they say, one after another, and by their ids", async () => {
  const { id } = await read(
    cashAppFile(
      { name: "Ann 100%", at: "2026-11-05 10:00:00 UTC" },
      { note: "annual" },
      { id: "Q-ANN" },
      { name: "Bob" },
    ),
  );
  const all = await linesOf(id);
  const found = async (query: object) => (await linesOf(id, query)).map(({ line }) => line);
  expect(await found({ search: "ann" })).toEqual([2, 3, 4]);
  expect(await found({ search: "0%" })).toEqual([2]);
  expect(await found({ after: 3 })).toEqual([4, 5]);
  expect(await found({ ids: `${all[3]?._id},${all[0]?._id}` })).toEqual([2, 5]);
  const inTime = async (sort: "asc" | "des") =>
    (await call("staff", statements.lines, { params: { id }, query: { sort } })).body.lines.map(({ line }) => line);
  expect((await inTime("asc")).at(-1)).toBe(2);
  expect((await inTime("des"))[0]).toBe(2);
  expect((await call("staff", statements.lines, { params: { id: uuidv7() } })).status).toBe(404);
});

test("a statement is removed by who dropped it or an administrator, unless it has paid something", async () => {
  const customer = await addCustomer({ username: "maren.olsen" });
  const invoice = await addInvoice({ customer, amount: 20, createdAt: on("2026-11-03T10:00:00") });
  const file = cashAppFile({ name: "Maren Olsen" });
  const { id } = await read(file, { as: "admin" });
  const remove = (as: Caller, id: string) => call(as, statements.remove, { params: { id } });
  expect((await remove("staff", id)).body.message).toBe(
    "admin has dropped this statement: only they or an administrator can remove it",
  );
  expect((await remove("admin", id)).body.message).toBe("report.csv removed");
  expect(await db.select().from(schema.statementLines)).toEqual([]);

  const again = await read(file);
  const [line] = await linesOf(again.id);
  await call("staff", statements.pay, { params: { id: line?._id ?? "" }, body: { invoice: invoice.id } });
  expect((await remove("admin", again.id)).body.message).toBe("Lines of this statement have paid invoices: it stays");

  // A later statement counted it as known, so it would be nowhere.
  const shared = { id: "K1", name: "Lena" };
  const relied = await read(cashAppFile(shared));
  const later = await read(cashAppFile(shared, { name: "Tobias" }), { name: "later.csv" });
  expect((await remove("staff", relied.id)).body.message).toBe(
    "later.csv has lines of this statement, which count here: remove later.csv first",
  );
  expect((await remove("staff", later.id)).status).toBe(200);
  expect((await remove("staff", relied.id)).status).toBe(200);

  const unread = await drop(cashAppFile({ name: "Lena" }));
  expect((await remove("staff", unread)).status).toBe(200);
  expect(await db.select().from(schema.files)).toEqual([]);
});

test("a statement is removed as a whole or stays as a whole, whoever pays with a line meanwhile", async () => {
  for (let round = 0; round < 8; round++) {
    const invoice = await addInvoice({ amount: 20, createdAt: on("2026-11-03T10:00:00") });
    const { id } = await read(cashAppFile({ name: "Maren" }, { name: "Lena" }, { name: "Tobias" }), { as: "admin" });
    const [line] = await linesOf(id);
    const [paid, removed] = await Promise.all([
      call("staff", statements.pay, { params: { id: line?._id ?? "" }, body: { invoice: invoice.id } }),
      call("admin", statements.remove, { params: { id } }),
    ]);
    const left = await db.$count(schema.statementLines, eq(schema.statementLines.statementId, id));
    expect([paid.status, removed.status, left]).toEqual(paid.status === 200 ? [200, 409, 3] : [404, 200, 0]);
  }
});

test("payers' names are forgotten after 400 days, and files that nobody confirmed after a week; payments stay used", async () => {
  const file = cashAppFile({ name: "Maren Olsen", note: "labels" });
  const { id } = await read(file);
  await drop(cashAppFile({ name: "Lena" }));
  const begun = await drop(cashAppFile({ name: "Tobias" }));
  const [known] = await db.select().from(schema.statements).where(eq(schema.statements.id, id));
  await db
    .update(schema.statements)
    .set({ state: "reading", mapping: known?.mapping })
    .where(eq(schema.statements.id, begun));
  const before = new Date(Date.now() - 401 * 86_400_000);
  await db.update(schema.statementLines).set({ createdAt: before });
  await db.update(schema.statements).set({ createdAt: before });
  await forgetPayers(db);
  expect(await linesOf(id)).toMatchObject([{ name: "", note: "", amount: 20 }]);
  const { id: ids, state } = schema.statements;
  expect(await db.select({ id: ids, state }).from(schema.statements).orderBy(ids)).toEqual([
    { id, state: "ready" },
    { id: begun, state: "ready" },
  ]);
  expect(await db.$count(schema.files)).toBe(0);
  expect((await dropFile(file)).body.isKnown).toBe(true);
});

test("statements are listed newest first, with what became of their lines", async () => {
  const first = await read(cashAppFile({ name: "Maren" }), { name: "october.csv" });
  const second = await drop(cashAppFile({ name: "Lena" }), { name: "november.csv" });
  const { body } = await call("staff", statements.list, {});
  expect(body).toMatchObject({
    statements: [
      { _id: second, file: "november.csv", state: "new", source: null, lines: 1, read: 0 },
      { _id: first.id, file: "october.csv", state: "ready", payments: { none: { count: 1, sum: 20 } } },
    ],
    total: 2,
  });
});

test("a statement that a deleted account had begun can be read on, but not by that account", async () => {
  const account = await addAccount("leaver", "staff");
  const id = await drop(cashAppFile({ name: "Maren" }), { as: account });
  await db.delete(schema.sessions).where(eq(schema.sessions.accountId, account.id));
  await db.delete(schema.accounts).where(eq(schema.accounts.id, account.id));
  expect((await call(account, statements.take, { params: { id }, body: {} })).status).toBe(401);
  expect(await take(id)).toMatchObject({ state: "ready", by: { username: "leaver" } });
});

// The rules again, comparing each line with each invoice: proposeInvoices must find the same without that.
const hour = 3_600_000;
const dayLong = 24 * hour;
type Planted = { amount: number; at: number; note: string; who: string };
type Made = { id: string; amountCents: number; at: number; username: string; paymentMethod: string };

function certainByTheRules(paid: Planted[], open: Made[]): Map<number, string> {
  const inTime = (line: Planted, invoice: Made, days: number) =>
    invoice.at <= line.at + hour && invoice.at >= line.at - days * dayLong;
  const names = (line: Planted, { id, at }: Made) =>
    line.note !== "" && id.endsWith(line.note) && at <= line.at + hour && at >= line.at - 30 * dayLong;
  const knows = (line: Planted, { username }: Made) => line.who === username;
  const isEqual = (line: Planted, invoice: Made) =>
    Math.round(line.amount * 100) === invoice.amountCents && invoice.paymentMethod === "cashapp";
  const fits = (line: Planted, invoice: Made) =>
    knows(line, invoice) && isEqual(line, invoice) && inTime(line, invoice, 3);
  const certain = new Map<number, string>();
  for (const [place, line] of paid.entries()) {
    const named = open.filter((invoice) => names(line, invoice));
    const [only] = named;
    if (!only) continue;
    const others = paid.filter((other) => names(other, only));
    const isSomebodyElse = open.some((invoice) => knows(line, invoice)) && !knows(line, only);
    if (named.length === 1 && others.length === 1 && isEqual(line, only) && !isSomebodyElse)
      certain.set(place, only.id);
  }
  const byNote = new Set(certain.values());
  for (const [place, line] of paid.entries()) {
    // A note that names an invoice of other days may name an unknown one.
    if (open.some((invoice) => names(line, invoice)) || /\d/.test(line.note)) continue;
    const theirs = open.filter((invoice) => fits(line, invoice));
    const [invoice] = theirs;
    if (!invoice || theirs.length > 1) continue;
    if (paid.some((other) => names(other, invoice))) continue;
    const owed = open.filter((other) => isEqual(line, other) && inTime(line, other, 3) && !byNote.has(other.id));
    if (owed.some((other) => !knows(line, other))) continue;
    if (paid.filter((other) => fits(other, invoice)).length === 1) certain.set(place, invoice.id);
  }
  return certain;
}

onBothEngines(
  "the certain matches among many are those the rules give when every line is compared with every invoice",
  async () => {
    const start = Date.parse("2026-10-01T00:00:00Z");
    const people: { id: string; username: string }[] = [];
    for (let number = 0; number < 12; number++) people.push(await addCustomer({ username: `payer.no${number}` }));
    const amounts = [20, 20, 25, 30.5];
    const { between, pick, idAt } = seededRandom(43);
    const rows = Array.from({ length: 150 }, () => {
      const { id: customerId, username } = pick(people);
      const at = start + between(0, 480) * hour;
      const paymentMethod = pick(["cashapp", "cashapp", "cashapp", "paypal"] as const);
      return {
        id: idAt(at),
        customerId,
        username,
        amountCents: pick(amounts) * 100,
        paymentMethod,
        at,
        createdAt: new Date(at),
      };
    });
    await db.insert(schema.invoices).values(rows);
    const paid: Planted[] = Array.from({ length: 150 }, () => {
      const invoice = pick(rows);
      const at = invoice.at + between(0, 8640) * 60_000 - hour;
      const note = pick(["", "", "", invoice.id.slice(-6), pick(rows).id.slice(-8)]);
      const who = pick([invoice.username, invoice.username, pick(people).username, "A Stranger"]);
      return { at, note, who, amount: pick([invoice.amountCents / 100, invoice.amountCents / 100, pick(amounts)]) };
    });
    const { id } = await read(
      cashAppFile(
        ...paid.map(({ at, note, who, amount }) => ({
          at: new Date(at).toISOString(),
          note,
          name: who,
          amount: `$${amount.toFixed(2)}`,
        })),
      ),
    );
    const lines = await linesOf(id);
    const expected = certainByTheRules(paid, rows);
    const certain = lines.filter(({ state }) => state === "certain");
    expect(new Map(certain.map(({ line, invoice }) => [line - 2, invoice?._id]))).toEqual(expected);
    expect(expected.size).toBeGreaterThan(5);
    // No invoice is proposed twice, and all fit by amount or are named.
    const proposed = lines.flatMap(({ invoice }) => invoice?._id ?? []);
    expect(new Set(proposed).size).toBe(proposed.length);
    const odd = lines.filter(
      ({ invoice, amount, note }) => invoice && invoice.amount !== amount && !invoice._id.endsWith(note),
    );
    expect(odd).toEqual([]);
    // Nothing that fits by amount alone is left over while an invoice is free.
    const free = rows.filter(({ id, paymentMethod }) => paymentMethod === "cashapp" && !proposed.includes(id));
    const forgotten = lines.filter(
      ({ state, amount, at }) =>
        state === "none" &&
        free.some(
          (invoice) =>
            invoice.amountCents === Math.round(amount * 100) &&
            invoice.at <= Date.parse(at) + hour &&
            invoice.at >= Date.parse(at) - 30 * dayLong,
        ),
    );
    expect(forgotten).toEqual([]);
  },
);

test("a statement of thousands of lines is read and matched, and another call comes in between", async () => {
  const people = await db
    .insert(schema.customers)
    .values(
      Array.from({ length: 500 }, (_, number) => ({ username: `busy.payer${number}`, discordId: `9${number}00000` })),
    )
    .returning();
  const start = Date.parse("2026-10-01T00:00:00Z");
  const open = Array.from({ length: 1_000 }, (_, number) => ({
    customerId: people[number % 500]?.id ?? "",
    amountCents: 1_000 + number,
    paymentMethod: "cashapp" as const,
    createdAt: new Date(start + number * 60_000),
  }));
  await db.insert(schema.invoices).values(open);
  const paid = Array.from({ length: 4_000 }, (_, number) => ({
    at: new Date(start + (number % 1_000) * 60_000 + 30_000).toISOString(),
    name: number < 1_000 ? `Busy Payer${number % 500}` : "Somebody",
    amount: number < 1_000 ? `$${(10 + number / 100).toFixed(2)}` : "$7.77",
  }));

  const id = await drop(cashAppFile(...paid));

  const reading = take(id);
  const meanwhile = await call("admin", invoices.list, {});
  expect(meanwhile.status).toBe(200);
  expect(await reading).toMatchObject({
    lines: 4_000,
    read: 4_000,
    payments: { certain: { count: 1_000 }, none: { count: 3_000 } },
  });
}, 600_000); // Generous for a busy machine: only a hanging test is stopped.
