import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { StartError } from "../config.ts";
import { syncFolder } from "./embedded-files.ts";
import { connectToLock, type FolderLock } from "./folder-lock.ts";

/**
 * Copies the files of an open database while its statements wait. As after a crash, opening the copy finds everything
 * that was committed and nothing that was not.
 */
async function copyDatabase(client: PGlite, folder: string): Promise<string> {
  const copy = await mkdtemp(join(resolve(folder), copyPrefix));
  try {
    // Writes out memory beforehand, so that statements need not wait for that.
    await client.exec("checkpoint");
    await client.runExclusive(() => copyFiles(join(folder, "postgres"), copy));
  } catch (error) {
    await remove(copy);
    throw error;
  }
  return copy;
}

/** Quickly, since somebody waits: many files at once, and sharing their blocks if the file system can. */
async function copyFiles(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const places = entries.map((entry) => ({ entry, path: relative(from, join(entry.parentPath, entry.name)) }));
  for (const { entry, path } of places)
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 });
  const files = places.filter(({ entry }) => entry.isFile());
  await Promise.all(files.map(({ path }) => copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)));
}

const copyPrefix = "postgres-copy-";
const copyName = /^postgres-copy-\w{6}$/;
const remove = (path: string) => rm(path, { recursive: true, force: true });

/** Removes copies whose reader and server died together. */
export async function removeForgottenCopies(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (copyName.test(name)) await remove(join(folder, name));
}

const keptName = /^postgres-before-\d{4}$/;
const mostKept = 2;

/** Keeps a copy of the database from before a migration, beside the one kept last time. Returns its path. */
export async function keepCopy(client: PGlite, folder: string, migration: string): Promise<string> {
  const kept = join(folder, `postgres-before-${migration.slice(0, 4)}`);
  const copy = await copyDatabase(client, folder);
  await syncFolder(copy);
  await remove(kept);
  await rename(copy, kept);
  const all = (await readdir(folder)).filter((name) => keptName.test(name)).sort();
  for (const name of all.slice(0, -mostKept)) await remove(join(folder, name));
  return kept;
}

const copyRequest = "copy\n";

/** Makes copies for programs that ask at the folder's lock, which only its owner can. */
export function offerCopies(lock: FolderLock, folder: string, client: PGlite) {
  lock.answer(async (socket) => {
    const gone = new Promise<void>((done) => socket.once("close", () => done()));
    const words = await Promise.race([new Promise((done) => socket.once("data", done)), gone]);
    if (String(words) !== copyRequest) return socket.destroy();
    try {
      const copy = await copyDatabase(client, folder);
      socket.write(`${JSON.stringify({ copy: basename(copy) })}\n`);
      await gone;
      // The reader removes its copy, unless it was killed. If this server ends first, the reader still needs it.
      if (lock.isHeld()) await remove(copy);
    } catch (error) {
      socket.end(`${JSON.stringify({ failure: String(error) })}\n`);
    }
  });
}

/** Asks the server that runs on the folder for a copy of its database; undefined if none runs. */
export async function requestCopy(folder: string) {
  const socket = await connectToLock(folder);
  if (!socket) return undefined;
  socket.write(copyRequest);
  const answer = await new Promise<string>((done) => {
    socket.once("data", (data) => done(String(data)));
    socket.once("close", () => done(""));
  });
  const { copy, failure } = answer ? JSON.parse(answer) : { failure: "it is just starting or ending" };
  if (!copy) {
    socket.destroy();
    throw new StartError(`The Footprint that uses ${folder} cannot be backed up (${failure}): try again in a moment.`);
  }
  const path = join(resolve(folder), copy);
  return {
    path,
    async remove() {
      await remove(path);
      socket.destroy();
    },
  };
}
