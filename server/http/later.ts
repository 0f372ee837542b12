import type { FastifyReply } from "fastify";

/**
 * An answer that has to be waited for. Meanwhile the call holds no place among those that are worked for and no
 * connection to the database; then it goes on, in its turn.
 */
export class Later<T> {
  readonly wait: (signal: AbortSignal) => Promise<void>;
  readonly goOn: () => Promise<T | Later<T>>;
  constructor(wait: (signal: AbortSignal) => Promise<void>, goOn: () => Promise<T | Later<T>>) {
    this.wait = wait;
    this.goOn = goOn;
  }
}

/** Nobody waits for a caller who has hung up. */
export async function waitUnlessGone({ raw }: FastifyReply, { wait }: Later<unknown>): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  raw.once("close", leave);
  if (raw.closed) leave();
  await wait(gone.signal).finally(() => raw.off("close", leave));
}
