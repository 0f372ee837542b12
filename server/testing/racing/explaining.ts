import { isDeepStrictEqual } from "node:util";
import { type Answer, type Asked, type Found, type Move, rules } from "./rules.ts";
import { type Shown, type State, shown } from "./state.ts";

export type Exchange = { asked: Asked; answer: Answer };

/** How far a call has come. */
type Progress = "not yet" | "done" | Found;

/**
 * Looks for an order in which the calls of a round, made one after another, would have given these answers and left
 * what is seen now. Returns the resulting state or, if there is none, how close the nearest one came.
 */
export function explain(
  before: State,
  round: Exchange[],
  seen: Shown,
): { after: State } | { nearest: Shown | undefined } {
  const tried = new Set<string>();
  let nearest: Shown | undefined;

  const search = (state: State, progress: Progress[]): State | undefined => {
    const here = JSON.stringify([progress, state]);
    if (tried.has(here)) return undefined;
    tried.add(here);
    if (progress.every((one) => one === "done")) {
      nearest = shown(state);
      return isDeepStrictEqual(nearest, seen) ? state : undefined;
    }
    for (const [place, one] of progress.entries()) {
      if (one === "done") continue;
      for (const move of movesOf(state, round, place, one === "not yet" ? undefined : one)) {
        const after = search(move.state, progress.with(place, move.found ?? "done"));
        if (after) return after;
      }
    }
    return undefined;
  };

  const after = search(
    before,
    round.map(() => "not yet"),
  );
  return after ? { after } : { nearest };
}

function movesOf(state: State, round: Exchange[], place: number, found: Found | undefined): Move[] {
  const { asked, answer } = round[place] as Exchange;
  const identity = `${asked.as} ${asked.key}`;
  const request = JSON.stringify([asked.call.path, asked.input]);
  const first = asked.key === undefined ? undefined : state.replies[identity];
  if (first) {
    const expected = first.request === request ? first.answer : undefined;
    const isRight = expected === undefined ? answer.status === 409 : expected === JSON.stringify(answer);
    return isRight && !found ? [{ state }] : [];
  }
  const rule = rules.get(asked.call);
  if (!rule) throw new Error(`nobody wrote down what ${asked.call.path} does`);
  const moves = rule({
    state: structuredClone(state),
    input: asked.input as never,
    status: answer.status,
    body: answer.body as never,
    found,
    as: asked.as,
    heldCodes: (type) => heldByOthers(round, place, type),
  });
  if (asked.key !== undefined && answer.status < 300)
    for (const move of moves)
      if (!move.found) move.state.replies[identity] = { request, answer: JSON.stringify(answer) };
  return moves;
}

/** A purchase refused for want of one code held other codes for a moment, which its neighbours skipped. */
function heldByOthers(round: Exchange[], place: number, type: string): number {
  const parcelsOf = ({ asked }: Exchange) => {
    const { body } = asked.input as { body?: { labelType?: string; orders?: { labelType: string }[] } };
    return body?.orders ?? [];
  };
  return round
    .filter((other, index) => index !== place && other.answer.status === 409)
    .flatMap(parcelsOf)
    .filter(({ labelType }) => labelType === type).length;
}
