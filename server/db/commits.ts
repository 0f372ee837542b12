import type { SQL } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";
import { databaseCode } from "./failures.ts";
import type { logs } from "./schema.ts";

/** Something that others are told once it is committed. */
export type Fact = { logged: LogRow };

/** The columns of a log row that tell what became stale. */
export type LogRow = Pick<
  typeof logs.$inferSelect,
  "id" | "type" | "actorKind" | "actorId" | "subjectKind" | "subjectId" | "customerId"
>;

type Listener = (facts: Fact[]) => void;

const noted = new WeakMap<Transaction, Fact[]>();
/** How a transaction sends a statement without waiting, and the answers still to come. */
type Sending = { send: (statement: SQL) => Promise<unknown>; unanswered: Promise<unknown>[] };
const sending = new WeakMap<Transaction, Sending>();
const listeners = new WeakMap<Database, Set<Listener>>();

/** Notes a fact that listeners are told if and when the transaction is committed. */
export function noteFact(tx: Transaction, fact: Fact): void {
  const facts = noted.get(tx);
  if (facts) facts.push(fact);
  else noted.set(tx, [fact]);
}

/**
 * Sends a statement whose answer nobody needs before the commit. The database works on it while the next statement,
 * which may be COMMIT, is prepared and sent. If it fails, the transaction fails with its error. On the embedded engine
 * this waits as usual.
 */
export async function withoutWaiting(tx: Transaction, statement: SQL): Promise<void> {
  const own = sending.get(tx);
  if (!own) return void (await tx.execute(statement));
  const answer = own.send(statement);
  answer.catch(() => {});
  own.unanswered.push(answer);
}

/** Tells a listener what this server commits, transaction by transaction. Returns a function that stops it. */
export function onCommit(db: Database, listener: Listener): () => void {
  const all = listeners.get(db) ?? new Set();
  listeners.set(db, all.add(listener));
  return () => all.delete(listener);
}

/**
 * For a transaction that begins by only reading and locking: these statements are sent together with BEGIN. If BEGIN is
 * refused, they run outside of a transaction, and have changed nothing.
 */
export const beginningWithLooks = { deferrable: false } as const;
/** Recognises the BEGIN that Drizzle writes for it. For PostgreSQL the added words mean nothing here. */
export const beginsWithLooks = (text: string | undefined) => text?.endsWith(" not deferrable") ?? false;

/** The database's answer to every further statement of a failed transaction. */
export const hasFailed = "25P02";

/**
 * Waits for statements of a transaction that were sent together. It waits for all even if one fails, since none may
 * arrive after the transaction's end. Fails with the first real error.
 */
export async function allOf<T extends readonly unknown[]>(sent: { [K in keyof T]: PromiseLike<T[K]> }): Promise<T> {
  const outcomes = await Promise.allSettled(sent);
  const failures = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((each) => databaseCode(each) !== hasFailed) ?? failures[0];
  return outcomes.map((each) => (each as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

/**
 * A transaction whose COMMIT may be sent before earlier statements were answered. If one of those fails, the database
 * answers COMMIT with ROLLBACK, which the connection treats as a failure. Nothing counts as committed until all answers
 * are here.
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

/** Wraps the database's way to make a transaction, and tells listeners of each commit. */
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
