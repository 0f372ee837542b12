import { events, type Stale } from "@footprint/contract/events.ts";
import { type call, send } from "./server.ts";

type Told = { event: string; data: Stale };

/** Follows the events of a server; the one after it follows another, as calls go. */
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
    /** All that was told until now. */
    heard,
    next,
    /** The first from now on that fits. */
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

/** Names this id under this kind, and not only as one of many: for who compares all that is told. */
export const names =
  (kind: keyof Stale, id: string) =>
  ({ data }: Told) => {
    const ids = data[kind];
    return Array.isArray(ids) && ids.includes(id);
  };

/**
 * Whoever is told this reads it again. What is gathered with other changes, or follows a time of which a busy server
 * knows nothing, is told as its kind, or as everything.
 */
export const tells =
  (kind: keyof Stale, id: string) =>
  (told: Told): boolean =>
    told.data.everything === true || told.data[kind] === true || names(kind, id)(told);
