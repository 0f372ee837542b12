import { events, type Stale, type StaleKind, shownBy } from "@footprint/contract/events.ts";
import type { Query, QueryClient } from "@tanstack/react-query";
import { apiBase } from "./api.ts";
import { emitLive, fetchedForOthers } from "./liveEvents.ts";
import { readToken } from "./token.ts";

/** How long is waited for anything, in milliseconds. */
const patience = {
  /** A proxy that keeps back what it passes on. */
  hello: 8_000,
  /** A call whose answer does not come. */
  answer: 10_000,
  /** The server says something every 15 seconds. */
  silence: 40_000,
  /** Browsers have few connections to a host, and a tab that nobody sees needs none. */
  hidden: 10_000,
  /** The window that tells the others says so every second, unless a question of the browser's holds it up. */
  otherWindow: 3_000,
};
const pauses = { shortest: 1_000, longest: 60_000, otherWindows: 1_000 };

/**
 * Browsers have six connections to a host for all their windows: one of these follows and tells the others, and calls
 * have the rest. Pages without a certificate have no locks: there each window follows by itself.
 */
const oneForAll = "footprint-live";
const otherWindows = navigator.locks && new BroadcastChannel(oneForAll);

/** Works while no other window does; false where one does. */
async function alone(work: () => Promise<void>): Promise<boolean> {
  if (!navigator.locks) return work().then(() => true);
  return navigator.locks.request(oneForAll, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
    return lock !== null;
  });
}

/**
 * Follows what others do, as long as the tab is seen, and fetches again what became stale. However a connection ends,
 * another is opened; without one the panel works as if nobody else were there.
 */
export function startLive(client: QueryClient): () => void {
  const refresh = refresher(client);
  let connection: { abort: AbortController; heardAt: number } | undefined;
  let hiddenAt = 0;
  let tries = 0;
  let comeAgain = pauses.shortest;
  let next = 0;
  let wasOpen = false;
  /** Another window follows, and this one hears of it; when it heard last. */
  let isTold = false;
  let toldAt = 0;
  /** This one tells the others. */
  let tells = false;
  // Not all windows at once take over from one that is held up.
  const otherWindow = patience.otherWindow * (1 + Math.random() / 2);
  const begunAt = performance.now();
  /** Of a session that has ended, or has to do something else first. */
  let refused: string | undefined;

  async function open() {
    const own = { abort: new AbortController(), heardAt: performance.now() };
    connection = own;
    const isHeldUp = isTold && own.heardAt - toldAt > otherWindow;
    if (isHeldUp) return follow(own);
    if ((await alone(() => follow(own))) || connection !== own) return;
    connection = undefined;
    next = performance.now() + pauses.otherWindows;
    if (isTold) return;
    isTold = wasOpen = true;
    toldAt = performance.now();
    refresh({ everything: true });
  }

  function hear({ event, data }: Told) {
    if (event === "hello") {
      // What happened in between is not known. Of the moments before an early first hello the server tells by itself.
      if (wasOpen || performance.now() - begunAt > patience.hello) refresh({ everything: true });
      wasOpen = true;
    } else if (event === "stale") refresh(data);
  }
  const hearOther = ({ data }: MessageEvent<Told>) => {
    toldAt = performance.now();
    if (isTold) hear(data);
  };

  async function follow(own: NonNullable<typeof connection>) {
    const { abort } = own;
    isTold = false;
    const token = readToken();
    const giveUp = setTimeout(() => abort.abort(), patience.hello);
    try {
      const answer = await fetch(apiBase() + events.stream.path, {
        headers: { accept: "text/event-stream", authorization: `Bearer ${token}`, "x-unattended": "1" },
        cache: "no-store",
        signal: abort.signal,
      });
      if (answer.status === 401 || answer.status === 403) refused = token;
      if (!answer.ok || !answer.body) throw new Error(String(answer.status));
      for await (const { retry, ...told } of eventsIn(answer.body, () => (own.heardAt = performance.now()))) {
        if (retry) comeAgain = retry;
        if (told.event === "hello") {
          clearTimeout(giveUp);
          tries = 0;
          tells = true;
        }
        hear(told);
        otherWindows?.postMessage(told);
      }
    } catch {
      // Told by what comes next: another try.
    } finally {
      clearTimeout(giveUp);
      abort.abort();
      if (connection === own) {
        tells = false;
        connection = undefined;
        const pause = Math.max(comeAgain, Math.min(pauses.shortest * 2 ** tries++, pauses.longest));
        comeAgain = pauses.shortest;
        // Not all panels at once, when a server is back.
        next = performance.now() + pause * (0.5 + Math.random());
      }
    }
  }

  function close() {
    const own = connection;
    connection = undefined;
    tells = false;
    own?.abort.abort();
  }

  /** By the clock on the wall, which goes on while a computer sleeps; whatever else lasts is measured without it. */
  let lookedAt = Date.now();
  /** Looks every second whether all is as it should be: a computer that slept has missed no timer but this one. */
  function look() {
    if (Date.now() - lookedAt > patience.silence) close();
    lookedAt = Date.now();
    if (tells) otherWindows?.postMessage({ event: "alive", data: {} } satisfies Told);
    const now = performance.now();
    if (!document.hidden) hiddenAt = 0;
    else hiddenAt ||= now;
    if (hiddenAt && now - hiddenAt > patience.hidden) {
      isTold = false;
      return close();
    }
    if (connection && now - connection.heardAt > patience.silence) close();
    const token = readToken();
    if (!connection && now >= next && !hiddenAt && token && token !== refused) void open();
  }

  /** Somebody is back, or the network: at once. */
  function comeBack() {
    if (!document.hidden) next = 0;
    look();
  }
  function changeNetwork() {
    close();
    comeBack();
  }
  const looking = setInterval(look, 1_000);
  document.addEventListener("visibilitychange", comeBack);
  window.addEventListener("online", changeNetwork);
  otherWindows?.addEventListener("message", hearOther);
  look();
  return () => {
    clearInterval(looking);
    document.removeEventListener("visibilitychange", comeBack);
    window.removeEventListener("online", changeNetwork);
    otherWindows?.removeEventListener("message", hearOther);
    close();
  };
}

type Told = { event?: string; data: Stale };

/** Server-sent events, as far as the server uses them. */
async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<Told & { retry?: number }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    onBytes();
    text += decoder.decode(read.value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/, 2) as [string, string]));
      const [event, retry] = [fields.get("event"), fields.get("retry")];
      yield {
        data: JSON.parse(fields.get("data") ?? "{}") as Stale,
        ...(event && { event }),
        ...(retry && { retry: Number(retry) }),
      };
    }
  }
}

/** Fetches again what became stale: at most once a second, and less often where the server takes its time. */
function refresher(client: QueryClient): (stale: Stale) => void {
  let gathered: Stale = {};
  let isPlanned = false;
  let restUntil = 0;

  async function refresh() {
    const stale = gathered;
    gathered = {};
    const began = performance.now();
    const isStale = (query: Query) => isShownBy(query, stale);
    // What is being fetched already is fetched for whoever sits here, perhaps after a change of their own.
    for (const query of client.getQueryCache().findAll({ type: "active", fetchStatus: "idle", predicate: isStale }))
      fetchedForOthers.add(query.queryHash);
    // One that hangs does not hold up the others for long.
    const isLate = new Promise((resolve) => setTimeout(resolve, patience.answer));
    await Promise.race([client.invalidateQueries({ predicate: isStale }), isLate]);
    restUntil = performance.now() + Math.min(Math.max(1_000, 4 * (performance.now() - began)), 15_000);
    isPlanned = false;
    if (Object.keys(gathered).length > 0) plan();
  }
  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    // Not all panels at once.
    setTimeout(() => void refresh(), Math.max(0, restUntil - performance.now()) + Math.random() * 200);
  }
  return (stale) => {
    for (const [kind, ids] of Object.entries(stale) as [StaleKind, true | string[]][]) {
      const known = gathered[kind];
      gathered[kind] = ids === true || known === true ? true : [...(known ?? []), ...ids];
      emitLive(kind, ids);
    }
    plan();
  };
}

/** A list shows whatever is of its kind; what is read by ids shows these, and all that its answer names. */
function isShownBy({ queryKey, state }: Query, stale: Stale): boolean {
  if (stale.everything) return true;
  const [path, input] = queryKey as [string, { params?: { id?: string }; query?: { ids?: string } }];
  const named = `${input?.params?.id ?? ""}${input?.query?.ids ?? ""}`;
  let text: string | undefined;
  return (Object.entries(stale) as [StaleKind, true | string[]][]).some(([kind, ids]) => {
    if (ids === true || !named) return shownBy[kind]?.some((beginning) => path.startsWith(beginning));
    text ??= named + JSON.stringify(state.data ?? "");
    return ids.some((each) => text?.includes(each));
  });
}
