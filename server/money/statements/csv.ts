/** A record of a file: the line it begins on and its fields, or why it cannot be read. */
export type CsvRecord = { line: number; fields: string[]; problem?: undefined } | { line: number; problem: string };

const mostFields = 200;
/** Nobody writes longer fields. */
const longestField = 10_000;

/** Decodes a file as UTF-8, UTF-16, or else the Latin letters of old spreadsheets. */
export function decodeText(bytes: Buffer): string {
  const encoding = encodingOf(bytes);
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** By its byte order mark, or by zeros that text does not have. */
function encodingOf(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 64);
  if (start.startsWith("\xff\xfe") || /^([^\0]\0){4}/.test(start)) return "utf-16le";
  if (start.startsWith("\xfe\xff") || /^(\0[^\0]){4}/.test(start)) return "utf-16be";
  return undefined;
}

/** The records of a file, without empty lines. */
export function* csvRecords(text: string, separator: string): Generator<CsvRecord> {
  let position = 0;
  let line = 1;
  while (position < text.length) {
    const begun = { position, line };
    const fields: string[] = [];
    let problem: string | undefined;
    for (let isLast = false; !isLast; ) {
      const field =
        text[position] === '"' ? quotedField(text, position, separator) : plainField(text, position, separator);
      if (field.problem === undefined && fields.length === mostFields)
        problem = `It has more than ${mostFields} columns`;
      else if (field.problem !== undefined) problem = field.problem;
      else fields.push(field.value);
      position = problem ? endOfRecord(text, field.end, separator) : field.end;
      isLast = text[position] !== separator;
      if (!isLast) position++;
    }
    line += breaksIn(text, begun.position, position);
    if (problem && line > begun.line) problem += `, up to line ${line}`;
    if (text[position] === "\r" && text[position + 1] === "\n") position++;
    position++;
    line++;
    if (problem) yield { line: begun.line, problem };
    else if (fields.some((field) => field.trim() !== "")) yield { line: begun.line, fields };
  }
}

type Field = { value: string; end: number; problem?: undefined } | { end: number; problem: string };

const tooLong = `It has a field of more than ${longestField.toLocaleString("en-US")} characters`;

function plainField(text: string, from: number, separator: string): Field {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
  return end - from > longestField ? { end, problem: tooLong } : { value: text.slice(from, end), end };
}

/**
 * A quote inside is doubled. Text in quotes is never read as separate lines, however long it is, or whoever writes a
 * note could write lines. If a quote is not closed, the rest of the file is refused with it.
 */
function quotedField(text: string, from: number, separator: string): Field {
  const close = closingQuote(text, from);
  if (close === text.length) return { end: close, problem: "A quote is opened and not closed" };
  const rest = plainField(text, close + 1, separator);
  if (close - from > longestField) return { end: rest.end, problem: tooLong };
  if (rest.problem !== undefined || rest.value.trim() !== "")
    return { end: rest.end, problem: "Something follows the end of a quote" };
  return { value: text.slice(from + 1, close).replaceAll('""', '"'), end: rest.end };
}

/** The position of the closing quote; the end of the text if there is none. */
function closingQuote(text: string, from: number): number {
  let close = text.indexOf('"', from + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close < 0 ? text.length : close;
}

/** The end of the line on which a field ends, after the rest of the record. */
function endOfRecord(text: string, from: number, separator: string): number {
  let position = from;
  while (position < text.length && text[position] !== "\n" && text[position] !== "\r")
    position =
      text[position] === separator && text[position + 1] === '"' ? closingQuote(text, position + 1) : position + 1;
  return position;
}

/** Lines end with CR, LF or both. */
function breaksIn(text: string, from: number, until: number): number {
  let breaks = 0;
  for (let position = from; position < until; position++) {
    const code = text.charCodeAt(position);
    if (code === 10 || (code === 13 && text.charCodeAt(position + 1) !== 10)) breaks++;
  }
  return breaks;
}
