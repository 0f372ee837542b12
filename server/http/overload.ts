import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Access, Endpoint } from "@footprint/contract/endpoint.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { networkOf } from "../accounts/addresses.ts";
import { hashToken } from "../accounts/sessions.ts";
import { databaseCode, databaseIsAway } from "../db/failures.ts";
import { Shared } from "../db/shared.ts";
import { databaseAway, saysDatabaseIsAway } from "./errors.ts";

/**
 * How much is done at once, and for whom. A call holds a place in a lane only while the server works for it: from the
 * moment it has arrived completely until its answer is made, never while somebody sends or reads slowly. Strangers,
 * shops and accounts have separate lanes, and no caller can take a whole one: even the busiest account and the busiest
 * shop together leave some of the twenty database connections to others.
 */
const lanes = {
  panel: lane({ atOnce: 16, each: 10 }),
  shops: lane({ atOnce: 12, each: 8 }),
  uploads: lane({ atOnce: 4, each: 2 }),
  /** Pieces of files being read from the database, decoded and written. */
  downloads: lane({ atOnce: 2, each: 1 }),
  searches: lane({ atOnce: 6, each: 3, waiting: 40, eachWaiting: 10 }),
  /** Single rows of calls for several rows. */
  rows: lane({ atOnce: 6, each: 3 }),
  /** Calls that wait for shared work, or work row by row: they hold only this place. */
  longWork: lane({ atOnce: 64, each: 8 }),
  /** Calls that are made together with others of the same caller: a group takes one place. */
  together: lane({ atOnce: 128, each: 64 }),
  /** Calls that process a file of several megabytes in memory. */
  wholeFiles: lane({ atOnce: 2, each: 1, waiting: 40, eachWaiting: 10 }),
  /** Callers whose token was valid a moment ago. */
  knownTokens: lane({ atOnce: 8, each: 4 }),
  signIns: lane({ atOnce: 4, each: 3, waiting: 100, eachWaiting: 20 }),
  /** Sign-ins from networks where somebody is signed in: a colleague, or the same person on another device. */
  colleaguesSignIns: lane({ atOnce: 4, each: 3, waiting: 100, eachWaiting: 20 }),
  publicPages: lane({ atOnce: 4, each: 3, waiting: 500, eachWaiting: 200 }),
  unknownAccounts: lane({ atOnce: 4, each: 3, waiting: 500, eachWaiting: 200 }),
  unknownShops: lane({ atOnce: 4, each: 3, waiting: 500, eachWaiting: 200 }),
  /** The one thread, for work that keeps it busy: reading bodies and writing answers. */
  thread: lane({ atOnce: 1, each: 1 }),
  /** The same for public pages, so that known callers do not wait for them. */
  threadForStrangers: lane({ atOnce: 1, each: 1 }),
};

/** Calls of one account or key under way: being sent, waiting, being worked on, or with an unread answer. */
const eachUnderWay = 128;
const underWay = new Map<string, number>();

/** Recently valid tokens by hash: the caller, and when they were last seen. */
const known = new Map<string, { caller: Caller; at: number }>();
/** Networks from which signed-in people have called. */
const placesOfWork = new Map<string, true>();
const mostRemembered = 10_000;

/** Whether signed-in people have called from this network. */
export const isPlaceOfWork = (network: string) => placesOfWork.has(network);

/** Forgets the oldest first. */
function remember<T>(all: Map<string, T>, name: string, what: T) {
  all.delete(name);
  for (const oldest of all.keys()) if (all.size >= mostRemembered) all.delete(oldest);
  all.set(name, what);
}

type Caller = { id: string; shopId?: string };

/** All keys of a shop are one caller. */
const nameOf = ({ id, shopId }: Caller) => shopId ?? id;

let worksOneByOne = false;
/** Operators' calls being worked on. */
let operatorsCalls = 0;
/** How long the embedded engine was busy with the last shop's call alone. */
let lastOfShops = 0;
/** A shop's call shorter than this delays nobody. */
const shortMs = 50;

async function forOperator<T>(work: () => Promise<T>): Promise<T> {
  operatorsCalls++;
  try {
    return await work();
  } finally {
    operatorsCalls--;
  }
}

/**
 * An operator's call asks the database several times, and on the embedded engine each time would wait behind another
 * bulk order of a shop. So after a shop's call, operators' calls come first for as long as that call took.
 */
async function forShop<T>(work: () => Promise<T>): Promise<T> {
  if (!worksOneByOne) return work();
  const until = performance.now() + lastOfShops;
  if (lastOfShops > shortMs)
    do await setTimeout(5);
    while (operatorsCalls > 0 && performance.now() < until);
  const since = performance.now();
  try {
    return await work();
  } finally {
    lastOfShops = performance.now() - since;
  }
}

/**
 * The embedded engine does one thing at a time, and whatever it has been given comes before an operator's next
 * question. So it is given little at once, and nobody waits for all of a shop's calls.
 */
export function workOneByOne() {
  worksOneByOne = true;
  lanes.panel.narrow({ atOnce: 4, each: 3 });
  lanes.shops.narrow({ atOnce: 2, each: 1 });
  lanes.searches.narrow({ atOnce: 2, each: 1 });
  lanes.rows.narrow({ atOnce: 1, each: 1 });
  lanes.uploads.narrow({ atOnce: 1, each: 1 });
  lanes.downloads.narrow({ atOnce: 1, each: 1 });
  lanes.longWork.narrow({ atOnce: 16, each: 2 });
  lanes.wholeFiles.narrow({ atOnce: 1, each: 1 });
  lanes.knownTokens.narrow({ atOnce: 2, each: 1 });
}

/**
 * Finds who sent a token; `find` asks the database. Recently known callers do not queue with strangers, and if they
 * have far too many calls under way they are refused before the database is asked.
 */
export async function recognise<C extends Caller>(
  token: string,
  access: Access,
  request: FastifyRequest,
  { raw }: FastifyReply,
  find: () => Promise<C | undefined>,
): Promise<C | undefined> {
  const before = recentCaller(token);
  const knownId = before && nameOf(before);
  if (before) begin(before, raw);
  const strangers = access === "storefront" ? lanes.unknownShops : lanes.unknownAccounts;
  // Known callers take turns too: a caller that hangs up leaves its look-up running and begins another.
  const look = () => {
    if (!knownId) return inTurn(strangers, strangerAt(request), raw, find);
    return access === "storefront"
      ? lookTogether(hashToken(token), find)
      : inTurn(lanes.knownTokens, knownId, raw, find);
  };
  const caller = await (access === "storefront" || !knownId ? look() : forOperator(look));
  noteCaller(token, access, request, caller);
  if (caller && !before) begin(caller, raw);
  return caller;
}

const looks = new Shared((find: () => Promise<Caller | undefined>) => find());

/** A shop makes many calls, which share look-ups. */
async function lookTogether<C extends Caller>(hash: string, find: () => Promise<C | undefined>) {
  const found = (await looks.do(hash, find).done) as C | undefined;
  // Each call keeps its own copy of the caller.
  return found && { ...found };
}

/** The caller of this token when last seen, if that was at most so many milliseconds ago. */
export function recentCaller(token: string, within = Number.POSITIVE_INFINITY): Caller | undefined {
  const seen = known.get(hashToken(token));
  return seen && performance.now() - seen.at < within ? seen.caller : undefined;
}

/** Remembers the caller found for a token, or forgets a token that was not found. */
export function noteCaller(token: string, access: Access, request: FastifyRequest, caller: Caller | undefined) {
  const hash = hashToken(token);
  known.delete(hash);
  if (!caller) return;
  remember(known, hash, { caller: { ...caller }, at: performance.now() });
  if (access !== "storefront") remember(placesOfWork, strangerAt(request), true);
}

/** From here on the call counts as under way for this caller. */
export function begin(caller: Caller, response: ServerResponse) {
  const id = nameOf(caller);
  if (response.closed) throw goneAway();
  const calls = underWay.get(id) ?? 0;
  if (calls >= eachUnderWay) throw tooMuch();
  underWay.set(id, calls + 1);
  response.once("close", () => countDown(underWay, id));
}

/** Runs a call in its turn, or refuses it with 503. */
export function whenItsTurn<T>(
  call: Endpoint,
  caller: Caller | undefined,
  request: FastifyRequest,
  { raw }: FastifyReply,
  work: () => Promise<T>,
): Promise<T> {
  if (!caller) {
    const place = strangerAt(request);
    const signIns = isPlaceOfWork(place) ? lanes.colleaguesSignIns : lanes.signIns;
    return inTurn(call.method === "POST" ? signIns : lanes.publicPages, place, raw, work);
  }
  const isShop = call.access === "storefront";
  const ownLane = isShop ? lanes.shops : lanes.panel;
  if (call.together) return inTurn(lanes.together, nameOf(caller), raw, work);
  const lane = call.takesLong === "with a file" ? lanes.wholeFiles : call.takesLong ? lanes.longWork : ownLane;
  const inOwnLane = () =>
    isShop
      ? inTurn(lane, nameOf(caller), raw, () => forShop(work))
      : forOperator(() => inTurn(lane, nameOf(caller), raw, work));
  const { search, q } = request.query as { search?: string; q?: string };
  const isSearch = Boolean(search || q);
  return isSearch ? inTurn(lanes.searches, nameOf(caller), raw, inOwnLane) : inOwnLane();
}

/** Runs calls of a shop that are made together. */
export const whenItsTurnTogether = <T>(caller: Caller, work: () => Promise<T>): Promise<T> =>
  inTurn(lanes.shops, nameOf(caller), undefined, () => forShop(work));

/** Begins a call that works row by row, each row by `whenItsRowsTurn`. */
export const whenItMayBegin = <T>(caller: Caller, { raw }: FastifyReply, work: () => Promise<T>): Promise<T> =>
  inTurn(lanes.longWork, nameOf(caller), raw, work);

/** Others have a turn between two rows, however many rows a call has. */
export const whenItsRowsTurn = <T>(caller: Caller, { raw }: FastifyReply, work: () => Promise<T>): Promise<T> =>
  inTurn(lanes.rows, nameOf(caller), raw, () => inTurn(lanes.panel, nameOf(caller), raw, work));

/** Stores a piece of a caller's upload in its turn. */
export const whenItsTurnToStore = <T>(caller: Caller, { raw }: FastifyReply, work: () => Promise<T>): Promise<T> =>
  inTurn(lanes.uploads, nameOf(caller), raw, work);

/** Reads a piece of a caller's download in its turn. */
export const whenItsTurnToRead = <T>(caller: Caller, { raw }: FastifyReply, work: () => Promise<T>): Promise<T> =>
  inTurn(lanes.downloads, nameOf(caller), raw, work);

/** Calls that are made together share a turn of the event loop for this long. */
const sharedTurnMs = 1;
let sharedTurnEnds = 0;

/**
 * Does work that keeps the thread busy, one piece in each turn of the event loop, so that everything that happened
 * meanwhile comes before the next piece; callers take turns, however much each has waiting. Calls that are made
 * together are short and share turns: on the embedded engine each statement takes a turn too, so otherwise only a few
 * of them could arrive meanwhile.
 */
export const whenTheThreadIsFree = <T>(
  caller: Caller | undefined,
  request: FastifyRequest,
  { raw }: FastifyReply,
  work: () => T,
  sharesTurn = false,
): Promise<T> =>
  inTurn(
    caller ? lanes.thread : lanes.threadForStrangers,
    caller ? nameOf(caller) : strangerAt(request),
    raw,
    async () => {
      if (!sharesTurn || performance.now() >= sharedTurnEnds) {
        await setImmediate();
        sharedTurnEnds = performance.now() + sharedTurnMs;
      }
      return work();
    },
  );

/** By the 48 bits of IPv6 that a provider gives to one customer, who can use any number of 64-bit networks in them. */
const strangerAt = ({ address }: FastifyRequest) => networkOfCaller(address);
export const networkOfCaller = (address: string) => networkOf(address, 48);

/** Calls refused since the start, for the metrics. */
export let shedCalls = 0;

function tooMuch() {
  shedCalls++;
  return refusal(503, "Too much is going on at the moment. Try again in a few seconds.", { retryAfter: 2 });
}

/** Between the steps of long work: stops if the caller has hung up. */
export function refuseIfGone({ raw }: FastifyReply) {
  if (raw.closed) throw goneAway();
}

const goneAway = () => refusal(503, "The caller has gone away");

type Lane = ReturnType<typeof lane>;

const statementTimeout = "57014";

/**
 * Whether waiting callers would fail the same way, one after another. A statement that took too long says nothing about
 * others.
 */
export const othersWouldFindTheSame = (error: unknown) =>
  saysDatabaseIsAway(error) || (databaseIsAway(error) && databaseCode(error) !== statementTimeout);

async function inTurn<T>(
  lane: Lane,
  who: string,
  response: ServerResponse | undefined,
  work: () => Promise<T>,
): Promise<T> {
  await lane.enter(who, response);
  try {
    return await work();
  } catch (error) {
    if (othersWouldFindTheSame(error)) lane.refuseAll(databaseAway);
    throw error;
  } finally {
    lane.leave(who);
  }
}

/** Limits calls running and waiting, in all and for each caller. */
function lane({ atOnce, each, waiting = Number.POSITIVE_INFINITY, eachWaiting = waiting }: Width) {
  let width = { atOnce, each };
  let running = 0;
  let turns = 0;
  /** Callers with anything running or waiting. */
  const callers = new Map<string, Waiting>();
  const queue = new Set<Place>();
  const isFreeFor = (caller: Waiting) => running < width.atOnce && caller.running < width.each;
  const next = () => {
    let best: Place | undefined;
    for (const place of queue)
      if (isFreeFor(place.caller) && (!best || comesBefore(place.caller, best.caller))) best = place;
    return best;
  };
  const find = (who: string) => {
    // New calls queue behind waiting ones, or these could wait for ever.
    const caller = callers.get(who) ?? { who, running: 0, waiting: 0, lastTurn: turns };
    callers.set(who, caller);
    return caller;
  };
  const forgetIdle = (caller: Waiting) => caller.running + caller.waiting === 0 && callers.delete(caller.who);
  const take = (caller: Waiting) => {
    running++;
    caller.running++;
    caller.lastTurn = ++turns;
  };
  const leaveQueue = (place: Place) => {
    if (!queue.delete(place)) return false;
    place.caller.waiting--;
    forgetIdle(place.caller);
    return true;
  };
  return {
    narrow(narrower: Pick<Width, "atOnce" | "each">) {
      width = narrower;
    },
    async enter(who: string, response: ServerResponse | undefined) {
      // No work is done for a caller who has gone away, now or while waiting.
      if (response?.closed) throw goneAway();
      const caller = find(who);
      if (isFreeFor(caller)) return take(caller);
      if (caller.waiting >= eachWaiting) throw tooMuch();
      if (queue.size >= waiting) {
        // The queue is shared: the caller with most places in it gives up its last one to a caller with clearly fewer.
        const most = mostWaiting(callers);
        const last = [...queue].findLast((place) => place.caller === most);
        if (!last || last.caller.waiting < caller.waiting + 2) {
          forgetIdle(caller);
          throw tooMuch();
        }
        leaveQueue(last);
        last.giveUp(tooMuch());
      }
      let goAway = () => {};
      await new Promise<void>((start, giveUp) => {
        const place = { caller, start, giveUp };
        queue.add(place);
        caller.waiting++;
        goAway = () => leaveQueue(place) && giveUp(goneAway());
        response?.once("close", goAway);
      }).finally(() => response?.off("close", goAway));
    },
    refuseAll(reason: () => Error) {
      for (const place of [...queue]) {
        leaveQueue(place);
        place.giveUp(reason());
      }
    },
    leave(who: string) {
      running--;
      const left = find(who);
      left.running--;
      forgetIdle(left);
      for (let place = next(); place; place = next()) {
        take(place.caller);
        leaveQueue(place);
        place.start();
      }
    },
  };
}
type Waiting = { who: string; running: number; waiting: number; lastTurn: number };
type Place = { caller: Waiting; start: () => void; giveUp: (reason: Error) => void };

/** Whoever has least under way comes first; among equals, whoever was served longest ago. */
const comesBefore = (one: Waiting, other: Waiting) =>
  one.running < other.running || (one.running === other.running && one.lastTurn < other.lastTurn);

const mostWaiting = (callers: Map<string, Waiting>) =>
  [...callers.values()].reduce((most, caller) => (caller.waiting > most.waiting ? caller : most));

type Width = { atOnce: number; each: number; waiting?: number; eachWaiting?: number };

function countDown(counts: Map<string, number>, name: string) {
  const left = (counts.get(name) ?? 0) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
