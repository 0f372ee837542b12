import type { SQL } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";
import { databaseCode } from "./failures.ts";
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
/** How a transaction sends a statement at once, and the answers that it has not waited for. */
type Sending = { send: (statement: SQL) => Promise<unknown>; unanswered: Promise<unknown>[] };
const sending = new WeakMap<Transaction, Sending>();
const listeners = new WeakMap<Database, Set<Listener>>();

/** Notes a fact, to be told when the transaction is committed, and never if it is not. */
export function noteFact(tx: Transaction, fact: Fact): void {
  const facts = noted.get(tx);
  if (facts) facts.push(fact);
  else noted.set(tx, [fact]);
}

/**
 * Sends a statement whose answer nobody needs to know before the commit: the database works at it while the next is made
 * ready, and that, be it COMMIT, goes out behind it. Should it fail, that is what the transaction fails with. The embedded engine answers at once.
 */
export async function withoutWaiting(tx: Transaction, statement: SQL): Promise<void> {
  const own = sending.get(tx);
  if (!own) return void (await tx.execute(statement));
  const answer = own.send(statement);
  answer.catch(() => {});
  own.unanswered.push(answer);
}

/** Tells what was committed through this server's connections, transaction by transaction. Returns how to stop. */
export function onCommit(db: Database, listener: Listener): () => void {
  const all = listeners.get(db) ?? new Set();
  listeners.set(db, all.add(listener));
  return () => all.delete(listener);
}

/**
 * For a transaction that begins with nothing but looks and locks: they go out together with BEGIN. Should that be
 * refused, they stand by themselves, and have changed nothing.
 */
export const beginningWithLooks = { deferrable: false } as const;
/** What Drizzle makes of it. To PostgreSQL it means nothing in such a transaction. */
export const beginsWithLooks = (text: string | undefined) => text?.endsWith(" not deferrable") ?? false;

/** What the database says of every further statement of a transaction that has failed. */
export const hasFailed = "25P02";

/**
 * Waits for statements of a transaction that were sent together, for all of them also where one fails: none may be left
 * to come after the transaction's end. Fails with what was the first to go wrong.
 */
export async function allOf<T extends readonly unknown[]>(sent: { [K in keyof T]: PromiseLike<T[K]> }): Promise<T> {
  const outcomes = await Promise.allSettled(sent);
  const failures = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((each) => databaseCode(each) !== hasFailed) ?? failures[0];
  return outcomes.map((each) => (each as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

/**
 * A transaction whose COMMIT goes out behind statements that nobody has waited for. Where one of them fails, the database
 * makes a ROLLBACK of it and says so, which the connection takes for a failure: nothing counts as committed before the
 * answers to all of them and to COMMIT are here.
 */
export async function committingBehind<T>(
  send: Sending["send"],
  transaction: Database["transaction"],
  ...[work, config]: Parameters<typeof transaction<T>>
): Promise<T> {
  const unanswered: Promise<unknown>[] = [];
  const committed = transaction((tx) => {
    sending.set(tx, { send, unanswered });
    return work(tx);
  }, config);
  await Promise.allSettled([committed]);
  const [result] = await allOf([committed, ...unanswered]);
  return result;
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
