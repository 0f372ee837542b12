import type { Options } from "./calling.ts";
import { Calls, type FootprintEvent } from "./calls.ts";

export type { CallOptions, Options } from "./calling.ts";
export type * from "./calls.ts";
export { type FailureKind, FootprintError, type Issue } from "./errors.ts";
export { verifyWebhook, WebhookError, type WebhookEvents, webhookEvents } from "./webhooks.ts";

type Following = {
  /** `next` of the last event that was processed; by default everything of the last 30 days is sent. */
  after?: string | undefined;
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
};

/** How long an answer without events may take. */
const waitSeconds = 25;

/** A shop's client for Footprint. */
export class Footprint extends Calls {
  readonly #timeout: number;

  constructor(options: Options) {
    super(options);
    this.#timeout = options.timeout ?? 30_000;
  }

  /**
   * What happens, as it does, in order, until `signal` ends it. Waits and asks again for as long as Footprint does not
   * answer, and throws what it refuses. Keep each event's `next` with what you did about it, and begin there again:
   * then nothing is missed. Whatever came twice has the same `id`.
   */
  async *events({ after, signal }: Following = {}): AsyncGenerator<FootprintEvent & { next: string }, void, undefined> {
    const options = { signal, timeout: waitSeconds * 1000 + this.#timeout, retries: Number.POSITIVE_INFINITY };
    try {
      for (let position = after; !signal?.aborted; ) {
        const asked = Date.now();
        const { events, next } = await this.pull({ after: position, wait: waitSeconds }, options);
        for (const [index, event] of events.entries()) {
          yield { ...event, next: index === events.length - 1 ? next : event.id };
          if (signal?.aborted) return;
        }
        position = next;
        // The server is stopping, or a proxy does not let it wait.
        if (events.length === 0 && Date.now() - asked < 1_000) await this.pause(1_000, signal);
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
}
