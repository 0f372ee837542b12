import { saveFile } from "../../shared/downloadFile.ts";

/** A table of figures, its head first. */
export type Sheet = readonly (readonly (string | number)[])[];

/** What a spreadsheet takes over when it is pasted. */
export const asTabbedText = (sheet: Sheet) =>
  sheet.map((row) => row.map((value) => harmless(value).replace(/[\t\r\n]/g, " ")).join("\t")).join("\n");

export function saveAsCsv(name: string, sheet: Sheet): void {
  const text = sheet.map((row) => row.map(cell).join(",")).join("\r\n");
  saveFile(new Blob([`\ufeff${text}\r\n`], { type: "text/csv;charset=utf-8" }), `${name}.csv`);
}

const cell = (value: string | number) =>
  typeof value === "number" ? String(value) : `"${harmless(value).replaceAll('"', '""')}"`;

/**
 * With an apostrophe before what a spreadsheet would run, as in the server's exports: also in the middle of a text,
 * where one that splits at semicolons or tabs begins another cell.
 */
const harmless = (value: string | number) =>
  typeof value === "number" ? String(value) : value.replace(/(^|[;\t\r\n])([ "]*)(?=[=+@＝＋－＠-])/g, "$1$2'");
