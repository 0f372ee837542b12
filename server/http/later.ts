import type { FastifyReply } from "fastify";

/**
 * An answer that has to be waited for. While it waits, the call holds no place in a lane and no database connection;
 * then it continues in its turn.
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
