import { createHash } from "node:crypto";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { and, eq } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import type { Database, Transaction } from "./db/engine.ts";
import { idempotentReplies } from "./db/schema.ts";
import { databaseCode, refusal } from "./errors.ts";

/** An answer that was given before, as it travelled. */
export class Replay {
  readonly reply: unknown;
  constructor(reply: unknown) {
    this.reply = reply;
  }
}

export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/**
 * The transaction a handler makes its change in. Where the call carries an Idempotency-Key, the key, the change
 * and the answer are committed together: a repeat finds the answer, or waits for the first to finish and then does.
 */
export function transactions(
  db: Database,
  call: Endpoint,
  request: FastifyRequest,
  body: unknown,
  caller: string,
): Transact {
  const key = call.idempotent && keyOf(request);
  if (!key && call.idempotent === "required")
    throw refusal(400, "Send an Idempotency-Key, so that a repeat is recognised");
  if (!key) return (work) => retried(() => db.transaction(work));
  const identity = { caller, key };
  // The body as it was understood: what came in may be nested deeper than anybody can write down again.
  const fingerprint = hash(`${call.method} ${request.url} ${JSON.stringify(body ?? null)}`);
  return <T>(work: (tx: Transaction) => Promise<T>) =>
    retried(() =>
      db.transaction(async (tx) => {
        const given = await claim(tx, identity, fingerprint);
        // Only http.ts looks at what an idempotent handler returns, and it knows a replay.
        if (given) return given as T;
        const result = await work(tx);
        await tx
          .update(idempotentReplies)
          .set({ reply: z.encode(call.reply, result) })
          .where(and(eq(idempotentReplies.caller, caller), eq(idempotentReplies.key, key)));
        return result;
      }),
    );
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,200}$/.test(key))
    throw refusal(400, "An Idempotency-Key has 1 to 200 visible characters");
  return key;
}

async function claim(tx: Transaction, identity: { caller: string; key: string }, request: string) {
  const claimed = await tx
    .insert(idempotentReplies)
    .values({ ...identity, request })
    .onConflictDoNothing()
    .returning();
  if (claimed.length > 0) return undefined;
  const [first] = await tx
    .select()
    .from(idempotentReplies)
    .where(and(eq(idempotentReplies.caller, identity.caller), eq(idempotentReplies.key, identity.key)));
  if (first?.request !== request) throw refusal(409, "This Idempotency-Key was used for another request");
  return new Replay(first.reply);
}

/** Two transactions that wait for each other: the database ends one of them, which may simply try again. */
async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      const code = databaseCode(error);
      if (tries === 4 || (code !== "40001" && code !== "40P01")) throw error;
    }
  }
}

const hash = (text: string) => createHash("sha256").update(text).digest("base64url");
