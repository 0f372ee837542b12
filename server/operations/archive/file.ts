import { createHash, randomBytes } from "node:crypto";
import { open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { type ChainLine, followChain } from "../../accounts/chain-lines.ts";
import { hashOfLink, linesOfPart, type Part } from "../../accounts/log-archive.ts";
import { type BackupKeys, StartError } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { readProven, writeProven } from "../backup/file.ts";

// An archive is lines of JSON in one gzip stream: a header, then each link of the log's chain followed by its rows, and
// last the SHA-256 of everything before. The same part of the log always gives the same lines. It may be encrypted as a
// whole, like a backup, which gives a different file each time; its name tells which.

const formatVersion = 1;

export type Header = z.infer<typeof Header>;
const Header = z.object({
  footprintLog: z.int().positive(),
  firstLink: z.int().positive(),
  lastLink: z.int().positive(),
  rows: z.int().nonnegative(),
  /** The hash of the link before the first. */
  follows: z.string().regex(/^([0-9a-f]{64})?$/),
});

/**
 * Writes a part of the log, and makes sure that the file's name survives a crash too. Returns the SHA-256 of its lines.
 */
export async function writeArchive(
  db: Database,
  folder: string,
  part: Part,
  keys: BackupKeys | undefined,
  isStopped: () => boolean,
): Promise<string> {
  const path = join(folder, part.file);
  const { firstLink, lastLink, rows } = part;
  const header: Header = {
    footprintLog: formatVersion,
    ...{ firstLink, lastLink, rows },
    follows: await hashOfLink(db, firstLink - 1),
  };
  const hash = createHash("sha256");
  async function* lines() {
    for await (const line of withHeader(header, linesOfPart(db, part, isStopped))) {
      hash.update(line);
      yield line;
    }
  }
  await writeProven(path, lines(), keys);
  const directory = await open(dirname(path));
  await directory.sync().finally(() => directory.close());
  return hash.digest("hex");
}

async function* withHeader(header: Header, lines: AsyncIterable<string>) {
  yield `${JSON.stringify(header)}\n`;
  for await (const line of lines) yield `${line}\n`;
}

/**
 * The lines of an archive after its header, each compared with the chain. Throws at the end if the archive is
 * incomplete.
 */
export async function* readArchive(
  path: string,
  keys: BackupKeys | undefined,
  onHeader = (_: Header) => {},
): AsyncGenerator<ChainLine> {
  let header: Header | undefined;
  let chain: ReturnType<typeof followChain> | undefined;
  try {
    for await (const text of readProven(path, faults, keys)) {
      if (chain) {
        yield chain.take(text);
        continue;
      }
      const { data } = Header.safeParse(JSON.parse(text));
      if (!data) throw none(path);
      if (data.footprintLog > formatVersion)
        throw new StartError(`${path} was written by a newer Footprint: use that version, or a newer one.`);
      header = data;
      onHeader(header);
      chain = followChain({ number: data.firstLink - 1, hash: data.follows });
    }
  } catch (error) {
    throw error instanceof z.ZodError || error instanceof SyntaxError ? damaged(path) : inFile(error, path);
  }
  const end = chain?.reached();
  if (!header || end?.number !== header.lastLink || end.rows !== header.rows) throw damaged(path);
}

/** Adds the file's name to a line's error. */
const inFile = (error: unknown, path: string) =>
  error instanceof StartError && !error.message.includes(path)
    ? new StartError(`${basename(path)}: ${error.message}`)
    : error;

const none = (path: string) => new StartError(`${path} is not an archive of Footprint's log.`);
const damaged = (path: string) => new StartError(`${path} is not complete, or was changed since it was written.`);
const faults = { none, damaged, what: "an archive" };

export type Checked = Header & { hash: string; sha256: string };

/** Reads a whole archive. Returns its header, the hash of its last link, and that of its lines. */
export async function checkArchive(
  path: string,
  keys: BackupKeys | undefined,
  onLine = (_: ChainLine) => {},
): Promise<Checked> {
  const sha256 = createHash("sha256");
  let header: Header | undefined;
  let hash = "";
  for await (const line of readArchive(path, keys, (read) => {
    header = read;
    sha256.update(`${JSON.stringify(read)}\n`);
  })) {
    sha256.update(`${line.text}\n`);
    if (line.link) hash = line.link.hash;
    onLine(line);
  }
  if (!header) throw none(path);
  return { ...header, hash, sha256: sha256.digest("hex") };
}

export const isSealedArchive = ({ file }: Pick<Part, "file">) => file.endsWith(".age");

/** The ending of archives' names. */
export const endingOf = (keys: BackupKeys | undefined) =>
  keys ? `.${randomBytes(4).toString("hex")}.ndjson.gz.age` : ".ndjson.gz";

/** The archives in a folder, oldest first: their names begin with the month. */
export async function archivesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${folder} cannot be read (${error.code}): set ARCHIVE_DIR to the folder of the archives.`);
  });
  return names.filter((name) => archiveName.test(name)).sort();
}

const archiveName = /^log-\d{4,}-\d\d-[0-9a-f]{8}(\.ndjson\.gz|\.[0-9a-f]{8}\.ndjson\.gz\.age)$/;
