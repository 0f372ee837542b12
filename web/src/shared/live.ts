import { events, type Stale, type StaleKind, shownBy } from "@footprint/contract/events.ts";
import type { Query, QueryClient } from "@tanstack/react-query";
import { apiBase } from "./api.ts";
import { emitLive, fetchedForOthers } from "./liveEvents.ts";
import { readToken } from "./token.ts";

/** How long anything is waited for, in milliseconds. */
const patience = {
  /** For the first event, which a buffering proxy would hold back. */
  hello: 8_000,
  /** For the answer to a call. */
  answer: 10_000,
  /** The server sends something every 15 seconds. */
  silence: 40_000,
  /** Browsers allow few connections to a host, and a hidden tab needs none. */
  hidden: 10_000,
  /** The window that tells the others does so every second, unless a native dialog blocks it. */
  otherWindow: 3_000,
};
const pauses = { shortest: 1_000, longest: 60_000, otherWindows: 1_000 };

/**
 * Browsers allow six connections to a host for all their windows. One window follows and tells the others, which leaves
 * the rest for calls. Without https there are no locks, and each window follows by itself.
 */
const oneForAll = "footprint-live";
const otherWindows = navigator.locks && new BroadcastChannel(oneForAll);

/** Works while no other window does; returns false if one does. */
async function alone(work: () => Promise<void>): Promise<boolean> {
  if (!navigator.locks) return work().then(() => true);
  return navigator.locks.request(oneForAll, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
    return lock !== null;
  });
}

/**
 * Follows other people's changes while the tab is visible, and fetches again what became stale. When a connection ends,
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
  /** When another window follows, and when this one last heard of it. */
  let isTold = false;
  let toldAt = 0;
  /** This window tells the others. */
  let tells = false;
  // Randomised, so that not all windows take over at once from a blocked one.
  const otherWindow = patience.otherWindow * (1 + Math.random() / 2);
  const begunAt = performance.now();
  /** The token of a session that has ended, or has to do something else first. */
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
      // It is unknown what happened in between. After an early first hello the server itself reports the moments
      // before.
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
      // The next step reports it: another try.
    } finally {
      clearTimeout(giveUp);
      abort.abort();
      if (connection === own) {
        tells = false;
        connection = undefined;
        const pause = Math.max(comeAgain, Math.min(pauses.shortest * 2 ** tries++, pauses.longest));
        comeAgain = pauses.shortest;
        // Randomised, so that not all panels return at once when a server is back.
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

  /** By the wall clock, which goes on while a computer sleeps, unlike the clock used elsewhere. */
  let lookedAt = Date.now();
  /** Checks everything each second: after a computer's sleep only this timer is overdue. */
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

  /** Somebody is back, or the network is: reconnects at once. */
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

/** Fetches again what became stale, at most once a second, and less often if the server is slow. */
function refresher(client: QueryClient): (stale: Stale) => void {
  let gathered: Stale = {};
  let isPlanned = false;
  let restUntil = 0;

  async function refresh() {
    const stale = gathered;
    gathered = {};
    const began = performance.now();
    const isStale = (query: Query) => isShownBy(query, stale);
    // A fetch under way is for the operator, perhaps after their own change, and is left alone.
    for (const query of client.getQueryCache().findAll({ type: "active", fetchStatus: "idle", predicate: isStale }))
      fetchedForOthers.add(query.queryHash);
    // A hanging call does not delay the others for long.
    const isLate = new Promise((resolve) => setTimeout(resolve, patience.answer));
    await Promise.race([client.invalidateQueries({ predicate: isStale }), isLate]);
    restUntil = performance.now() + Math.min(Math.max(1_000, 4 * (performance.now() - began)), 15_000);
    isPlanned = false;
    if (Object.keys(gathered).length > 0) plan();
  }
  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    // Randomised, so that not all panels fetch at once.
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

/** A list shows everything of its kind; calls by id show these ids, and all that their answer names. */
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
