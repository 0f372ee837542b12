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

/** What servers say to each other. */
type Word = Fact | { opened: Opening };

/** How long is gathered before anything is said. */
const gatheringMs = 250;
/** How often the log is looked at for what nobody said, how far back, and for how many rows. */
const lookEvery = 3_000;
const lookBack = { ms: 30_000, rows: 1_000 };
/** How often is looked for new notices, whichever server made them readable. */
const noticesEvery = 700;
/** PostgreSQL takes less than 8,000 bytes at once. */
const longestText = 7_800;

export type Events = ReturnType<typeof openEvents>;

/**
 * Tells the panels that are open on this server what became stale, whoever changed it. What is committed here is said to
 * the other servers a moment later: in the change's own transaction all such commits would wait for each other. What a
 * server did not come to say, since it was killed or had lost its connection, is found in the log.
 */
export function openEvents(db: Database) {
  const self = uuidv7();
  const streams = makeStreams(db);
  let toSay: Word[] = [];
  let staleness = nothingStale();
  let timer: NodeJS.Timeout | undefined;
  /** Rows of the log that need not be told again, and when they were. */
  const known = new Map<string, number>();
  const presence = makePresence((id, readers) => {
    // A moment later: whoever asks then may ask another server, which is to have heard of it too.
    setTimeout(() => {
      for (const reader of readers) addForAccount(staleness, reader, "presence", id);
      deliverSoon();
    }, gatheringMs).unref();
  });
  const others = talkWithOthers(db, "footprint", (text) => {
    try {
      const { from, said } = JSON.parse(text) as { from: string; said: Word[] };
      if (from !== self) said.forEach(hear);
    } catch {
      // A server of another version, or nobody's: whatever it meant.
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
    // What cannot be said is found in the log, or said again by whoever has something open.
    if (said.length > 0) others?.say(textsOf(self, said)).catch(() => {});
    const stale = staleness;
    staleness = nothingStale();
    streams.deliver(stale);
    // Where the database does not answer, whoever is gone is forgotten by their silence.
    forgetSignedOut(new Set(stale.accounts.keys())).catch(() => {});
  }

  /** Who was signed out, suspended or deleted has nothing open any more. */
  async function forgetSignedOut(accounts: ReadonlySet<string>) {
    const sessions = presence.sessionsOf(accounts);
    if (sessions.length === 0) return;
    const living = await livingSessions(db, sessions);
    presence.endSessions(new Set(sessions.filter((session) => !living.has(session))));
  }

  function hear(word: Word) {
    if ("opened" in word) return presence.note(word.opened);
    if (known.has(word.logged.id)) return;
    known.set(word.logged.id, performance.now());
    addLogRow(staleness, word.logged);
    deliverSoon();
  }

  function say(word: Word) {
    hear(word);
    if (others) toSay.push(word);
    deliverSoon();
  }

  const stopListening = onCommit(db, (facts) => facts.forEach(say));

  /** By the clock on the wall, which goes on while a computer sleeps; whatever else lasts is measured without it. */
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

  /** Up to where in the events panels were told of notices. Also while none is open: who comes next hears of it. */
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
      // Nobody looked while nobody was there.
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

/** By the index of the newest, whatever the log's length. */
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

/** In as few texts as PostgreSQL takes. */
function textsOf(from: string, words: Word[]): string[] {
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
