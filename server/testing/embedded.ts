import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { TestProject } from "vitest/node";
import { openEmbedded } from "../db/engine.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A dump of an empty, migrated database; loading it is ten times faster than creating one. */
    embeddedDump?: string;
    /** A folder with such a database, to be copied for tests of the program. */
    embeddedFolder?: string;
  }
}

/** Where all runs of one `npm test` find the database that the first of them makes. */
const { TEST_DATABASES } = process.env;

export default async function setup(project: TestProject) {
  const folder = TEST_DATABASES ? await sharedDatabase(TEST_DATABASES) : await makeDatabase();
  project.provide("embeddedDump", join(folder, dump));
  project.provide("embeddedFolder", join(folder, database));
  return TEST_DATABASES ? undefined : () => rm(folder, { recursive: true });
}

/** Runs begin at the same moment: one makes it, and the others wait. */
async function sharedDatabase(place: string): Promise<string> {
  const folder = join(place, "embedded");
  const isFirst = await mkdir(join(place, "embedded-is-made")).then(
    () => true,
    () => false,
  );
  if (isFirst) await rename(await makeDatabase(), folder);
  const patience = AbortSignal.timeout(300_000);
  while (!existsSync(folder)) await wait(200, undefined, { signal: patience });
  return folder;
}

const dump = "empty.tar";
const database = "postgres";

async function makeDatabase(): Promise<string> {
  // The engine is used only once in this process, so compiling it again for speed is not worth it.
  setFlagsFromString("--liftoff-only");
  const folder = await mkdtemp(join(TEST_DATABASES ?? tmpdir(), "footprint-embedded-"));
  const engine = await openEmbedded({ dataDir: join(folder, database) });
  await writeFile(join(folder, dump), Buffer.from(await (await engine.client.dumpDataDir("none")).arrayBuffer()));
  await engine.close();
  return folder;
}
