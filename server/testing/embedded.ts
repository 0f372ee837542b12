import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Where all runs of one `npm test` find the database that the first of them made. */
const { TEST_DATABASES } = process.env;

export default async function setup(project: TestProject) {
  const shared = TEST_DATABASES && join(TEST_DATABASES, "embedded");
  const isMade = shared && existsSync(shared);
  let folder = isMade ? shared : await makeDatabase();
  if (shared && !isMade)
    // Another run may have been a moment faster.
    folder = await rename(folder, shared).then(
      () => shared,
      () => folder,
    );
  project.provide("embeddedDump", join(folder, dump));
  project.provide("embeddedFolder", join(folder, database));
  return folder === shared ? undefined : () => rm(folder, { recursive: true });
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
