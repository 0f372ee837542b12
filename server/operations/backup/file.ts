import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline as pipe } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import * as z from "zod";
import { type BackupKeys, StartError } from "../../config.ts";
import { Damaged, isSealed, Locked, sealed, unsealed } from "./seal.ts";

// A backup is lines of JSON in one gzip stream: a header; for every table a line with its name and columns, then a line
// per row; then the number of rows of each table; and last the SHA-256 of everything before. It may be encrypted as a
// whole, in the age format.

export const formatVersion = 1;

export type Header = z.infer<typeof Header>;
/** Strict because the terminal shows parts of it: only what this program could have written. */
export const Header = z.object({
  footprintBackup: z.int().positive(),
  /** The version of the tables. */
  level: z.string().regex(/^\d{4}_[a-z0-9_]{1,50}$/),
  takenAt: z.iso.datetime(),
});
export type TableStart = { table: string; columns: string[] };
export type End = { rows: Record<string, number> };

/** Only rows are written as lists: the text of each column, or null. */
export const isRow = (line: string) => line.startsWith("[");

export const lineOf = (content: Header | TableStart | End) => `${JSON.stringify(content)}\n`;

/**
 * Writes the lines under a temporary name first, so that a file with the real name is complete. Readable by the owner
 * only, since it is confidential.
 */
export async function writeProven(path: string, lines: AsyncIterable<string>, keys?: BackupKeys): Promise<void> {
  // In containers all processes have the same few ids.
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.unfinished`;
  const target = { flags: "wx", mode: 0o600, flush: true };
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const packed = pipe(withHash(lines), createGzip(), () => {});
    await pipeline(keys ? sealed(packed, keys) : packed, createWriteStream(unfinished, target));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const { code, syscall } = error as NodeJS.ErrnoException;
    const remedy = code === "ENOSPC" ? "make room on its disk" : "name a file in a folder you may write to";
    if (syscall) throw new StartError(`${path} cannot be written (${code}): ${remedy}.`);
    throw error;
  }
}

const day = 86_400_000;

/** Removes unfinished files that a crash left behind. Another server may remove or rename one at the same time. */
export async function removeUnfinished(folder: string, beginning = ""): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(beginning) || !name.endsWith(".unfinished")) continue;
    const path = join(folder, name);
    const { mtimeMs = Date.now() } = (await stat(path).catch(() => undefined)) ?? {};
    if (mtimeMs < Date.now() - day) await rm(path, { force: true });
  }
}

async function* withHash(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = createHash("sha256");
  for await (const text of lines) {
    hash.update(text);
    yield text;
  }
  yield `${JSON.stringify({ sha256: hash.digest("hex") })}\n`;
}

/** The errors for a file that is not ours, or is damaged. */
type Faults = { none: (path: string) => StartError; damaged: (path: string) => StartError; what: string };

/** The lines of a file except the last, which proves that they are complete and unchanged. */
export async function* readProven(path: string, faults: Faults, keys?: BackupKeys): AsyncGenerator<string> {
  const { damaged } = faults;
  const hash = createHash("sha256");
  let proof: string | undefined;
  try {
    // A read error ends the decompression, where it is noticed.
    const isEncrypted = await isSealed(path);
    const file = createReadStream(path);
    const unpacked = pipe(isEncrypted ? unsealed(file, keys) : file, createGunzip(), () => {});
    for await (const line of linesOf(unpacked, () => faults.none(path))) {
      if (proof !== undefined) throw damaged(path);
      const text = line.toString();
      if (text.startsWith('{"sha256":')) {
        proof = JSON.parse(text).sha256;
        continue;
      }
      hash.update(line).update("\n");
      yield text;
    }
  } catch (error) {
    throw explained(error, path, faults);
  }
  if (proof !== hash.digest("hex")) throw damaged(path);
}

export const readBackup = (path: string, keys?: BackupKeys) => readProven(path, backupFaults, keys);

/** Far longer than any row: a small file can decompress to a line that fills the memory. */
const longestLine = 64_000_000;

/** Splits by byte: some characters that end lines elsewhere are ordinary text here. */
async function* linesOf(stream: AsyncIterable<Buffer>, tooLong: () => StartError): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]);
      pieces = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > longestLine) throw tooLong();
  }
  // Text without a final new line was cut off.
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

export const noBackup = (path: string) => new StartError(`${path} is not a backup of Footprint: nothing was restored.`);

const damaged = (path: string) =>
  new StartError(`${path} is not a complete backup, or was changed since: nothing was restored. Use another one.`);

const backupFaults: Faults = { none: noBackup, damaged, what: "a backup" };

const locked = (path: string) =>
  new StartError(`${path} is encrypted: set BACKUP_IDENTITY or BACKUP_PASSPHRASE to what opens it.`);

function explained(error: unknown, path: string, { damaged, what }: Faults): unknown {
  if (error instanceof Locked) return locked(path);
  if (error instanceof Damaged) return damaged(path);
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code.startsWith("Z_") || error instanceof SyntaxError) return damaged(path);
  if (/^E[A-Z]+$/.test(code)) return new StartError(`${path} cannot be read (${code}): name the file of ${what}.`);
  return error;
}
