/** A line of a table: where it begins in the file, and its cells. */
export type Line = { line: number; cells: string[] };

/** The text of a file from a spreadsheet: UTF-8, UTF-16, or the older encoding of Windows. */
export function textOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The separator that occurs most often in the heading. */
function separatorIn(text: string): string {
  const [head = ""] = text.split(/\r\n?|\n/, 1);
  const often = (mark: string) => head.split(mark).length;
  return [",", ";", "\t"].sort((a, b) => often(b) - often(a))[0] ?? ",";
}

/** The non-empty lines of a CSV file. Quoted cells may hold separators, quotes and line ends. */
export function readCsv(content: string): { lines: Line[]; separator: string; isCutOff: boolean } {
  const text = content.replace(/^\ufeff/, "");
  const separator = separatorIn(text);
  const lines: Line[] = [];
  let [cells, cell, line, begins]: [string[], string, number, number] = [[], "", 1, 1];
  let isQuoted = false;
  const end = () => {
    cells.push(cell);
    if (cells.some((each) => each.trim() !== "")) lines.push({ line: begins, cells: cells.map((each) => each.trim()) });
    [cells, cell, begins] = [[], "", line];
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const isEnd = character === "\n" || (character === "\r" && text[at + 1] !== "\n");
    if (isEnd) line += 1;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell.trim() === "") {
      cell = "";
      isQuoted = true;
    } else if (character === separator) {
      cells.push(cell);
      cell = "";
    } else if (isEnd) end();
    else if (character !== "\r") cell += character;
  }
  if (cell !== "" || cells.length > 0) end();
  return { lines, separator, isCutOff: isQuoted };
}

/** Makes cells harmless that a spreadsheet would run. */
const written = (cell: string) => {
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const writeCsv = (rows: readonly (readonly string[])[]) =>
  rows.map((row) => `${row.map(written).join(",")}\r\n`).join("");

/** Saves a file that was made in the browser. */
export function download(name: string, content: string) {
  const url = URL.createObjectURL(new Blob(["\ufeff", content], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
