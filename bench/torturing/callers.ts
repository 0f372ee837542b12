import { setTimeout as wait } from "node:timers/promises";
import type { Endpoint, Input } from "@footprint/contract/endpoint.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import type { Random } from "../../server/demo/random.ts";
import { type Answer, type Call, isAnswer, isOk, type Sent, send } from "../calls.ts";
import { type Asked, isOrdinary, openJournal } from "./journal.ts";

/** Callers who repeat unanswered calls with the same key, and note every outcome. */
export function callersOf(
  installation: { origins(): string[] },
  onTrouble: (finding: string) => void,
  onLost = (_: string) => {},
) {
  const journal = openJournal();
  const counts = {
    /** Changing calls that were told of success. */
    acknowledged: 0,
    /** Answers that never came, or asked to come again. */
    lost: 0,
  };
  let over = false;

  function caller(token: string, random: Random): Call {
    const told: (() => Promise<unknown>)[] = [];
    return async (endpoint, input, key) => {
      // Somebody who forgot the answer asks again.
      if (told.length > 0 && random.chance(0.05)) await told.splice(random.between(0, told.length - 1), 1)[0]?.();
      const changes = endpoint.method !== "GET" && endpoint.path !== storefront.quote.path;
      const asked = changes ? journal.ask(endpoint, input as Sent, key) : undefined;
      const make = () => untilAnswered({ endpoint, input, key, token, random, asked });
      // An impatient caller sends it twice at once.
      const [answer] = await Promise.all(key && random.chance(0.05) ? [make(), make()] : [make()]);
      if (key && isOk(answer) && random.chance(0.05)) told.push(make);
      return answer;
    };
  }

  type Attempt<E extends Endpoint> = {
    endpoint: E;
    input: Input<E>;
    key: string | undefined;
    token: string;
    random: Random;
    /** Undefined for calls that change nothing. */
    asked: Asked | undefined;
  };

  async function untilAnswered<E extends Endpoint>(attempt: Attempt<E>): Promise<Answer<E> | undefined> {
    const { endpoint, input, key, token, random, asked } = attempt;
    for (let tries = 1; !over; await wait(random.between(10, 100))) {
      const origins = installation.origins();
      if (origins.length === 0) continue;
      const answer = await send({ origin: random.pick(origins), token }, endpoint, input, key);
      if (isAnswer(answer)) {
        if (!isOrdinary(endpoint, answer as Answer, tries))
          onTrouble(`${endpoint.path} ${key ?? ""} was answered ${answer.status}: ${answer.body?.message}`);
        asked?.answers.push({ ...(answer as Answer), tries });
        if (asked && isOk(answer)) counts.acknowledged++;
        return answer;
      }
      tries++;
      counts.lost++;
      onLost(`${endpoint.path} got no answer: ${answer.why}`);
      // Some give up: only the rows can tell whether it was done.
      if (asked && random.chance(0.1)) break;
    }
    if (asked) asked.gaveUp = true;
    return undefined;
  }

  return {
    caller,
    counts,
    journal: journal.all,
    /** All waiting callers give up. */
    giveUp() {
      over = true;
    },
  };
}
