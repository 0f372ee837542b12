import { events, type Stale } from "@footprint/contract/events.ts";
import { type call, send } from "./server.ts";

type Told = { event: string; data: Stale };

/** Follows the events of a server; the next call follows the other server. */
export async function follow(as: Parameters<typeof call>[0], headers: Record<string, string> = {}) {
  return readEvents(await send(as, events.stream, { headers }));
}

/** Reads a stream of events. */
export function readEvents(answer: Response) {
  if (answer.status !== 200 || !answer.body) throw new Error(`not followed: ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const heard: Told[] = [];
  let unread = "";

  /** Undefined once the stream has ended. */
  async function next(): Promise<Told | undefined> {
    for (;;) {
      const end = unread.indexOf("\n\n");
      if (end < 0) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        unread += value;
        continue;
      }
      const fields = new Map(
        unread
          .slice(0, end)
          .split("\n")
          .map((line) => line.split(": ", 2) as [string, string]),
      );
      unread = unread.slice(end + 2);
      const event = fields.get("event");
      if (!event) continue;
      const told = { event, data: JSON.parse(fields.get("data") ?? "") as Stale };
      heard.push(told);
      return told;
    }
  }

  return {
    headers: answer.headers,
    /** Everything told so far. */
    heard,
    next,
    /** The next event that fits. */
    async until(fits: (told: Told) => boolean): Promise<Told> {
      for (let told = await next(); told; told = await next()) if (fits(told)) return told;
      throw new Error("the stream ended");
    },
    async ended(): Promise<void> {
      while (await next());
    },
    leave: () => reader.cancel(),
  };
}

/** Whether this id is named under this kind, not just included among many. */
export const names =
  (kind: keyof Stale, id: string) =>
  ({ data }: Told) => {
    const ids = data[kind];
    return Array.isArray(ids) && ids.includes(id);
  };

/**
 * Whether a reader of this event fetches the id again. Many changes at once, or a time about which a busy server knows
 * nothing, are told as a whole kind or as everything.
 */
export const tells =
  (kind: keyof Stale, id: string) =>
  (told: Told): boolean =>
    told.data.everything === true || told.data[kind] === true || names(kind, id)(told);
