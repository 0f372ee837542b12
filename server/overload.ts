import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { refusal } from "./errors.ts";

/**
 * What this process takes on at once. Whoever comes on top is told to come back, at the cost of no query: a queue
 * that only grows answers nobody in time. Searches and sign-ins, which cost most and which anyone can flood, have
 * narrow lanes of their own, so that a refund finds a free connection meanwhile.
 */
const everything = lane({ atOnce: 256, waiting: 0 });
const searches = lane({ atOnce: 10, waiting: 40 });
const signIns = lane({ atOnce: 4, waiting: 40 });

/** Lets a call in when it is its turn, or refuses it with 503. The place is given back when the answer has left. */
export async function takeTurn(call: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await everything.enter(reply);
  if ((request.query as { search?: string }).search) await searches.enter(reply);
  if (call.access === "public" && call.method === "POST") await signIns.enter(reply);
}

/** Calls that were refused since the start, for the metrics. */
export let shedCalls = 0;

function lane({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  let running = 0;
  const queue = new Set<() => void>();
  const leave = () => {
    running--;
    const [next] = queue;
    if (!next) return;
    queue.delete(next);
    next();
  };
  return {
    async enter({ raw }: FastifyReply) {
      if (running >= atOnce) {
        if (queue.size >= waiting) {
          shedCalls++;
          throw refusal(503, "Too much is going on at the moment. Try again in a few seconds.", { retryAfter: 2 });
        }
        await new Promise<void>((start, giveUp) => {
          queue.add(start);
          // Whoever has gone away while waiting is not worked for.
          raw.once("close", () => queue.delete(start) && giveUp(refusal(503, "The caller has gone away")));
        });
      }
      running++;
      // Also when the reader has gone before the answer.
      raw.once("close", leave);
    },
  };
}
