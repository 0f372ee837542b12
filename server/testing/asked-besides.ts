import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance } from "fastify";
import type { Database } from "../db/database.ts";

type Sender = { query(statement: string | { text: string }, ...rest: unknown[]): unknown };
/** Whether a server is at work on a call; tests themselves may do what they like. */
const working = new AsyncLocalStorage<true>();
const transaction = new AsyncLocalStorage<{ isOpen: boolean }>();
/** Statements that a transaction sent past itself: on the embedded engine, with its one connection, it would wait for ever. */
let besides: string[] = [];

export function noteWhatIsAskedBesides(db: Database) {
  const note = (statement: string) => {
    if (transaction.getStore()?.isOpen) besides.push(statement);
  };
  const begin = db.transaction.bind(db);
  db.transaction = (work, config) => {
    if (!working.getStore()) return begin(work, config);
    note("begin");
    return begin(async (tx) => {
      const own = { isOpen: true };
      try {
        return await transaction.run(own, () => work(tx));
      } finally {
        own.isOpen = false;
      }
    }, config);
  };
  const sender = (db as unknown as { $client: Sender }).$client;
  const query = sender.query.bind(sender);
  sender.query = (statement, ...rest) => {
    note(typeof statement === "string" ? statement : statement.text);
    return query(statement, ...rest);
  };
}

export const noteCalls = (app: FastifyInstance) =>
  app.addHook("onRequest", (_request, _reply, done) => working.run(true, done));

/** What calls of this test asked the database past their own transactions. */
export function askedBesides(): string[] {
  const asked = besides;
  besides = [];
  return asked;
}
