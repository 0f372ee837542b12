import { createHash } from "node:crypto";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { type Refusal, refusal } from "@footprint/contract/refusal.ts";
import { id, message, type Outcome } from "@footprint/contract/schemas.ts";
import { and, eq, sql } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import { recordAttempt } from "../accounts/attempts.ts";
import type { Database, Transaction } from "../db/database.ts";
import { databaseCode } from "../db/failures.ts";
import { idempotentReplies } from "../db/schema.ts";
import { tracing } from "../db/tracing.ts";
import { type Caller, callerNow, readmit, takeTurnsAtOwnAccount } from "./callers.ts";
import type { InTurn, Upload } from "./files.ts";

/** An answer that was given before, as it travelled. */
export class Replay {
  readonly reply: unknown;
  constructor(reply: unknown) {
    this.reply = reply;
  }
}

type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * `first` is committed before the work begins, for what everybody else must see by then. Calls that take an
 * Idempotency-Key have none: a repeat would do it again.
 */
export type Transact<E extends Endpoint = Endpoint> = <T>(
  work: Work<T>,
  ...first: E extends { idempotent: unknown } ? [] : [first?: Work<unknown>]
) => Promise<T | Replay>;

/**
 * Does something to each of several rows, in a transaction of its own each. Who is refused for one row goes on with the
 * next; who may not call any more is refused all that are left. With an Idempotency-Key, a repeat answers for the rows
 * that were done what was answered first, also where the first call never came to its end.
 */
export type Several = (
  ids: string[],
  done: string,
  work: (tx: Transaction, id: string) => Promise<RowAnswer>,
) => Promise<{ message: string; outcomes: Outcome[] }>;

/** A row is done, or has become a request. */
type RowAnswer = z.output<typeof rowAnswer>;
const rowAnswer = message.extend({ request: z.object({ _id: id }).optional() });

/** What one of several rows was refused with. */
class RowRefused extends Error {}

/**
 * The transactions a handler makes its changes in. Each begins with a second look at the caller: since the first, at the
 * request's head, they may have been deleted, signed out or restricted. Where the call carries an Idempotency-Key, the
 * key, the change and the answer are committed together: a repeat finds the answer, or waits for the first to finish.
 */
export function transactions(
  db: Database,
  call: Endpoint,
  request: FastifyRequest,
  body: unknown,
  file: Upload | undefined,
  caller: Caller | undefined,
  rowInTurn: InTurn,
): { transaction: Transact; several: Several } {
  const key = call.idempotent && keyOf(request);
  if (!key && call.idempotent === "required")
    throw refusal(400, "Send an Idempotency-Key, so that a repeat is recognised");
  const begin = <T>(work: Work<T>) => retried(() => db.transaction(work)).catch(noted(db));
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
    };
  // The body as it was understood: what came in may be nested deeper than anybody can write down again.
  const fingerprint = hash(
    `${call.method} ${request.url} ${JSON.stringify(body ?? null)}${file ? ` ${file.contentHash}` : ""}`,
  );
  const once = <T>(part: string, reply: z.ZodType, work: Work<T>) => {
    // A shop may repeat with a new key what it sent with an old one.
    const identity = { caller: caller.kind === "shop" ? caller.shopId : caller.id, key: key + part };
    return begin(async (tx) => {
      const { now, isFirst } = await claim(tx, caller, identity, fingerprint);
      readmit(caller, now, call, request.address);
      const given = isFirst ? undefined : await firstAnswer(tx, identity, fingerprint);
      if (given) return given;
      const result = await work(tx);
      await tx
        .update(idempotentReplies)
        .set({ reply: z.encode(reply, result) })
        .where(isOf(identity));
      return result;
    });
  };
  return {
    transaction: (work) => once("", call.reply, work),
    several: async (ids, done, work) => {
      // The key is for this body, whatever becomes of the rows.
      await once("", z.null(), async () => null);
      // No key that a caller chooses has a space.
      return eachOf(ids, done, (id) => rowInTurn(() => once(` ${id}`, rowAnswer, (tx) => refusable(work(tx, id)))));
    },
  };
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
      // Who may not call any more is still told of the rows that were done before.
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

/** Tells what a row is refused with from what the caller is. */
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

type Identity = { caller: string; key: string };

const isOf = ({ caller, key }: Identity) => and(eq(idempotentReplies.caller, caller), eq(idempotentReplies.key, key));

/** Looks at the caller and claims the key for them, in one statement; waits for whoever has just claimed it. */
async function claim(tx: Transaction, caller: Caller, identity: Identity, request: string) {
  const { rows } = await tx.execute<{ isFirst: boolean }>(sql`
    with caller as (${callerNow(caller)}), claimed as (
      insert into idempotent_replies (caller, key, request)
      select ${identity.caller}::text, ${identity.key}::text, ${request}::text from caller
      on conflict do nothing returning key
    )
    select caller.*, exists (select from claimed) as "isFirst" from caller`);
  const { isFirst = false, ...now } = rows[0] ?? {};
  return { now: rows[0] && now, isFirst };
}

async function firstAnswer(tx: Transaction, identity: Identity, request: string): Promise<Replay> {
  const [first] = await tx.select().from(idempotentReplies).where(isOf(identity));
  if (first?.request !== request) throw refusal(409, "This Idempotency-Key was used for another request");
  return new Replay(first.reply);
}

/** Some refusals are on record. */
const noted =
  (db: Database) =>
  async (error: unknown): Promise<never> => {
    await recordAttempt(db, error);
    throw error;
  };

/** Transactions that were made again since the start, for the metrics. */
export let repeatedTransactions = 0;

/** Two transactions that wait for each other: the database ends one of them, which may simply try again. */
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
