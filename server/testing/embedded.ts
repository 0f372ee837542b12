import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { TestProject } from "vitest/node";
import { openEmbedded } from "../db/engine.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A dump of an empty, migrated database: loading it is ten times faster than creating one. */
    embeddedDump?: string;
    /** The folder of the same, to be copied where the program is to find one. */
    embeddedFolder?: string;
  }
}

export default async function setup(project: TestProject) {
  // Used once in this process, the engine is not compiled a second time for speed.
  setFlagsFromString("--liftoff-only");
  const folder = await mkdtemp(join(tmpdir(), "footprint-embedded-"));
  const dump = join(folder, "empty.tar");
  const dataDir = join(folder, "postgres");
  const engine = await openEmbedded({ dataDir });
  await writeFile(dump, Buffer.from(await (await engine.client.dumpDataDir("none")).arrayBuffer()));
  await engine.close();
  project.provide("embeddedDump", dump);
  project.provide("embeddedFolder", dataDir);
  return () => rm(folder, { recursive: true });
}
