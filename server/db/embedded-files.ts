import fs, { existsSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

type Stream = { node: unknown; nfd?: number };
type NodeFiles = { stream_ops: { fsync?(stream: Stream): number }; realPath(node: unknown): string };

/** The engine's files in a folder. When it asks for an fsync, as before it answers a COMMIT, they are really synced. */
class DurableFiles extends NodeFS {
  /** Why the engine gave up, in its own words. */
  why = "";

  override async init(...args: Parameters<NodeFS["init"]>) {
    const made = await super.init(...args);
    const bringToDisk = (module: unknown) => {
      const files = (module as { NODEFS: NodeFiles }).NODEFS;
      files.stream_ops.fsync = ({ node, nfd }) => {
        const path = files.realPath(node);
        try {
          if (nfd === undefined) syncNames(path);
          else fs.fsyncSync(nfd);
        } catch (error) {
          // After a failed fsync data may be lost even if later calls succeed: PostgreSQL ends then, too.
          console.error(`${path} cannot be brought to the disk (${(error as Error).message}): the program ends.`);
          process.exit(1);
        }
        return 0;
      };
    };
    made.emscriptenOpts.preRun = [...(made.emscriptenOpts.preRun ?? []), bringToDisk];
    made.emscriptenOpts.printErr = (line: string) => {
      this.why = /(?:PANIC|FATAL): +(.*)/.exec(line)?.[1] ?? this.why;
    };
    // Where PostgreSQL gives up, as when there is no room for its journal, its process ends. This engine would be called
    // again and again, and nothing else would happen in the program for ever.
    made.emscriptenOpts.onAbort = () => {
      console.error(`The database gave up (${this.why || "for no known reason"}): the program ends.`);
      process.exit(1);
    };
    return made;
  }
}

/** By default the engine never calls fsync, and for its journal this is the only method that works. */
const startParams = [
  ...PGlite.defaultStartParams.filter((param) => param !== "-F"),
  ...["-c", "fsync=on", "-c", "wal_sync_method=fsync"],
  // Nobody reads the progress of a start, and if one fails, the timer for it would keep the program from ending.
  ...["-c", "log_startup_progress_interval=0"],
];

/** Opens the database in a folder, or creates one there. */
export async function openFiles(folder: string, options: PGliteOptions): Promise<PGlite> {
  const isNew = !existsSync(join(folder, "PG_VERSION"));
  const files = new DurableFiles(folder);
  const client = await PGlite.create({ ...options, fs: files, startParams }).catch((error) => {
    throw files.why ? new Error(files.why) : error;
  });
  // The engine's first files were written before fsync was switched on.
  if (isNew) await syncFolder(folder);
  return client;
}

/** Syncs all files in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) syncNames(path);
    if (!entry.isFile()) continue;
    const file = await open(path);
    await file.sync().finally(() => file.close());
  }
  syncNames(folder);
}

/** Errors of systems on which folders cannot be synced. There their names are safe without it. */
const needless = new Set(["EBADF", "EINVAL", "EISDIR", "ENOTSUP", "EPERM"]);

function syncNames(folder: string) {
  try {
    const file = fs.openSync(folder, "r");
    try {
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if (!needless.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
