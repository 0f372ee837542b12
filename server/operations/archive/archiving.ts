import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  claimPart,
  completePart,
  hasBegunPart,
  hashOfLink,
  leavePart,
  type Part,
  removePart,
  sayAlive,
  sayEvery,
} from "../../accounts/log-archive.ts";
import { type Archives, type BackupKeys, StartError } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { removeUnfinished } from "../backup/file.ts";
import { closes } from "../backup/names.ts";
import { checkKeys, withOwnKey } from "../backup/seal.ts";
import { checkArchive, endingOf, isSealedArchive, writeArchive } from "./file.ts";

const hour = 3_600_000;

type Place = Archives & { keep: string; keys: BackupKeys | undefined };
type Told = { report?: (line: string) => void; isStopped?: () => boolean };

/**
 * Moves old entries from the log to files, month by month: each file is written, read again, and only then are its
 * entries deleted. If it is cut off, the next run continues. Returns whether everything is done and no other server is
 * archiving.
 */
export async function archiveLog(
  db: Database,
  place: Place,
  { report = () => {}, isStopped = () => false }: Told = {},
): Promise<boolean> {
  const folder = resolve(place.folder);
  const keys = closes(place.keys) ? place.keys : undefined;
  if (keys) await checkKeys(keys);
  while (!isStopped()) {
    const part = await claimPart(db, place.keep, endingOf(keys));
    if (!part) break;
    const alive = setInterval(() => void sayAlive(db, part).catch(() => {}), sayEvery);
    try {
      if (!part.sha256) {
        if (!(await complete(db, folder, part, keys, isStopped))) continue;
        report(`wrote ${part.rows} log entries to ${join(folder, part.file)}`);
      } else if (isSealedArchive(part)) await compareFile(folder, part);
      else await compare(db, folder, part);
      await removePart(db, part, isStopped);
      if (!isStopped()) report(`deleted the log entries that are in ${part.file}`);
    } catch (error) {
      if (!isStopped()) throw error;
    } finally {
      clearInterval(alive);
      await leavePart(db, part).catch(() => {});
    }
  }
  await removeUnfinished(folder, "log-");
  return !(await hasBegunPart(db));
}

/**
 * Writes the file and reads it again. Returns false if another server finished the part, so that this file is useless.
 */
async function complete(
  db: Database,
  folder: string,
  part: Part,
  keys: BackupKeys | undefined,
  isStopped: () => boolean,
): Promise<boolean> {
  const path = join(folder, part.file);
  const opening = keys && (await withOwnKey(keys));
  const sha256 = await writeArchive(db, folder, part, opening, isStopped);
  const ofFile = keys && (await hashOfFile(path));
  await compare(db, folder, { ...part, sha256 }, opening);
  const isCompleted = await completePart(db, part, ofFile ?? sha256);
  if (!isCompleted && keys) await rm(path, { force: true });
  return isCompleted || !keys;
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/**
 * Without the secret key the file cannot be opened, so it is enough that it is the very file that was checked when
 * written.
 */
async function compareFile(folder: string, part: Part) {
  const path = join(folder, part.file);
  const sha256 = await hashOfFile(path).catch((error: NodeJS.ErrnoException) => error.code);
  if (sha256 !== part.sha256) throw unknown(path);
}

const unknown = (path: string) =>
  new StartError(`${path} is not the archive that the database knows: nothing is deleted.`);

/** Before anything is deleted: the file is there, unchanged, and fits this chain. */
async function compare(db: Database, folder: string, part: Part, keys?: BackupKeys) {
  const path = join(folder, part.file);
  const { firstLink, lastLink, rows, sha256, hash } = await checkArchive(path, keys);
  const isIt =
    sha256 === part.sha256 && firstLink === part.firstLink && lastLink === part.lastLink && rows === part.rows;
  if (!isIt || hash !== (await hashOfLink(db, part.lastLink))) throw unknown(path);
}

/** Runs now and then every hour. Returns a function that stops it. */
export function startArchiving(
  db: Database,
  place: Place,
  { report, onFailure }: { report: (line: string) => void; onFailure: (error: unknown) => void },
): () => Promise<void> {
  let isStopped = false;
  let working: Promise<unknown> | undefined;
  const look = () => {
    working ??= archiveLog(db, place, { report, isStopped: () => isStopped })
      .catch(onFailure)
      .finally(() => {
        working = undefined;
      });
  };
  const looks = setInterval(look, hour);
  look();
  return async () => {
    clearInterval(looks);
    isStopped = true;
    await working;
  };
}
