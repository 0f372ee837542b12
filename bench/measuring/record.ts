import pg from "pg";
import type { buildApp } from "../../server/app.ts";
import type { Request } from "./load.ts";

/** A statement as the driver got it. */
export type Statement = { text: string; values: unknown[] };
/** What a call asked of the database: steps one after the other, the statements of one step at the same time. */
export type Recording = { steps: Statement[][]; since: number };

type App = Awaited<ReturnType<typeof buildApp>>;
type Sent = Statement & { ended: boolean };
let sent: Sent[][] | undefined;

// biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has a dozen forms
const query: (...args: any[]) => any = pg.Client.prototype.query;
// biome-ignore lint/suspicious/noExplicitAny: see above
pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
  const [config, values] = args;
  const statement: Sent = { text: config.text ?? config, values: Array.isArray(values) ? values : [], ended: false };
  const step = sent?.at(-1);
  if (step?.some(({ ended }) => !ended)) step.push(statement);
  else sent?.push([statement]);
  const callback = args.at(-1);
  const end = () => {
    statement.ended = true;
  };
  if (typeof callback === "function")
    args[args.length - 1] = (...results: unknown[]) => {
      end();
      return callback(...results);
    };
  const result = query.apply(this, args);
  result?.then?.(end, end);
  return result;
};

/** Makes a call inside this process and writes down what it asked of the database. */
export async function record(app: App, { method, path, headers, body }: Request): Promise<Recording> {
  const make = () => app.inject({ method: method as "GET", url: path, headers: headers ?? {}, body: body ?? "" });
  const since = Date.now();
  sent = [];
  const reply = await make();
  const steps = sent.map((step) => step.map(({ text, values }) => ({ text, values })));
  sent = undefined;
  if (reply.statusCode >= 300) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${reply.body}`);
  return { steps, since };
}
