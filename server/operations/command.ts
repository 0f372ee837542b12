import { readConfig, StartError } from "../config.ts";
import type { Database } from "../db/database.ts";
import { openEngine } from "../db/engine.ts";

/** Runs one task of the terminal on the configured database. The task returns the exit code. */
export async function runCommand(task: (db: () => Promise<Database>) => Promise<number>) {
  // Whatever a command writes can be read by its own account only.
  process.umask(0o077);
  // A reader of the output may stop early, like head.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));
  let close = async () => {};
  try {
    process.exitCode = await task(async () => {
      const engine = await openEngine(readConfig(process.env));
      close = engine.close;
      return engine.db;
    });
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  } finally {
    await close();
  }
}
