import { saveFile } from "./downloadFile.ts";

type Cells = Record<string, string | number>;

/** Saves rows as a CSV file like those that the server exports. */
export function saveRows<T>(name: string, rows: readonly T[], cellsOf: (row: T) => Cells): void {
  const cells = rows.map(cellsOf);
  const lines = [Object.keys(cells[0] ?? {}), ...cells.map((row) => Object.values(row).map(quoted))];
  // The mark by which spreadsheets know UTF-8.
  const text = `\ufeff${lines.map((line) => `${line.join(",")}\r\n`).join("")}`;
  saveFile(
    new Blob([text], { type: "text/csv; charset=utf-8" }),
    `${name}-${new Date().toISOString().slice(0, 10)}.csv`,
  );
}

/** With an apostrophe before what a spreadsheet would run, unless it is a number. */
function quoted(value: string | number): string {
  const text = String(value);
  const isRun = /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
  return `"${isRun ? "'" : ""}${text.replaceAll('"', '""')}"`;
}
