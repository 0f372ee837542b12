import { type NoticeKind, urgentKinds } from "@footprint/contract/notices.ts";
import { and, eq, inArray, isNotNull, isNull, lt, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { Chat, Config } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { accounts, chatMessages, chats, settings } from "../db/schema.ts";
import { kindsFor, type NoticeRow, newestNotices, statesOf } from "../notices/notices.ts";
import { type Answer, sendText } from "./providers.ts";
import { panelAddress, textOf } from "./texts.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long notices are gathered for the first message, and the least time between two messages. */
const waits = { gathering: 30 * second, urgent: minute, usual: hour };
/** From one try to the next; the last pause then repeats. */
const pauses = [10 * second, minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour];
const longestPause = 24 * hour;
const givenUpAfter = 72 * hour;
/** How long a server may work on a message alone; it waits much less for a provider. */
const lease = minute;
/** Up to so many notices of a kind are counted. */
const mostRows = 100;

const isListening = and(
  eq(accounts.notificationAccess, true),
  ne(accounts.chatId, ""),
  isNull(accounts.suspendedAt),
) as SQL;

type Settled = Config & { chat: Chat };

/**
 * Sends the messages that are due. Safe on any number of servers at once: whoever claims an account's message has it
 * for a minute, and no transaction is open while the provider is called. A message that may or may not have arrived is
 * sent again.
 */
export async function sendMessages(db: Database, config: Config): Promise<void> {
  const { chat } = config;
  if (!chat) return;
  await keepChats(db);
  const sending: Promise<void>[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  try {
    for (const { id } of await accountsToLookAt(db)) {
      const claimed = await db.transaction((tx) => claim(tx, { ...config, chat }, id));
      // Heard at once: a failure that nobody listens to would end the program.
      if (claimed) sending.push(send(db, { ...config, chat }, claimed).catch(fail));
    }
  } finally {
    await Promise.all(sending);
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * An account that begins to get messages hears of what happens from then on; for one that stops, waiting messages are
 * dropped.
 */
async function keepChats(db: Database) {
  const listening = db.select({ id: accounts.id }).from(accounts).where(isListening);
  await db.execute(sql`
    insert into ${chats} (account_id) select id from ${accounts}
    where ${isListening} and not exists (select from ${chats} where account_id = ${accounts.id})
    on conflict do nothing`);
  await db.delete(chats).where(notInArray(chats.accountId, listening));
  await db
    .delete(chatMessages)
    .where(and(eq(chatMessages.state, "waiting"), notInArray(chatMessages.accountId, listening)));
}

/** Accounts for which something happened since their last message, and those whose message has not arrived. */
function accountsToLookAt(db: Database) {
  const waiting = db.select({ id: chatMessages.accountId }).from(chatMessages).where(eq(chatMessages.state, "waiting"));
  return db
    .select({ id: chats.accountId })
    .from(chats)
    .where(or(lt(chats.position, sql`newest_event()`), inArray(chats.accountId, waiting)))
    .orderBy(chats.accountId);
}

type Claimed = { id: string; account: string; tries: number; chatId: string; text: string; position: number };

/** An account's message, if one is due, claimed for this server. */
async function claim(tx: Transaction, config: Settled, id: string): Promise<Claimed | undefined> {
  const [found] = await tx
    .select({ chat: chats, account: accounts })
    .from(chats)
    .innerJoin(accounts, eq(accounts.id, chats.accountId))
    .where(and(eq(chats.accountId, id), isListening))
    .for("update", { of: chats, skipLocked: true });
  if (!found) return;
  const { chat, account } = found;
  const clock = await readClock(tx);
  if (isQuiet(account, clock.local)) return;
  const [open] = await tx
    .select()
    .from(chatMessages)
    .where(and(eq(chatMessages.accountId, id), eq(chatMessages.state, "waiting")));
  if (open && (isAhead(open.leasedUntil, lease) || isAhead(open.nextTryAt, longestPause))) return;
  const end = (position: number) => tx.update(chats).set({ position }).where(eq(chats.accountId, id));
  if (open && clock.now - open.createdAt.getTime() >= givenUpAfter) {
    await tx.update(chatMessages).set({ state: "failed", nextTryAt: null }).where(eq(chatMessages.id, open.id));
    await tx.update(chats).set({ messagedAt: sql`clock_timestamp()` }).where(eq(chats.accountId, id));
    await end(open.position ?? chat.position);
    return;
  }
  const rows = await waitingFor(tx, config, account, { after: chat.position, until: clock.newest });
  if (rows.length === 0) {
    if (open) await closeNeedless(tx, open.id);
    await end(clock.newest);
    return;
  }
  if (!open && !isTime(rows, chat.messagedAt)) return;
  const text = textOf(config.chat, panelAddress(config), rows);
  const tried = {
    text,
    position: clock.newest,
    leasedUntil: sql`clock_timestamp() + make_interval(secs => ${lease / second})`,
  };
  const [message] = open
    ? await tx
        .update(chatMessages)
        .set({ ...tried, tries: open.tries + 1 })
        .where(eq(chatMessages.id, open.id))
        .returning()
    : await tx
        .insert(chatMessages)
        .values({ ...tried, accountId: id, tries: 1, createdAt: sql`clock_timestamp()` })
        .returning();
  if (!message) throw new Error("a message that was written is returned");
  return { id: message.id, account: id, tries: message.tries, chatId: account.chatId, text, position: clock.newest };

  /** In the future, but so little that the clock need not have been set back. */
  function isAhead(moment: Date | null, most: number): boolean {
    const left = (moment?.getTime() ?? 0) - clock.now;
    return left > 0 && left <= most;
  }
  function isWithin(moment: Date | null, most: number): boolean {
    const age = clock.now - (moment?.getTime() ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < most;
  }
  /** Gathered long enough, and not too soon after the last message. */
  function isTime(rows: NoticeRow[], last: Date | null): boolean {
    const oldest = rows.reduce((one, other) => (one.createdAt < other.createdAt ? one : other));
    if (isWithin(oldest.createdAt, waits.gathering)) return false;
    const isUrgent = rows.some(({ kind }) => urgentKinds.includes(kind));
    return !isWithin(last, isUrgent ? waits.urgent : waits.usual);
  }
}

/** Ends a message of which nothing is left to tell. */
const closeNeedless = (tx: Transaction, id: string) =>
  tx
    .update(chatMessages)
    .set({
      state: "failed",
      nextTryAt: null,
      outcomes: sql`${chatMessages.outcomes} || ${outcome({ status: null, answer: "Somebody has done all of it meanwhile" })}`,
    })
    .where(eq(chatMessages.id, id));

/** By the database's clock, in the business's timezone. */
async function readClock(tx: Transaction) {
  const [row] = await tx
    .select({
      now: sql`extract(epoch from clock_timestamp())::float8 * 1000`.mapWith(Number),
      local: sql<string>`to_char(clock_timestamp() at time zone ${settings.timezone}, 'HH24:MI')`,
      newest: sql`newest_event()`.mapWith(Number),
    })
    .from(settings);
  if (!row) throw new Error("the settings row is missing");
  return row;
}

type Account = typeof accounts.$inferSelect;

function isQuiet({ quietFrom: from, quietTo: to }: Account, local: string): boolean {
  if (from === null || to === null) return false;
  return from < to ? local >= from && local < to : local >= from || local < to;
}

/** Notices that the account may see, wants to hear of, and that still need somebody. */
async function waitingFor(
  tx: Transaction,
  { timezone }: Config,
  { role, messageKinds }: Account,
  span: { after: number; until: number },
): Promise<NoticeRow[]> {
  const isWanted = (kind: NoticeKind) => messageKinds === null || messageKinds.includes(kind);
  const rows = await newestNotices(tx, kindsFor(role).filter(isWanted), mostRows, span);
  const states = await statesOf({ db: tx, timezone, now: new Date() }, rows);
  return rows.filter(({ id }) => !states.get(id));
}

async function send(db: Database, { chat, timeouts }: Settled, claimed: Claimed): Promise<void> {
  const answer = await sendText(chat, timeouts.chat, claimed.chatId, claimed.text);
  await db.transaction(async (tx) => {
    const { id, tries, position, account } = claimed;
    const pause = Math.max(answer.retryAfter * second, pauses[Math.min(tries, pauses.length) - 1] ?? hour);
    const next = sql`clock_timestamp() + make_interval(secs => ${Math.min(pause, longestPause) / second})`;
    const [own] = await tx
      .update(chatMessages)
      .set({
        ...(answer.sent && { state: "sent" }),
        nextTryAt: answer.sent ? null : next,
        leasedUntil: null,
        outcomes: sql`${chatMessages.outcomes} || ${outcome(answer)}`,
      })
      // Another server has taken over, because this one took too long.
      .where(and(eq(chatMessages.id, id), eq(chatMessages.tries, tries), isNotNull(chatMessages.leasedUntil)))
      .returning();
    if (!own || !answer.sent) return;
    await tx.update(chats).set({ position, messagedAt: sql`clock_timestamp()` }).where(eq(chats.accountId, account));
  });
}

/** As it is stored, with the time. */
const outcome = ({ status, answer }: Pick<Answer, "status" | "answer">) =>
  sql`jsonb_build_array(jsonb_build_object(
    'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'status', ${status}::int, 'answer', ${withoutNull(answer)}::text))`;

/** PostgreSQL cannot store this character. */
const withoutNull = (text: string) => text.replaceAll("\0", "");

/** Sends a message at once, whatever the settings, to see whether messages arrive. */
export async function sendTest(config: Settled, { chatId, username }: Pick<Account, "chatId" | "username">) {
  const text = `This is a test message from Footprint to ${username}: messages arrive here.\n${panelAddress(config)}`;
  return { text, ...(await sendText(config.chat, config.timeouts.chat, chatId, text)) };
}

export async function keepTest(tx: Transaction, accountId: string, { text, ...answer }: Answer & { text: string }) {
  await tx.insert(chatMessages).values({
    ...{ accountId, text, isTest: true, tries: 1, state: answer.sent ? "sent" : "failed" },
    outcomes: sql`${outcome(answer)}`,
  });
}

/** The last messages to an account. */
export const lastMessages = (db: Database, accountId: string) =>
  db
    .select()
    .from(chatMessages)
    .where(eq(chatMessages.accountId, accountId))
    .orderBy(sql`${chatMessages.createdAt} desc, ${chatMessages.id} desc`)
    .limit(10);

/** For housekeeping. */
export const forgetMessages = (db: Database) =>
  db
    .delete(chatMessages)
    .where(and(ne(chatMessages.state, "waiting"), lt(chatMessages.createdAt, sql`now() - interval '30 days'`)));

const roundEvery = 2 * second;

/** Sends due messages every two seconds, until stopped. */
export function startMessages(db: Database, config: Config, onFailure: (error: unknown) => void): () => Promise<void> {
  let going: Promise<void> | undefined;
  const rounds = setInterval(() => {
    going ??= sendMessages(db, config)
      .catch(onFailure)
      .finally(() => {
        going = undefined;
      });
  }, roundEvery);
  return async () => {
    clearInterval(rounds);
    await going;
  };
}
