import { createHash } from "node:crypto";
import type { Endpoint, Result } from "@footprint/contract/endpoint.ts";
import { isRefusal, type Refusal, refusal } from "@footprint/contract/refusal.ts";
import { id, message, type Outcome } from "@footprint/contract/schemas.ts";
import { sql } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import { recordAttempt } from "../accounts/attempts.ts";
import { allOf, beginningWithLooks, withoutWaiting } from "../db/commits.ts";
import type { Database, Transaction } from "../db/database.ts";
import { databaseCode } from "../db/failures.ts";
import { insertion } from "../db/insert-rows.ts";
import { idempotentReplies } from "../db/schema.ts";
import { tracing } from "../db/tracing.ts";
import { type Caller, callerNow, readmit, takeTurnsAtOwnAccount } from "./callers.ts";
import type { InTurn, Upload } from "./files.ts";
import { gather } from "./gatherings.ts";
import { whenItsTurnTogether } from "./overload.ts";

/** An answer as it travels, or as it travelled the first time. */
export class Replay {
  readonly reply: unknown;
  constructor(reply: unknown) {
    this.reply = reply;
  }
}

type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * `first` is committed before the work begins, for changes that everybody else must see by then. Calls with an
 * Idempotency-Key have none, because a repeat would do it again.
 */
export type Transact<E extends Endpoint = Endpoint> = <T>(
  work: Work<T>,
  ...first: E extends { idempotent: unknown } ? [] : [first?: Work<unknown>]
) => Promise<T | Replay>;

/**
 * Does something to each of several rows, each in its own transaction. A refusal for one row does not stop the others;
 * if the caller may no longer call, all remaining rows are refused. With an Idempotency-Key, a repeat returns the first
 * answer for rows that were done, even if the first call never finished.
 */
export type Several = (
  ids: string[],
  done: string,
  work: (tx: Transaction, id: string) => Promise<RowAnswer>,
) => Promise<{ message: string; outcomes: Outcome[] }>;

/**
 * Makes the changes of several calls of one caller in one transaction, if they arrive while others of theirs are being
 * made: they share its statements and its commit. `look` gets what each call wants, and reads and locks the rows for it
 * with one statement. It changes nothing, since only afterwards it is known which calls were answered before. `work`
 * gets what was found for the others, and returns for each its answer or refusal, or undefined if it would have to wait
 * for somebody else. Those are postponed and wait together with others of the same `about`, and so is a repeat of a
 * call under way. If the transaction fails, each call is tried alone.
 */
export type Together<E extends Endpoint = Endpoint> = <W, L>(
  wanted: W,
  about: string,
  look: (tx: Transaction, all: W[], mayWait: boolean) => Promise<L[]>,
  work: (tx: Transaction, found: L[], mayWait: boolean) => Promise<(Result<E> | Refusal | undefined)[]>,
) => Promise<Result<E> | Replay>;

/** A row was changed, or a request was made for it. */
type RowAnswer = z.output<typeof rowAnswer>;
const rowAnswer = message.extend({ request: z.object({ _id: id }).optional() });

/** What one of several rows was refused with. */
class RowRefused extends Error {}

/**
 * The transactions in which a handler makes its changes. Each begins by checking the caller again, who may have been
 * deleted, signed out or restricted since the request's head arrived. If the call has an Idempotency-Key, the key, the
 * change and the answer are committed together: a repeat finds the answer, or waits for the first call to finish.
 */
export function transactions(
  db: Database,
  call: Endpoint,
  request: FastifyRequest,
  body: unknown,
  file: Upload | undefined,
  caller: Caller | undefined,
  rowInTurn: InTurn,
): { transaction: Transact; several: Several; together: Together } {
  const key = call.idempotent && keyOf(request);
  if (!key && call.idempotent === "required")
    throw refusal(400, "Send an Idempotency-Key, so that a repeat is recognised");
  const begin = <T>(work: Work<T>, how?: typeof beginningWithLooks) =>
    retried(() => db.transaction(work, how)).catch(noted(db));
  const admitted = <T>(work: Work<T>) =>
    begin(async (tx) => {
      if (caller) {
        await takeTurnsAtOwnAccount(tx, caller, call);
        const { rows } = await tx.execute(callerNow(caller));
        readmit(caller, rows[0], call, request.address);
      }
      return work(tx);
    });
  if (!key || !caller)
    return {
      transaction: async (work, first) => {
        if (first) await admitted(first);
        return admitted(work);
      },
      several: (ids, done, work) =>
        eachOf(ids, done, (id) => rowInTurn(() => admitted((tx) => refusable(work(tx, id))))),
      together: () => {
        throw new Error("calls that are worked for together have an Idempotency-Key");
      },
    };
  // Made from the parsed body: the raw one may be nested too deeply to write down again.
  const fingerprint = hash(
    `${call.method} ${request.url} ${JSON.stringify(body ?? null)}${file ? ` ${file.contentHash}` : ""}`,
  );
  // A shop may use a new key to repeat a call that it made with an old one.
  const identity = (part: string) => ({ caller: caller.kind === "shop" ? caller.shopId : caller.id, key: key + part });
  const once = <T>(part: string, reply: z.ZodType, work: Work<T>) => {
    const own = { ...identity(part), request: fingerprint };
    return begin(async (tx) => {
      const { now, answered } = await claim(tx, caller, [own]);
      readmit(caller, now, call, request.address);
      const before = answered.get(own.key);
      if (before) return orThrow(firstAnswer(own, before));
      const result = await work(tx);
      await keepAnswers(tx, [{ ...own, reply: z.encode(reply, result) }]);
      return result;
    });
  };
  return {
    transaction: (work) => once("", call.reply, work),
    several: async (ids, done, work) => {
      // Binds the key to this body, whatever happens to the rows.
      await once("", z.null(), async () => null);
      // Callers' own keys contain no spaces.
      return eachOf(ids, done, (id) => rowInTurn(() => once(` ${id}`, rowAnswer, (tx) => refusable(work(tx, id)))));
    },
    together: (wanted, about, look, work) =>
      gather(db, `${call.path} ${caller.id}`, {
        about,
        key,
        member: {
          ...{ call, caller, wanted, look, work, begin, claim: { ...identity(""), request: fingerprint } },
          readmit: (now) => readmit(caller, now, call, request.address),
        } satisfies Member,
        work: workTogether,
      }) as Promise<never>,
  };
}

/** A call that may be made together with others. */
type Member = {
  call: Endpoint;
  caller: Caller;
  wanted: unknown;
  look: (tx: Transaction, all: never[], mayWait: boolean) => Promise<unknown[]>;
  work: (tx: Transaction, found: never[], mayWait: boolean) => Promise<unknown[]>;
  begin: <T>(work: Work<T>, how: typeof beginningWithLooks) => Promise<T>;
  claim: Claim;
  readmit: (now: object | undefined) => void;
};

function workTogether(members: Member[], mayWait: boolean): Promise<unknown[]> {
  const [{ caller, call, begin, look, work }] = members as [Member];
  return whenItsTurnTogether(caller, () =>
    begin(async (tx) => {
      const claims = members.map((one) => one.claim);
      const wanted = members.map((one) => one.wanted) as never[];
      const [{ now, answered, held }, found] = await allOf([
        claim(tx, caller, claims, mayWait),
        look(tx, wanted, mayWait),
      ] as const);
      for (const one of members) one.readmit(now);
      const isFirst = ({ claim: { key } }: Member) => !answered.has(key) && !held.has(key);
      const first = members.filter(isFirst);
      const theirs = found.filter((_, place) => isFirst(members[place] as Member)) as never[];
      const results = first.length > 0 ? await work(tx, theirs, mayWait) : [];
      const isAnswer = (result: unknown) => result !== undefined && !isRefusal(result);
      // An answer is stored exactly as it travels.
      const outcomes = new Map(
        first.map((one, place): [Member, unknown] => {
          const result = results[place];
          return [one, isAnswer(result) ? new Replay(z.encode(call.reply, result)) : result];
        }),
      );
      await keepAnswers(
        tx,
        first.flatMap((one) => {
          const outcome = outcomes.get(one);
          return outcome instanceof Replay ? [{ ...one.claim, reply: outcome.reply }] : [];
        }),
      );
      for (const one of members) {
        const before = answered.get(one.claim.key);
        if (before) outcomes.set(one, firstAnswer(one.claim, before));
      }
      return members.map((one) => outcomes.get(one));
    }, beginningWithLooks),
  );
}

async function eachOf(
  ids: string[],
  done: string,
  work: (id: string) => Promise<RowAnswer | Replay>,
): ReturnType<Several> {
  const outcomes: Outcome[] = [];
  for (const [place, _id] of ids.entries()) {
    try {
      const answer = await work(_id);
      const { message, request } = (answer instanceof Replay ? answer.reply : answer) as RowAnswer;
      outcomes.push({ _id, done: !request, message, ...(request && { request: request._id }) });
    } catch (error) {
      const { statusCode = 500, message } = error as Refusal;
      // A caller who may no longer call still gets the answers for rows that were done before.
      const isShutOut = place > 0 && (statusCode === 401 || statusCode === 403);
      if (!(error instanceof RowRefused) && !isShutOut) throw error;
      const refused = isShutOut ? ids.slice(place) : [_id];
      outcomes.push(...refused.map((each) => ({ _id: each, done: false, message })));
      if (isShutOut) break;
    }
  }
  const asked = outcomes.filter(({ request }) => request).length;
  const also = asked > 0 ? `, ${asked} sent for approval` : "";
  return { message: `${outcomes.filter((outcome) => outcome.done).length} of ${ids.length} ${done}${also}`, outcomes };
}

/** Separates refusals of a row from refusals of the caller. */
const refusable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: Partial<Refusal>) => {
    const isRefused = error.statusCode !== undefined && error.statusCode < 500;
    throw isRefused ? new RowRefused(error.message, { cause: error }) : error;
  });

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,200}$/.test(key))
    throw refusal(400, "An Idempotency-Key has 1 to 200 visible characters");
  return key;
}

/** A key, by whom it was sent, and for which request. */
type Claim = { caller: string; key: string; request: string };

/** What a key was used for, and what was answered. */
type Answered = { request: string; reply: unknown };

/**
 * Claims a caller's keys by locking each until the end of the transaction, checks the caller, and looks up earlier
 * answers. Waits for other holders of a key or, if it may not wait, reports the key as held. The look-up is a statement
 * of its own: one begun before the lock was taken would not see what the last holder committed.
 */
async function claim(tx: Transaction, caller: Caller, claims: Claim[], mayWait = true) {
  const wanted = JSON.stringify(claims.map(({ caller, key }) => ({ caller, key })));
  const each = sql`json_to_recordset(${wanted}::json) as each (caller text, key text)`;
  const number = sql`7402, hashtext(caller || ' ' || key)`;
  const isHeld = mayWait
    ? sql`pg_advisory_xact_lock(${number}) is null`
    : sql`not pg_try_advisory_xact_lock(${number})`;
  const [locks, looks] = await allOf([
    // In a fixed order, so that no two calls wait for each other.
    tx.execute<{ key: string; held: boolean }>(sql`
      select key, ${isHeld} as held from (select * from ${each} order by key) as ordered`),
    // One by one: as long as the database does not know how many keys there are, it would read all answers of a shop.
    tx.execute<{ answered: (Answered & { key: string })[] }>(sql`
      with caller as (${callerNow(caller)})
      select caller.*, (
        select coalesce(json_agg(json_build_object('key', key, 'request', before->0, 'reply', before->1)), '[]') from (
          select key, (
            select json_build_array(request, reply) from idempotent_replies as replies
            where replies.caller = each.caller and replies.key = each.key) as before
          from ${each}) as looked
        where before is not null) as answered
      from caller`),
  ] as const);
  const { answered = [], ...now } = looks.rows[0] ?? {};
  return {
    now: looks.rows[0] && now,
    answered: new Map(answered.map(({ key, ...before }): [string, Answered] => [key, before])),
    held: new Set(locks.rows.flatMap(({ key, held }) => (held ? [key] : []))),
  };
}

/** Only answers are stored: after a refusal the key can be used again. */
async function keepAnswers(tx: Transaction, answers: (Claim & { reply: unknown })[]): Promise<void> {
  if (answers.length > 0) await withoutWaiting(tx, insertion(idempotentReplies, answers));
}

const firstAnswer = (claim: Claim, before: Answered): Replay | Refusal =>
  before.request === claim.request
    ? new Replay(before.reply)
    : refusal(409, "This Idempotency-Key was used for another request", alreadyDone(before));

/** For who lost that answer, and asks for something else now. */
function alreadyDone({ reply }: Answered) {
  const { message } = (reply ?? {}) as { message?: unknown };
  return typeof message === "string" ? { alreadyDone: message } : {};
}

function orThrow(answer: Replay | Refusal): Replay {
  if (answer instanceof Replay) return answer;
  throw answer;
}

/** Writes the log entry of those refusals that have one. */
const noted =
  (db: Database) =>
  async (error: unknown): Promise<never> => {
    await recordAttempt(db, error);
    throw error;
  };

/** Transactions that were repeated since the start, for the metrics. */
export let repeatedTransactions = 0;

/** If two transactions wait for each other, the database ends one of them, which is simply tried again. */
async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      const code = databaseCode(error);
      if (tries === 4 || (code !== "40001" && code !== "40P01")) throw error;
      repeatedTransactions++;
      tracing?.note("the transaction is made again", code);
    }
  }
}

const hash = (text: string) => createHash("sha256").update(text).digest("base64url");
