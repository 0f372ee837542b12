import type { ServerResponse } from "node:http";
import { desc, gt, sql } from "drizzle-orm";
import { type Actor, livingSessions } from "../accounts/sessions.ts";
import { type Fact, onCommit } from "../db/commits.ts";
import type { Database } from "../db/database.ts";
import { talkWithOthers } from "../db/engine.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { logs } from "../db/schema.ts";
import { newestPositions } from "./notices.ts";
import { makePresence, type Opening } from "./presence.ts";
import { addForAccount, addLogRow, addNotices, nothingStale } from "./staleness.ts";
import { makeStreams } from "./streams.ts";

/** What servers tell each other. */
type ServerMessage = Fact | { opened: Opening };

/** How long changes are gathered before they are told. */
const gatheringMs = 250;
/** How often the log is searched for changes that nobody told, how far back, and up to how many rows. */
const lookEvery = 3_000;
const lookBack = { ms: 30_000, rows: 1_000 };
/** How often new notices are looked for, whichever server numbered their events. */
const noticesEvery = 700;
/** A PostgreSQL notification has less than 8,000 bytes. */
const longestText = 7_800;

export type Events = ReturnType<typeof openEvents>;

/**
 * Tells this server's open panels what became stale, whoever changed it. Changes committed here are told to the other
 * servers a moment later, because notifying inside the change's own transaction would make all such commits wait for
 * each other. Changes that a server did not tell, because it was killed or had lost its connection, are found in the
 * log. Whoever waits with an API key hears at once that it was changed or deleted.
 */
export function openEvents(db: Database, onKeyChanged: (id: string) => void) {
  const self = uuidv7();
  const streams = makeStreams(db);
  let toSay: ServerMessage[] = [];
  let staleness = nothingStale();
  let timer: NodeJS.Timeout | undefined;
  /** Rows of the log that have been told already, and when. */
  const known = new Map<string, number>();
  const presence = makePresence((id, readers) => {
    // A moment later, since a panel may ask another server, which should know of it too.
    setTimeout(() => {
      for (const reader of readers) addForAccount(staleness, reader, "presence", id);
      deliverSoon();
    }, gatheringMs).unref();
  });
  const others = talkWithOthers(db, "footprint", (text) => {
    try {
      const { from, said } = JSON.parse(text) as { from: string; said: ServerMessage[] };
      if (from !== self) said.forEach(hear);
    } catch {
      // From a server of another version, or from a stranger: take everything as stale.
      staleness.everything = true;
      deliverSoon();
    }
  });

  function deliverSoon() {
    timer ??= setTimeout(deliver, gatheringMs).unref();
  }

  function deliver() {
    timer = undefined;
    const said = toSay;
    toSay = [];
    // Anything that cannot be told is found in the log, or told again by panels that have something open.
    if (said.length > 0) others?.say(textsOf(self, said)).catch(() => {});
    const stale = staleness;
    staleness = nothingStale();
    streams.deliver(stale);
    // If the database does not answer, signed-out sessions are dropped once they are silent.
    forgetSignedOut(new Set(stale.accounts.keys())).catch(() => {});
  }

  /** Drops what signed-out, suspended or deleted accounts had open. */
  async function forgetSignedOut(accounts: ReadonlySet<string>) {
    const sessions = presence.sessionsOf(accounts);
    if (sessions.length === 0) return;
    const living = await livingSessions(db, sessions);
    presence.endSessions(new Set(sessions.filter((session) => !living.has(session))));
  }

  function hear(word: ServerMessage) {
    if ("opened" in word) return presence.note(word.opened);
    if (known.has(word.logged.id)) return;
    known.set(word.logged.id, performance.now());
    addLogRow(staleness, word.logged);
    const { subjectKind, subjectId } = word.logged;
    if (subjectKind === "api key" && subjectId) onKeyChanged(subjectId);
    deliverSoon();
  }

  function say(word: ServerMessage) {
    hear(word);
    if (others) toSay.push(word);
    deliverSoon();
  }

  const stopListening = onCommit(db, (facts) => facts.forEach(say));

  /** By the wall clock, which goes on while a computer sleeps, unlike the clock used elsewhere. */
  let lookedAt = 0;
  async function look() {
    presence.tidy();
    for (const [id, at] of known) {
      if (at > performance.now() - 2 * lookBack.ms) break;
      known.delete(id);
    }
    if (streams.count() === 0) return;
    const [began, time] = [performance.now(), Date.now()];
    const rows = await newestLogRows(db);
    const isCutOff = rows.length === lookBack.rows;
    const heardAll = !others || (others.since() ?? began) < began - lookBack.ms;
    if (Math.abs(time - lookedAt) > lookBack.ms - lookEvery || (isCutOff && !heardAll)) {
      staleness.everything = true;
      deliverSoon();
    }
    lookedAt = time;
    for (const logged of rows) hear({ logged });
  }
  let looking = Promise.resolve();
  const looks = setInterval(() => {
    looking = look().catch(() => {});
  }, lookEvery).unref();

  /** The position up to which panels were told of notices. Kept up to date while none is open, for the next one. */
  let noticed: Awaited<ReturnType<typeof newestPositions>> | undefined;
  async function lookForNotices() {
    const newest = await newestPositions(db);
    for (const kind of ["notices", "adminNotices"] as const)
      if (noticed && newest[kind] > noticed[kind]) {
        addNotices(staleness, kind);
        deliverSoon();
      }
    noticed = newest;
  }
  let noticing: Promise<void> | undefined;
  const notices = setInterval(() => {
    noticing ??= lookForNotices()
      .catch(() => {})
      .finally(() => {
        noticing = undefined;
      });
  }, noticesEvery).unref();

  return {
    openStream(actor: Actor, response: ServerResponse, headers: Record<string, string>) {
      // Nobody looked while no panel was open.
      if (streams.count() === 0) lookedAt = Date.now();
      streams.open(actor, response, headers);
    },

    setPresence({ id: account, username, tokenHash }: Actor, { tab, open }: Pick<Opening, "tab" | "open">) {
      say({ opened: { account, username, session: tokenHash, tab, open } });
      return open ? presence.others(open, account) : [];
    },

    endStreams: streams.end,

    async close() {
      stopListening();
      clearInterval(looks);
      clearInterval(notices);
      clearTimeout(timer);
      deliver();
      await looking;
      await noticing;
      await others?.end();
    },
  };
}

/** By the index of the newest rows, however long the log is. */
function newestLogRows(db: Database) {
  const { id, type, actorKind, actorId, subjectKind, subjectId, customerId, createdAt } = logs;
  return prepared(db, "log rows of the last moments", () =>
    db
      .select({ id, type, actorKind, actorId, subjectKind, subjectId, customerId })
      .from(logs)
      .where(gt(createdAt, sql`now() - make_interval(secs => ${lookBack.ms / 1000})`))
      .orderBy(desc(createdAt), desc(id))
      .limit(lookBack.rows)
      .prepare(""),
  ).execute();
}

/** In as few notifications as possible. */
function textsOf(from: string, words: ServerMessage[]): string[] {
  const texts: string[] = [];
  const close = (part: string[]) => texts.push(`{"from":"${from}","said":[${part.join(",")}]}`);
  let part: string[] = [];
  let bytes = 0;
  for (const word of words.map((each) => JSON.stringify(each))) {
    const size = Buffer.byteLength(word) + 1;
    if (bytes + size > longestText - 100) {
      close(part);
      part = [];
      bytes = 0;
    }
    part.push(word);
    bytes += size;
  }
  close(part);
  return texts;
}
