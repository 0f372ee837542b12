import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import type { buildApp } from "../../server/app.ts";
import type { Request } from "./load.ts";

/** A statement as the driver got it. */
export type Statement = { text: string; values: unknown[] };
/** The statements of a call: steps run one after the other, the statements of a step at the same time. */
export type Recording = { steps: Statement[][]; since: number };

type App = Awaited<ReturnType<typeof buildApp>>;
type Sent = Statement & { ended: boolean };
let sent: Sent[][] | undefined;

/** Notes a statement that starts now; the returned function notes its end. */
function note(text: string, values: unknown): () => void {
  const statement: Sent = { text, values: Array.isArray(values) ? values : [], ended: false };
  const step = sent?.at(-1);
  if (step?.some(({ ended }) => !ended)) step.push(statement);
  else sent?.push([statement]);
  return () => {
    statement.ended = true;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has a dozen forms
const query: (...args: any[]) => any = pg.Client.prototype.query;
// biome-ignore lint/suspicious/noExplicitAny: see above
pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
  const [config, values] = args;
  const end = note(config.text ?? config, values);
  const callback = args.at(-1);
  if (typeof callback === "function")
    args[args.length - 1] = (...results: unknown[]) => {
      end();
      return callback(...results);
    };
  const result = query.apply(this, args);
  result?.then?.(end, end);
  return result;
};

/** The embedded engine's client has one connection, and a separate interface for a transaction's statements. */
type Client = Pick<PGlite, "query" | "transaction">;
const noted = (original: Client["query"]): Client["query"] =>
  async function (this: unknown, text, values, options) {
    const end = note(text, values);
    return original.call(this as PGlite, text, values, options).finally(end) as never;
  };
const transaction = PGlite.prototype.transaction;
PGlite.prototype.query = noted(PGlite.prototype.query);
PGlite.prototype.transaction = async function (work) {
  note("begin", [])();
  const result = await transaction.call(this, (tx) => {
    tx.query = noted(tx.query);
    return work(tx);
  });
  note("commit", [])();
  return result as never;
};

/** Makes a call inside this process and records its statements. */
export async function record(app: App, { method, path, headers, body }: Request): Promise<Recording> {
  const make = () => app.inject({ method: method as "GET", url: path, headers: headers ?? {}, body: body ?? "" });
  // Some things are remembered from one search to the next, and are not asked again.
  if (method === "GET") await make();
  const since = Date.now();
  sent = [];
  const reply = await make();
  const steps = sent.map((step) => step.map(({ text, values }) => ({ text, values })));
  sent = undefined;
  if (reply.statusCode >= 300) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${reply.body}`);
  return { steps, since };
}
