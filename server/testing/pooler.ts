import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";

/** A caller, its unforwarded data, and how many answers it waits for. */
type Caller = { socket: Socket; backend?: Backend | undefined; waiting: Buffer[]; expected: number };
/** A connection to PostgreSQL: the caller that has it, or the check for anything left behind on it. */
type Backend = { socket: Socket; caller?: Caller | undefined; checking: string };

/** State that lasts longer than a transaction, as the connection itself reports it. */
const leftBehind = `select concat_ws(', ',
  (select 'prepared ' || string_agg(name, ' ') from pg_prepared_statements),
  (select 'cursor ' || string_agg(name, ' ') from pg_cursors),
  (select 'listening to ' || string_agg(channel, ' ') from pg_listening_channels() as channel),
  (select 'locked ' || string_agg(objid::text, ' ') from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
  (select 'set ' || string_agg(name, ' ') from pg_settings where source = 'session'),
  (select 'temporary ' || string_agg(relname, ' ') from pg_class where relnamespace = pg_my_temp_schema()))`;

/**
 * Works like PgBouncer in transaction mode, with a few connections for any number of callers: each transaction gets
 * whichever is free. A returned connection is checked for state that was left behind.
 */
export async function startPooler(databaseUrl: string, size: number) {
  const leaks = new Set<string>();
  const idle: Backend[] = [];
  const queue: Caller[] = [];
  const callers = new Set<Socket>();
  const backends = new Set<Socket>();
  let isOver = false;

  async function openBackend() {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection;
    for (const event of ["data", "end", "close", "error"]) socket.removeAllListeners(event);
    const backend: Backend = { socket, checking: "" };
    backends.add(socket);
    socket.on("error", () => {});
    socket.on(
      "data",
      messagesOf((type, message) => answer(backend, type, message)),
    );
    socket.on("close", () => {
      backends.delete(socket);
      backend.caller?.socket.destroy();
      if (!isOver) void openBackend();
    });
    giveOut(backend);
  }

  /** Gives the connection to whoever has waited longest. */
  function giveOut(backend: Backend) {
    const caller = queue.shift();
    if (!caller) return void idle.push(backend);
    backend.caller = caller;
    caller.backend = backend;
    for (const message of caller.waiting.splice(0)) pass(caller, message);
  }

  function pass(caller: Caller, message: Buffer) {
    if (message[0] === code("S") || message[0] === code("Q")) caller.expected++;
    caller.backend?.socket.write(message);
  }

  function answer(backend: Backend, type: number, message: Buffer) {
    const { caller } = backend;
    const isReady = type === code("Z");
    if (!caller) {
      if (type === code("D")) backend.checking = message.subarray(11).toString();
      if (!isReady) return;
      if (backend.checking) leaks.add(backend.checking);
      backend.checking = "";
      return giveOut(backend);
    }
    caller.socket.write(message);
    if (!isReady) return;
    caller.expected--;
    if (message[5] !== code("I") || caller.expected > 0) return;
    backend.caller = caller.backend = undefined;
    backend.socket.write(framed("Q", `${leftBehind}\0`));
  }

  const server = createServer((socket) => {
    const caller: Caller = { socket, waiting: [], expected: 0 };
    callers.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      callers.delete(socket);
      if (queue.includes(caller)) queue.splice(queue.indexOf(caller), 1);
      // Nobody else can use a connection in the middle of a transaction.
      caller.backend?.socket.destroy();
    });
    socket.once("data", (startup) => {
      const refused = /\0((?!user|database|client_encoding|application_name)\w+)\0/.exec(oddOnes(startup))?.[1];
      if (refused) return socket.end(framed("E", `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`));
      socket.write(
        Buffer.concat([
          framed("R", Buffer.alloc(4)),
          framed("S", "server_version\x0015.0\0"),
          framed("K", Buffer.alloc(8)),
          framed("Z", "I"),
        ]),
      );
      const take = messagesOf((type, message) => {
        if (type === code("X")) return socket.end();
        if (caller.backend) return pass(caller, message);
        caller.waiting.push(message);
        if (queue.includes(caller)) return;
        queue.push(caller);
        const backend = idle.shift();
        if (backend) giveOut(backend);
      });
      socket.on("data", take);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  for (let opened = 0; opened < size; opened++) await openBackend();
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** What was found on returned connections. */
    leaks,
    async end() {
      isOver = true;
      for (const socket of [...callers, ...backends]) socket.destroy();
      server.close();
    },
  };
}

const code = (letter: string) => letter.charCodeAt(0);

function framed(type: string, content: string | Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + Buffer.byteLength(content));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content as string)]);
}

/** The names of settings in a caller's startup message, separated by zeros. */
function oddOnes(startup: Buffer): string {
  const words = startup.subarray(8).toString().split("\0");
  return `\0${words.filter((word, place) => place % 2 === 0 && word).join("\0\0")}\0`;
}

/** Splits PostgreSQL's protocol into whole messages. */
function messagesOf(take: (type: number, message: Buffer) => void) {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      take(message[0] as number, message);
    }
  };
}
