import { linkSync, mkdirSync, renameSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join, relative, resolve } from "node:path";
import { StartError } from "../config.ts";

/**
 * Two processes in one data folder would destroy it. The lock is a Unix socket in the folder: the kernel
 * closes it with the process, however that ends, so a lock left behind by a crash is recognised at once.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StartError(`DATA_DIR ${folder} cannot be created (${reason(error)}): name a folder you may write to.`);
  }
  const path = shortest(join(resolve(folder), "lock"));
  for (let tries = 0; tries < 10; tries++) {
    const server = await listen(path);
    if (server) return () => new Promise((done) => server.close(() => done()));
    if (await isAlive(path)) break;
    if (!(await removeStale(path))) break;
  }
  throw new StartError(
    `The data folder ${folder} is in use: stop the other Footprint, or set DATA_DIR to another folder.`,
  );
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") done(undefined);
      else fail(new StartError(`DATA_DIR cannot be locked (${reason(error)}): name a folder you may write to.`));
    });
    server.listen(path, () => done(server.unref()));
  });
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path, () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) =>
      done(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });
}

/** Of several that find the same stale lock, the rename lets exactly one remove it. */
async function removeStale(path: string): Promise<boolean> {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  const alive = await isAlive(aside);
  // Between our look and our rename another process took the lock over: give it back.
  if (alive) linkSync(aside, path);
  unlinkSync(aside);
  return !alive;
}

/** Socket paths may hold about 100 bytes, so a deep folder is named relative to where we stand. */
function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

const reason = (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error);
