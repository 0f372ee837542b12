import type { FootprintEvent } from "./calls.ts";
import { type Body, readWhole, TooLong } from "./reading.ts";

/** Headers in any framework's form: `Headers`, or a plain object with lower-case names. */
type HeadersOf = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

type Received = {
  headers: HeadersOf;
  /** The original bytes, not parsed and written again. */
  body: Body;
};

type Secret = {
  /** The webhook's secret, `whsec_…`. */
  secret: string | undefined;
  /** For tests. */
  now?: (() => number) | undefined;
};

/** What was received is not from Footprint, or too old. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** From the specification: the largest age of a message, and the largest lead of the sender's clock. */
const toleranceSeconds = 5 * 60;
/** More than any event has. */
const mostBytes = 16 * 1024 * 1024;

/** The event in a webhook's request, if its signature is right; otherwise throws a WebhookError. */
export async function verifyWebhook(received: Received & Secret): Promise<FootprintEvent> {
  return (await verifierOf(received))(received);
}

type Verify = (received: Received) => Promise<FootprintEvent>;

async function verifierOf({ secret, now = Date.now }: Secret): Promise<Verify> {
  const bytes = bytesIn(secret?.trim().replace(/^whsec_/, "") ?? "");
  if (!bytes?.length) throw new TypeError("Give the webhook's secret as `secret`: it is missing, or none");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  return async ({ headers, body }) => {
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
      header(headers, `webhook-${name}`),
    );
    if (!id || !timestamp || !signatures) throw new WebhookError("A header of the webhook is missing");
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds)
      throw new WebhookError("The webhook's timestamp is too far from now");
    const content = await readWhole(body, mostBytes).catch((cause) => {
      throw new WebhookError(`The webhook's body ${cause instanceof TooLong ? "is too long" : "was cut off"}`, {
        cause,
      });
    });
    const head = new TextEncoder().encode(`${id}.${timestamp}.`);
    const signed = new Uint8Array(head.length + content.length);
    signed.set(head);
    signed.set(content, head.length);
    for (const signature of signatures.split(" ")) {
      const given = signature.startsWith("v1,") ? bytesIn(signature.slice(3)) : undefined;
      if (given && (await crypto.subtle.verify("HMAC", key, given, signed))) return eventIn(content);
    }
    throw new WebhookError("The webhook's signature is not right");
  };
}

export type WebhookEvents = AsyncIterable<FootprintEvent> & {
  /** Takes what was sent to your address: a `Request`, or its headers and body. Answer with what it resolves with. */
  receive(received: Received): Promise<Response>;
};

type Waiting = { event: FootprintEvent; answer: Promise<number>; answerWith: (status: number) => void };

/**
 * What is sent to a webhook, as an iterator like that of `events`. `receive` answers 204 when whoever iterates asks for
 * the next event, so has worked through this one; 503 when they stop at it: then it is sent again. Whatever comes twice
 * has the same `id`.
 */
export function webhookEvents({ signal, ...secret }: Secret & { signal?: AbortSignal | undefined }): WebhookEvents {
  const verifier = verifierOf(secret);
  // The receiver gets the error.
  verifier.catch(() => {});
  /** By event id: a repeat of one that is not finished waits for the same answer. */
  const waiting = new Map<string, Waiting>();
  const queue: Waiting[] = [];
  let wake: (() => void)[] = [];
  let readers = 0;
  let isLeft = false;

  const wakeAll = () => {
    for (const each of wake) each();
    wake = [];
  };
  signal?.addEventListener("abort", wakeAll, { once: true });

  function add(event: FootprintEvent): Waiting {
    const known = waiting.get(event.id);
    if (known) return known;
    let answerWith: Waiting["answerWith"] = () => {};
    const answer = new Promise<number>((resolve) => {
      answerWith = (status) => {
        waiting.delete(event.id);
        resolve(status);
      };
    });
    const added = { event, answer, answerWith };
    waiting.set(event.id, added);
    queue.push(added);
    wakeAll();
    return added;
  }

  return {
    async receive(received) {
      try {
        const event = await (await verifier)(received);
        const status = isLeft || signal?.aborted ? 503 : await add(event).answer;
        return new Response(null, { status });
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error;
        return new Response(error.message, { status: 400 });
      }
    },

    async *[Symbol.asyncIterator]() {
      let inHand: Waiting | undefined;
      readers++;
      isLeft = false;
      try {
        while (!signal?.aborted) {
          inHand = queue.shift();
          if (inHand) {
            yield inHand.event;
            inHand.answerWith(204);
            inHand = undefined;
          } else await new Promise<void>((resolve) => wake.push(resolve));
        }
      } finally {
        inHand?.answerWith(503);
        isLeft = --readers === 0;
        if (isLeft) for (const each of queue.splice(0)) each.answerWith(503);
      }
    },
  };
}

function header(headers: HeadersOf, name: string): string | undefined {
  if (typeof headers.get === "function") return headers.get(name) ?? undefined;
  const value = (headers as Record<string, string | string[] | undefined>)[name];
  return typeof value === "string" ? value : undefined;
}

function bytesIn(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function eventIn(content: Uint8Array): FootprintEvent {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    throw new WebhookError("The webhook's body is not JSON");
  }
}
