import { join, resolve } from "node:path";
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
import { type Archives, StartError } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { removeUnfinished } from "../backup/file.ts";
import { checkArchive, writeArchive } from "./file.ts";

const hour = 3_600_000;

type Place = Archives & { keep: string };
type Told = { report?: (line: string) => void; isStopped?: () => boolean };

/**
 * Takes what is older than it is kept from the log to files, month by month: each is written, read again, and only then
 * deleted from the database. Whatever ends it half way, the next go takes it up where it was. Answers whether all is
 * done, and nobody else is at it.
 */
export async function archiveLog(
  db: Database,
  place: Place,
  { report = () => {}, isStopped = () => false }: Told = {},
): Promise<boolean> {
  const folder = resolve(place.folder);
  while (!isStopped()) {
    const part = await claimPart(db, place.keep);
    if (!part) break;
    const alive = setInterval(() => void sayAlive(db, part).catch(() => {}), sayEvery);
    try {
      if (!part.sha256) {
        const sha256 = await writeArchive(db, folder, part, isStopped);
        await compare(db, folder, { ...part, sha256 });
        await completePart(db, part, sha256);
        report(`wrote ${part.rows} log entries to ${join(folder, part.file)}`);
      } else await compare(db, folder, part);
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

/** The file is read before anything is deleted: here, as it was written, and of this chain. */
async function compare(db: Database, folder: string, part: Part) {
  const path = join(folder, part.file);
  const { firstLink, lastLink, rows, sha256, hash } = await checkArchive(path);
  const isIt =
    sha256 === part.sha256 && firstLink === part.firstLink && lastLink === part.lastLink && rows === part.rows;
  if (!isIt || hash !== (await hashOfLink(db, part.lastLink)))
    throw new StartError(`${path} is not the archive that the database knows: nothing is deleted.`);
}

/** Looks at once and then every hour. Returns how to stop. */
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
