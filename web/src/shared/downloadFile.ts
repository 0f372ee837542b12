import type { Endpoint, Input } from "@footprint/contract/endpoint.ts";
import { ApiError, request } from "./api.ts";

/** Fetches a file with the session's token and saves it under the server's name for it. */
export async function downloadFile<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<void> {
  const response = await request(endpoint, input);
  saveFile(await response.blob().catch(brokenOff), nameOf(response));
}

/** The same for a table of any length: reports how many rows have arrived, and of how many if known. */
export async function downloadRows<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (rows: number, of: number | undefined) => void } = {},
): Promise<number> {
  const response = await request(endpoint, input, signal && { signal });
  const total = response.headers.get("x-total-rows");
  const lines = lineCounter();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let rows = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(brokenOff);
    if (done) break;
    pieces.push(value);
    // The first line is the heading.
    rows = Math.max(0, lines(value) - 1);
    onProgress?.(rows, total === null ? undefined : Number(total));
  }
  saveFile(new Blob(pieces, { type: response.headers.get("content-type") ?? "" }), nameOf(response));
  return rows;
}

/** Counts the lines of a CSV file as it arrives. Line breaks inside quotes belong to a cell. */
function lineCounter(): (piece: Uint8Array) => number {
  const [quote, lineBreak] = [0x22, 0x0a];
  let lines = 0;
  let isQuoted = false;
  return (piece) => {
    for (const byte of piece) {
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte === lineBreak && !isQuoted) lines += 1;
    }
    return lines;
  };
}

function brokenOff(): never {
  throw new ApiError(0, "The download broke off. Try again.");
}

/** Lets the browser save a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads the file after the click has returned.
  setTimeout(URL.revokeObjectURL, 60_000, link.href);
}

/** The name in the Content-Disposition header (RFC 6266): the full one if present, else the ASCII one. */
function nameOf(response: Response): string {
  const disposition = response.headers.get("content-disposition") ?? "";
  const whole = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (whole) return decodeURIComponent(whole);
  return /filename="([^"]+)"/i.exec(disposition)?.[1] ?? "file";
}
