// `npm run backup -- [FILE]`: all of the business in one file, also while a server runs on it.
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readConfig, StartError } from "../../config.ts";
import { openToRead } from "../../db/engine.ts";
import { runCommand } from "../command.ts";
import { takeBackup } from "./take.ts";

await runCommand(async () => {
  const now = new Date();
  const [file = nameOf(now), ...rest] = process.argv.slice(2);
  if (rest.length > 0 || file.startsWith("-")) throw new StartError("Usage: npm run backup -- [FILE]");
  // npm runs scripts in the project's folder, wherever it was called.
  const path = resolve(process.env.INIT_CWD ?? "", file);
  if (existsSync(path)) throw new StartError(`${path} exists already: name another file.`);
  const engine = await openToRead(readConfig(process.env));
  try {
    const rows = await takeBackup(engine.db, path, now);
    const { size } = await stat(path);
    console.log(`Backed up ${rows.toLocaleString("en")} rows to ${path} (${(size / 1e6).toFixed(1)} MB)`);
  } finally {
    await engine.close();
  }
  return 0;
});

/** Sorts by time; without colons, which some file systems refuse. */
function nameOf(time: Date) {
  return `backups/footprint-${time.toISOString().slice(0, 19).replaceAll(":", "")}Z.gz`;
}
