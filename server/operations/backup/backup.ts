// `npm run backup -- [--check] [FILE]`: the whole business in one file, also while a server runs on it.
import { existsSync } from "node:fs";
import { rename, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { readConfig, StartError } from "../../config.ts";
import { openToRead } from "../../db/engine.ts";
import { checkBooks } from "../../money/books.ts";
import { runCommand } from "../command.ts";
import { withoutControlCharacters } from "../terminal.ts";
import { checkBackup, fillFrom } from "./fill.ts";
import { closes, nameOf } from "./names.ts";
import { inScratchDatabase } from "./scratch.ts";
import { checkKeys, withOwnKey } from "./seal.ts";
import { takeBackup } from "./take.ts";

/** What the server that asked for a backup is told. */
export type Made = { rows: number; bytes: number; balanced: boolean | null };

await runCommand(async () => {
  // Useless if that server is gone.
  process.once("disconnect", () => process.exit(1));
  process.channel?.unref();
  const now = new Date();
  const config = readConfig(process.env);
  const isChecked = process.argv[2] === "--check";
  const [file = `backups/${nameOf(now, config.backupKeys)}`, ...rest] = process.argv.slice(isChecked ? 3 : 2);
  if (rest.length > 0 || file.startsWith("-")) throw new StartError("Usage: npm run backup -- [--check] [FILE]");
  // npm runs scripts in the project's folder, wherever it was called.
  const path = resolve(process.env.INIT_CWD ?? "", file);
  if (existsSync(path)) throw new StartError(`${path} exists already: name another file.`);
  if (config.backupKeys) await checkKeys(config.backupKeys);
  const keys = config.backupKeys && closes(config.backupKeys) ? await withOwnKey(config.backupKeys) : undefined;
  const engine = await openToRead(config);
  const rows = await takeBackup(engine.db, path, now, keys).finally(engine.close);
  const { size: bytes } = await stat(path);
  console.log(
    `Backed up ${rows.toLocaleString("en")} rows to ${path} (${(bytes / 1e6).toFixed(1)} MB${keys ? ", encrypted" : ""})`,
  );
  const balanced = isChecked ? await restores(path) : null;
  process.send?.({ rows, bytes, balanced } satisfies Made);
  return balanced === false ? 1 : 0;

  /** Restores the backup to test it. A file that cannot be restored is renamed. */
  async function restores(path: string): Promise<boolean> {
    try {
      const header = await checkBackup(path, keys);
      const folder = dirname(path);
      const { balanced, problems } = await inScratchDatabase({ ...config, folder }, async (db) => {
        await fillFrom(db, path, header, keys);
        return checkBooks(db, { wholeLog: true });
      });
      for (const problem of problems) console.error(withoutControlCharacters(problem));
      console.log(
        balanced ? "Restored for a check: the books balance." : "Restored for a check: the books do not balance.",
      );
      return balanced;
    } catch (error) {
      await rename(path, `${path}.unfit`);
      throw error;
    }
  }
});
