import { AsyncLocalStorage } from "node:async_hooks";
import { isRefusal } from "@footprint/contract/refusal.ts";
import type { Database } from "../db/database.ts";
import { canSendTogether } from "../db/one-connection.ts";
import { databaseAway } from "./errors.ts";
import { othersWouldFindTheSame } from "./overload.ts";

/** A call that may be made together with others. */
type Gathered<M> = {
  member: M;
  /** Calls with the same key are made one group at a time. */
  key: string;
  /** Calls that have to wait for somebody else do so together with others of the same `about`. */
  about: string;
  /** Returns for each member its answer or refusal, or undefined if it would have to wait and may not. */
  work: (members: M[], mayWait: boolean) => Promise<unknown[]>;
};
type Waiting<M> = Gathered<M> & {
  answer: (answer: unknown) => void;
  refuse: (reason: unknown) => void;
  /** Runs work as part of this call, so that traces assign its statements to the right call. */
  asPartOfCall: <T>(work: () => T) => T;
};

/** Limits a group, so that whoever waits for its locks (or on the embedded engine for anything) does not wait long. */
const mostTogether = 32;
// biome-ignore lint/suspicious/noExplicitAny: those of one name have members of one kind
const gatherings = new WeakMap<Database, Map<string, Waiting<any>[]>>();

/** The first call is made at once; those that arrive meanwhile are made next, all together. */
export function gather<M>(db: Database, name: string, gathered: Gathered<M>): Promise<unknown> {
  const all = gatherings.get(db) ?? new Map<string, Waiting<M>[]>();
  gatherings.set(db, all);
  // On the embedded engine server and database share a thread, so there is nothing to do meanwhile.
  const byHalves = canSendTogether(db);
  const join = (name: string, one: Waiting<M>, mayWait: boolean) => {
    const others = all.get(name);
    if (others) return void others.push(one);
    const waiting = [one];
    all.set(name, waiting);
    const putOff = (one: Waiting<M>) => join(`${name} ${one.about}`, one, true);
    void workThrough(waiting, mayWait, byHalves, putOff, () => all.delete(name));
  };
  return new Promise((answer, refuse) => {
    join(name, { ...gathered, answer, refuse, asPartOfCall: AsyncLocalStorage.snapshot() }, false);
  });
}

async function workThrough<M>(
  waiting: Waiting<M>[],
  mayWait: boolean,
  byHalves: boolean,
  putOff: (one: Waiting<M>) => void,
  end: () => void,
): Promise<void> {
  const attempt = async (some: Waiting<M>[]) => {
    const [{ work, asPartOfCall }] = some as [Waiting<M>];
    const members = some.map(({ member }) => member);
    const outcomes = await asPartOfCall(() => work(members, mayWait));
    for (const [place, one] of some.entries()) {
      const outcome = outcomes[place];
      if (isRefusal(outcome)) one.refuse(outcome);
      else if (outcome !== undefined) one.answer(outcome);
      else putOff(one);
    }
  };
  let before = 0;
  while (waiting.length > 0) {
    const some = takeSome(waiting, byHalves ? Math.ceil((waiting.length + before) / 2) : waiting.length);
    before = some.length;
    await attempt(some).catch(async (error) => {
      const [one, ...others] = some as [Waiting<M>, ...Waiting<M>[]];
      const isForAll = othersWouldFindTheSame(error);
      if (isForAll) for (const each of [...others, ...waiting.splice(0)]) each.refuse(databaseAway());
      if (isForAll || others.length === 0) return one.refuse(error);
      // Whichever call caused the failure, the others must not fail with it.
      await Promise.all(some.map((each) => attempt([each]).catch(each.refuse)));
    });
  }
  // Must be done now: a call that joined later would wait for ever.
  end();
}

/**
 * The first of the waiting calls. Not all, since as many that were just answered may call again: while PostgreSQL works
 * for one half, the server answers the other and reads its next calls.
 */
function takeSome<M>(waiting: Waiting<M>[], share: number): Waiting<M>[] {
  const most = Math.min(share, mostTogether);
  const taken = new Map<string, Waiting<M>>();
  for (const one of waiting) if (taken.size < most && !taken.has(one.key)) taken.set(one.key, one);
  waiting.splice(0, waiting.length, ...waiting.filter((one) => taken.get(one.key) !== one));
  return [...taken.values()];
}
