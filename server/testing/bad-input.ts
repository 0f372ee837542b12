import type { Endpoint } from "@footprint/contract/endpoint.ts";
import fc, { type Arbitrary } from "fast-check";
import type * as z from "zod";
import { boundary, pdf, png } from "./multipart.ts";
import { type Json, type Known, validInput } from "./valid-input.ts";

/** A request to a call that a failing test can print; `onTheWire` turns it into bytes. */
export type BadInput = {
  params: Record<string, string>;
  query: [name: string, value: string][];
  /** Raw text after the query. */
  tail: string;
  headers: Record<string, string>;
  body: Body | undefined;
};

type Body = { type: string | undefined; text: string } | Form;
type Form = { parts: Part[]; flaw: "none" | "no boundary" | "another boundary" | "no end" };
type Part = { head: string; content: string };

/** Valid input with up to three places spoiled, or something else entirely. */
export function badInput(call: Endpoint, known: Known): Arbitrary<BadInput> {
  return fc.record(
    {
      params: paramsOf(call, known),
      query: queryOf(call, known),
      tail: fc.oneof({ weight: 9, arbitrary: fc.constant("") }, fc.constantFrom(...queryTails)),
      headers: headersOf(call),
      body: call.method === "GET" ? fc.constant(undefined) : bodyOf(call, known),
    },
    { noNullPrototype: true },
  );
}

/** The same, but only input that the contract refuses: nothing of it may have an effect. */
export function refusedInput(call: Endpoint, known: Known): Arbitrary<BadInput> | undefined {
  const isHopeless = !call.params && !call.query && call.method === "GET";
  return isHopeless ? undefined : badInput(call, known).filter((input) => isRefused(call, input));
}

// Long and odd values are represented by marks, so that fast-check's output stays small.
const long = "@long@";
const endless = "@endless@";
const deep = "@deep@";
const infinite = "@1e999@";

const texts = [
  ...[
    "",
    " ",
    "\t\n",
    "\0",
    "a\0b",
    "\u007f",
    "\ud800",
    "x\udc00",
    "\ud83d",
    "\ufeff",
    "\ufffe",
    "\uffff",
    "\u{10ffff}",
  ],
  ...[
    "\u202egnp.exe",
    "\u200b\u200d",
    "👩‍👩‍👧‍👦",
    "e\u0301\u0302\u0303".repeat(60),
    "İıßﬀς",
    "１２３",
    "٣",
    "ﷺ".repeat(300),
  ],
  ...["'; drop table orders; --", '"', "\\", "%", "_", "%%%", "\\u0000", "$1", "{{7*7}}", "<b>x</b>"],
  ...["../../../etc/passwd", "..\\..\\x", "C:\\x", "/dev/null", "null", "undefined", "true", "[object Object]"],
  ...["NaN", "Infinity", "-Infinity", "1e308", "1e999", "0x10", "-0", "1,5", "1e-9", "9007199254740993", "1_000"],
  ...["2024-02-30", "2024-02-30T25:61:61Z", "0000-00-00T00:00:00Z", "+275760-09-13T00:00:01Z", "infinity"],
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "x".repeat(129), "x".repeat(2001)],
];
const numbers = [
  0,
  -0,
  -1,
  0.1 + 0.2,
  1e-9,
  0.001,
  0.005,
  5e-324,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53 + 2,
  2 ** 63,
  1e21,
  8.64e15 + 1,
];
const names = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "length",
  "id",
  "_id",
  "role",
  "balance",
  "",
  "a.b",
  "\0",
];
const others: Json[] = [null, true, false, [], {}, [[]], [null], { length: 1e9 }, { toJSON: 1 }, { $gt: "" }, ["a", 1]];

const anyText = fc.oneof(
  fc.constantFrom(...texts),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 250 }),
);
const anyValue: Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: anyText },
  { weight: 4, arbitrary: fc.constantFrom(...numbers) },
  { weight: 2, arbitrary: fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger()) },
  { weight: 4, arbitrary: fc.constantFrom(...others) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) as Arbitrary<Json> },
  { weight: 1, arbitrary: fc.constantFrom<Json>(long, deep, infinite) },
);
const anyName = fc.oneof(fc.constantFrom(...names), anyText);

type Spoil = { place: number; name: string; value: Json; how: "replace" | "remove" | "add" | "repeat" };
const spoil: Arbitrary<Spoil> = fc.record({
  place: fc.nat(10_000),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "add", "repeat"),
  name: anyName,
  value: anyValue,
});
const spoils = fc.array(spoil, { maxLength: 3 });

function spoiled(valid: Arbitrary<Json>): Arbitrary<Json> {
  return fc.tuple(valid, spoils).map(([value, list]) => list.reduce(spoilOne, { value }).value as Json);
}

function spoilOne(whole: { value: Json }, { place, name, value, how }: Spoil): { value: Json } {
  const copy = structuredClone(whole);
  const places = placesIn(copy);
  const [holder, key] = places[place % places.length] as [Record<string, Json>, string];
  if (how === "replace") holder[key] = value;
  else if (how === "repeat") holder[key] = [holder[key] ?? null, holder[key] ?? null];
  else if (how === "remove" && holder !== (copy as unknown)) delete holder[key];
  else if (how === "add" && Array.isArray(holder)) holder.push(value);
  // Assigning to `__proto__` would add no field.
  else if (how === "add")
    Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

function placesIn(holder: object): [object, string][] {
  return Object.entries(holder).flatMap(([key, value]) => [
    [holder, key] as [object, string],
    ...(typeof value === "object" && value !== null ? placesIn(value) : []),
  ]);
}

const none = fc.constant<Json>({});

function paramsOf({ params }: Endpoint, known: Known): Arbitrary<Record<string, string>> {
  const valid = params ? validInput(params, known) : none;
  const names = Object.keys(params?.shape ?? {});
  const evil = fc.oneof(
    anyText,
    fc.constantFrom(long, "%", "%00", "%ff", "%zz", "%c0%af", "..", ".", "a/b", "a?b", "#"),
  );
  // An empty parameter would be another address.
  const spoilt = fc.record(Object.fromEntries(names.map((name) => [name, evil.filter((text) => text !== "")])));
  const texts = valid.map((values) => textsIn(values as Record<string, Json>));
  return fc.oneof({ weight: 4, arbitrary: texts }, { weight: 1, arbitrary: spoilt });
}

const textsIn = (values: Record<string, Json>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

function queryOf({ query }: Endpoint, known: Known): Arbitrary<[string, string][]> {
  const valid = query ? validInput(query, known) : none;
  const names = Object.keys(query?.shape ?? {});
  const pair = fc.tuple(names.length > 0 ? fc.oneof(fc.constantFrom(...names), anyName) : anyName, anyValue);
  return fc.tuple(valid, fc.array(pair, { maxLength: 3 }), fc.boolean()).map(([values, more, instead]) => {
    const odd = more.map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const spoilt = new Set(odd.map(([name]) => name));
    const sound = Object.entries(textsIn(values as Record<string, Json>));
    return [...(instead ? sound.filter(([name]) => !spoilt.has(name)) : sound), ...odd];
  });
}

const queryTails = ["&&&==&=", "&%", "&%ff=%ff", "&a[b]=c", "&page[]=1", "&__proto__[x]=1", "#x", "?", "&%00=%00"];

const oddHeaders: Record<string, string>[] = [
  { "accept-encoding": "gzip;q=NaN, *;q=-1,,;" },
  { "accept-encoding": "gzip".repeat(500) },
  { accept: "text/html", range: "bytes=9-1", "if-none-match": "*" },
  { origin: "null", "access-control-request-method": "\xff" },
  { "x-forwarded-for": "\xff, ::1, 999.1.1.1", forwarded: "for=_x" },
  { "content-encoding": "gzip" },
  { cookie: "footprint=%00; ;;=", referer: "javascript:1" },
];

const oddVersions = ["*", '"none"', 'W/"none"', '"a", "b"', "none", "", '"', "*, *", '"a" "b"', "x".repeat(3000)];

function headersOf({ idempotent, versioned }: Endpoint): Arbitrary<Record<string, string>> {
  const odd = fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.constantFrom(...oddHeaders));
  const matching = fc.constantFrom(...oddVersions).map((text) => ({ "if-match": text }));
  if (versioned && !idempotent) return fc.oneof({ weight: 3, arbitrary: odd }, matching);
  if (!idempotent) return odd;
  const key = fc.oneof(
    { weight: 8, arbitrary: fc.uuid() },
    fc.constantFrom("", " ", "a b", "\xe9", "x".repeat(201), "__proto__", "same"),
  );
  const keyed = key.map((text) => ({ "idempotency-key": text }));
  const first = versioned ? fc.oneof({ weight: 3, arbitrary: odd }, matching) : odd;
  return fc.tuple(first, fc.oneof({ weight: 9, arbitrary: keyed }, fc.constant({}))).map(([a, b]) => ({ ...a, ...b }));
}

const json = fc.oneof(
  { weight: 9, arbitrary: fc.constant("application/json") },
  fc.constantFrom("Application/JSON ; charset=utf-8", "application/json;charset=latin1;;"),
);
const wrongTypes = [
  ...[undefined, "", "text/plain", "text/json", "application/x-www-form-urlencoded", "application/xml", "json", "*/*"],
  ...[
    "application/json+x",
    "application/",
    "/json",
    "a".repeat(2000),
    "multipart/mixed; boundary=x",
    "multipart/form-data;;",
  ],
];
const brokenTexts = [
  ...[
    "{",
    "}",
    "[1,]",
    '{"a":1,}',
    "{'a':1}",
    '{"a":NaN}',
    "undefined",
    "\ufeff{}",
    '"\\ud8"',
    "01",
    "1 2",
    "{}{}",
    "\0",
  ],
  ...['{"__proto__":{"role":"admin"}}', '{"constructor":{"prototype":{"role":"admin"}}}', '{"a":{"__proto__":1}}'],
  ...[deep.slice(1), `"${endless}"`],
];

function bodyOf(call: Endpoint, known: Known): Arbitrary<Body | undefined> {
  const valid = call.body ? validInput(call.body, known) : none;
  const text = spoiled(valid).map((value) => JSON.stringify(value));
  const asJson = fc.record({ type: json, text });
  const cutShort = fc
    .tuple(text, fc.nat(200))
    .map(([whole, end]) => ({ type: "application/json", text: whole.slice(0, end) }));
  return fc.oneof(
    { weight: 14, arbitrary: asJson },
    { weight: 2, arbitrary: fc.record({ type: json, text: fc.jsonValue().map((value) => JSON.stringify(value)) }) },
    { weight: 1, arbitrary: cutShort },
    { weight: 2, arbitrary: fc.record({ type: json, text: fc.constantFrom(...brokenTexts) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom(...wrongTypes), text }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: call.upload ? 20 : 1, arbitrary: formOf(call, known) },
  );
}

const fileNames = [
  "label.pdf",
  "../../../etc/passwd",
  "..\\x.pdf",
  "\0.pdf",
  "\u202efdp.exe",
  "x".repeat(5000),
  "",
  ".",
  '\\"',
  "é☃.png",
];
const contents = [
  pdf.toString("latin1"),
  png.toString("latin1"),
  "",
  "<svg/>",
  "%PDF-",
  "GIF89a",
  "\0".repeat(100),
  long,
];

function formOf({ upload, body }: Endpoint, known: Known): Arbitrary<Form> {
  const valid = body ? validInput(body, known) : none;
  const names = fc.oneof(anyName, fc.constantFrom("a[b][c]", "a[]", ...Object.keys(body?.shape ?? {})));
  const field = fc.record({ head: names.map(named), content: fc.oneof(anyText, fc.constant(long)) });
  const file = fc.record({
    head: fc
      .tuple(
        fc.constantFrom(upload?.field ?? "file", upload?.field ?? "file", "other", "__proto__"),
        fc.constantFrom(...fileNames),
      )
      .map(([name, filename]) => `${named(name)}; filename="${filename}"`),
    content: fc.constantFrom(...contents),
  });
  const odd = fc.constantFrom<Part>(
    { head: "form-data", content: "x" },
    { head: 'form-data; name="a"\r\nContent-Type: application/json', content: '{"__proto__":1}' },
    { head: 'form-data; name="a"\r\nContent-Transfer-Encoding: base64', content: "%%%" },
    { head: `form-data; name="${"n".repeat(3000)}"`, content: "x" },
  );
  const sound = valid.map((values) =>
    Object.entries(textsIn(values as Record<string, Json>)).map(([name, content]) => ({ head: named(name), content })),
  );
  const many = fc.constant(Array.from({ length: 1000 }, (_, index) => ({ head: named(`f${index}`), content: "x" })));
  const parts = fc
    .tuple(sound, fc.array(fc.oneof(field, file, file, odd), { maxLength: 3 }), fc.boolean())
    .map(([fields, more, first]) => (first ? [...more, ...fields] : [...fields, ...more]));
  return fc.record(
    {
      parts: fc.oneof({ weight: 15, arbitrary: parts }, { weight: 1, arbitrary: many }),
      flaw: fc.constantFrom("none", "none", "none", "none", "no boundary", "another boundary", "no end"),
    },
    { noNullPrototype: true },
  );
}

const named = (name: string) => `form-data; name="${name}"`;

/** True if the contract certainly refuses the input. */
export function isRefused(call: Endpoint, { params, query, headers, body }: BadInput): boolean {
  const refuses = (schema: z.ZodType | undefined, value: unknown) =>
    schema !== undefined && !schema.safeParse(value).success;
  if (refuses(call.params, params) || refuses(call.query, asParsed(query))) return true;
  if (call.idempotent === "required" && !("idempotency-key" in headers)) return true;
  return call.method !== "GET" && bodyIsRefused(call, body, refuses);
}

function bodyIsRefused(
  call: Endpoint,
  body: Body | undefined,
  refuses: (schema: z.ZodType | undefined, value: unknown) => boolean,
) {
  if (!body) return refuses(call.body, {});
  if ("parts" in body) return !call.upload || body.flaw !== "none";
  if (!/^application\/json *(;|$)/i.test(body.type ?? "")) return body.text !== "";
  const text = expanded(body.text);
  if (text.length > 1024 * 1024) return true;
  try {
    return refuses(call.body, text === "" ? {} : (JSON.parse(text.replace(/^\ufeff/, "")) ?? {}));
  } catch {
    return true;
  }
}

/** As a server parses a query: a repeated name becomes a list. */
function asParsed(pairs: [string, string][]): Record<string, string | string[]> {
  const values = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of pairs) {
    const text = inAddress(value);
    values[name] = name in values ? [values[name] ?? "", text].flat() : text;
  }
  return values;
}

/** Replaces the marks. What is long or deep still fits any body, so that somebody has to read it; what is endless does not. */
const expanded = (text: string) =>
  text
    .replaceAll(long, "x".repeat(12_000))
    .replaceAll(endless, "x".repeat(1_200_000))
    .replaceAll(`"${deep}"`, "[".repeat(6_000) + "]".repeat(6_000))
    .replaceAll(deep.slice(1), "[".repeat(100_000))
    .replaceAll(`"${infinite}"`, "1e999");

const inAddress = (text: string) => text.replaceAll(long, "x".repeat(3_000)).toWellFormed();

/** The bytes of a request: first line, headers and body. */
export function onTheWire(call: Endpoint, { params, query, tail, headers, body }: BadInput) {
  const encoded = (text: string) => (/^%[\w%]*$/.test(text) ? text : encodeURIComponent(inAddress(text)));
  const path = call.path.replace(/:(\w+)/g, (_, name: string) => encoded(params[name] ?? "x"));
  const pairs = query.map(
    ([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(inAddress(value))}`,
  );
  const search = pairs.length > 0 || tail ? `?${pairs.join("&")}${tail}` : "";
  const content = body && contentOf(body);
  const type = content?.type === undefined ? {} : { "content-type": content.type };
  return { path: path + search, headers: { ...headers, ...type }, body: content?.bytes };
}

function contentOf(body: Body): { type: string | undefined; bytes: Buffer } {
  if (!("parts" in body)) return { type: body.type, bytes: Buffer.from(expanded(body.text)) };
  const { parts, flaw } = body;
  const written = parts.map(
    ({ head, content }) => `--${boundary}\r\nContent-Disposition: ${head}\r\n\r\n${expanded(content)}\r\n`,
  );
  // Text as UTF-8, but a file's first bytes as they are.
  const bytes = Buffer.concat([...written.map(bytesOf), Buffer.from(flaw === "no end" ? "" : `--${boundary}--\r\n`)]);
  const boundaries = { none: boundary, "no end": boundary, "another boundary": "x", "no boundary": "" };
  const named = boundaries[flaw];
  return { type: `multipart/form-data${named && `; boundary=${named}`}`, bytes };
}

const bytesOf = (text: string) => (text.includes("\x89PNG") ? Buffer.from(text, "latin1") : Buffer.from(text));
