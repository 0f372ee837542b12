// `npm run restore -- FILE`: restores a backup of either engine into an empty database of either.
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, readConfig, StartError } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { connectEmbedded, connectPostgres } from "../../db/engine.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import { checkBooks } from "../../money/books.ts";
import { runCommand } from "../command.ts";
import { withoutControlCharacters } from "../terminal.ts";
import { checkBackup, fillFrom } from "./fill.ts";
import { checkKeys } from "./seal.ts";

await runCommand(async () => {
  const [file, ...rest] = process.argv.slice(2);
  if (!file || rest.length > 0) throw new StartError("Usage: npm run restore -- FILE");
  const config = readConfig(process.env);
  // npm runs scripts in the project's folder, wherever it was called.
  const path = resolve(process.env.INIT_CWD ?? "", file);
  if (config.backupKeys) await checkKeys(config.backupKeys);
  const header = await checkBackup(path, config.backupKeys);
  const { balanced, problems } = await intoEmptyDatabase(config, async (db) => {
    await fillFrom(db, path, header, config.backupKeys);
    return checkBooks(db, { wholeLog: true });
  });
  for (const problem of problems) console.error(withoutControlCharacters(problem));
  console.log(`Restored the backup of ${header.takenAt}. Everybody has to sign in again.`);
  console.log(balanced ? "The books balance." : "The books do not balance, and did not when it was made.");
  return balanced ? 0 : 1;
});

async function intoEmptyDatabase<T>(
  { databaseUrl, directDatabaseUrl, dataDir }: Config,
  fill: (db: Database) => Promise<T>,
): Promise<T> {
  if (databaseUrl) {
    const engine = await connectPostgres(directDatabaseUrl ?? databaseUrl);
    try {
      return await fill(engine.db);
    } finally {
      await engine.close();
    }
  }
  const lock = await lockFolder(dataDir);
  try {
    const place = join(dataDir, "postgres");
    if (existsSync(place))
      throw new StartError(
        `${place} holds a database already: move it away, or set DATA_DIR to another folder. Nothing was restored.`,
      );
    return await intoNewFolder(place, fill);
  } finally {
    await lock.release();
  }
}

/** The folder gets its name when it is complete; anything that a killed restore left is deleted. */
async function intoNewFolder<T>(place: string, fill: (db: Database) => Promise<T>): Promise<T> {
  const unfinished = `${place}-unfinished`;
  const remove = () => rm(unfinished, { recursive: true, force: true });
  await remove();
  const engine = await connectEmbedded({ dataDir: unfinished });
  try {
    const result = await fill(engine.db).finally(engine.close);
    await rename(unfinished, place);
    return result;
  } catch (error) {
    await remove();
    throw error;
  }
}
