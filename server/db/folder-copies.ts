import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { StartError } from "../config.ts";
import { syncFolder } from "./embedded-files.ts";
import { connectToLock, type FolderLock } from "./folder-lock.ts";

/**
 * Copies the files of an open database while its statements wait. Whatever was committed is in them, as after a
 * crash: who opens the copy finds all of it, and nothing of what was only begun.
 */
async function copyDatabase(client: PGlite, folder: string): Promise<string> {
  const copy = await mkdtemp(join(resolve(folder), copyPrefix));
  try {
    // Done beforehand, what is still in memory does not keep the statements waiting.
    await client.exec("checkpoint");
    await client.runExclusive(() => copyFiles(join(folder, "postgres"), copy));
  } catch (error) {
    await remove(copy);
    throw error;
  }
  return copy;
}

/** Many at once, and where the file system can share blocks none is really copied: somebody waits for it. */
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

/** Copies whose readers and server died together. */
export async function removeForgottenCopies(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (copyName.test(name)) await remove(join(folder, name));
}

const keptName = /^postgres-before-\d{4}$/;
const mostKept = 2;

/** Keeps a copy of the database as it is before a migration, beside the last one that was kept. Returns its path. */
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

const question = "copy\n";

/** Makes copies for whoever asks at the folder's lock, which its owner alone may. */
export function offerCopies(lock: FolderLock, folder: string, client: PGlite) {
  lock.answer(async (socket) => {
    const gone = new Promise<void>((done) => socket.once("close", () => done()));
    const words = await Promise.race([new Promise((done) => socket.once("data", done)), gone]);
    if (String(words) !== question) return socket.destroy();
    try {
      const copy = await copyDatabase(client, folder);
      socket.write(`${JSON.stringify({ copy: basename(copy) })}\n`);
      await gone;
      // The reader removes it; one that was killed cannot. Where the server ends first, the reader goes on.
      if (lock.isHeld()) await remove(copy);
    } catch (error) {
      socket.end(`${JSON.stringify({ failure: String(error) })}\n`);
    }
  });
}

/** Has the server that runs on the folder copy its database; undefined when none runs. */
export async function requestCopy(folder: string) {
  const socket = await connectToLock(folder);
  if (!socket) return undefined;
  socket.write(question);
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
