import { linkSync, mkdirSync, renameSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join, relative, resolve } from "node:path";
import { StartError } from "../config.ts";
import { closeFolder } from "./folder-rights.ts";

export type FolderLock = {
  /** Sets what happens to connections. Before that they are closed at once. */
  answer(answer: (socket: Socket) => unknown): void;
  isHeld(): boolean;
  release(): Promise<void>;
};

/**
 * Two processes in one data folder would destroy it. The lock is a Unix socket in the folder: the kernel closes it when
 * the process ends in any way, so a lock left behind by a crash is recognised at once.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(`DATA_DIR ${folder} cannot be created (${reason(error)}): name a folder you may write to.`);
  }
  closeFolder(folder);
  const path = lockPath(folder);
  for (let tries = 0; tries < 10; tries++) {
    const server = await listen(path);
    if (server) return lockOf(server);
    if (await isAlive(path)) break;
    if (!(await removeStale(path))) break;
  }
  throw new StartError(
    `The data folder ${folder} is in use: stop the other Footprint, or set DATA_DIR to another folder.`,
  );
}

function lockOf(server: Server): FolderLock {
  const sockets = new Set<Socket>();
  let answer: (socket: Socket) => unknown = (socket) => socket.destroy();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    answer(socket);
  });
  return {
    answer(given) {
      answer = given;
    },
    isHeld: () => server.listening,
    release: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Connects to the process that holds the lock of a folder; undefined if none does. */
export function connectToLock(folder: string): Promise<Socket | undefined> {
  return new Promise((done) => {
    const socket = connect(lockPath(folder), () => done(socket));
    socket.on("error", () => done(undefined));
  });
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") done(undefined);
      else fail(new StartError(`DATA_DIR cannot be locked (${reason(error)}): name a folder you may write to.`));
    });
    // Whoever may write to the socket can ask for the data: from its first moment that is only its owner.
    const mask = process.umask(0o177);
    server.listen(path, () => done(server.unref()));
    process.umask(mask);
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

/** If several processes find the same stale lock, the rename lets exactly one remove it. */
async function removeStale(path: string): Promise<boolean> {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  const alive = await isAlive(aside);
  // Another process took the lock between the check and the rename: give it back.
  if (alive) linkSync(aside, path);
  unlinkSync(aside);
  return !alive;
}

const lockPath = (folder: string) => shortest(join(resolve(folder), "lock"));

/** Socket paths have a limit of about 100 bytes, so a deep folder is named relative to the working directory. */
function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

const reason = (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error);
