import type { Database, Transaction } from "./database.ts";
import type { logs } from "./schema.ts";

/** What others are to know once it is committed. */
export type Fact = { logged: LogRow };

/** What of a row of the log tells what became stale. */
export type LogRow = Pick<
  typeof logs.$inferSelect,
  "id" | "type" | "actorKind" | "actorId" | "subjectKind" | "subjectId" | "customerId"
>;

type Listener = (facts: Fact[]) => void;

const noted = new WeakMap<Transaction, Fact[]>();
const listeners = new WeakMap<Database, Set<Listener>>();

/** Notes a fact, to be told when the transaction is committed, and never if it is not. */
export function noteFact(tx: Transaction, fact: Fact): void {
  const facts = noted.get(tx);
  if (facts) facts.push(fact);
  else noted.set(tx, [fact]);
}

/** Tells what was committed through this server's connections, transaction by transaction. Returns how to stop. */
export function onCommit(db: Database, listener: Listener): () => void {
  const all = listeners.get(db) ?? new Set();
  listeners.set(db, all.add(listener));
  return () => all.delete(listener);
}

/** The database's own way to make a transaction, which also tells of its commit. */
export const tellingCommits =
  (db: Database, transaction: Database["transaction"]): Database["transaction"] =>
  async (work, config) => {
    let facts: Fact[] | undefined;
    const result = await transaction(async (tx) => {
      const worked = await work(tx);
      facts = noted.get(tx);
      return worked;
    }, config);
    if (facts) for (const listener of listeners.get(db) ?? []) listener(facts);
    return result;
  };
