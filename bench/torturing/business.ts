import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { session } from "@footprint/contract/session.ts";
import { trackingType } from "@footprint/contract/tracking.ts";
import { website } from "@footprint/contract/website.ts";
import { type Random, seededRandom } from "../../server/demo/random.ts";
import { type Call, replyOf } from "../calls.ts";
import { startOperator, type Tier } from "../operators.ts";
import { openShop } from "../shops.ts";

/** Simultaneous visits at each shop, and operators. */
export type Crowd = { shops: number; visits: number; operators: number };
const manyPeople: Crowd = { shops: 4, visits: 6, operators: 4 };

/** Makes a call that has to succeed. */
export const must = async <E extends Endpoint>(call: Call, endpoint: E, input: Input<E>): Promise<Reply<E>> =>
  replyOf(endpoint, await call(endpoint, input));

type Caller = (token: string, random: Random) => Call;

export async function signIn(caller: Caller, password: string) {
  const anyone = caller("", seededRandom(0));
  const { accessToken: token } = await must(anyone, session.login, { body: { username: "admin", password } });
  return { admin: caller(token, seededRandom(0)), token };
}

/** Adds label types with prices, and keys for the shops. */
export async function foundBusiness(admin: Call) {
  const { key } = await must(admin, website.createApiKey, { body: { name: "Shops" } });
  for (const uid of trackingType.options)
    await must(admin, labelTypes.create, { body: { name: `USPS ${uid}`, uid, maxWeight: 20, type: "usps" } });
  const { labelTypes: types } = await must(admin, labelTypes.list, {});
  for (const { _id: id } of types)
    for (const fromWeight of [0, 5])
      await must(admin, labelTypes.addTier, {
        params: { id },
        body: { fromWeight, toWeight: fromWeight + 5, price: 4.2 },
      });
  const { labelTypes: priced } = await must(admin, labelTypes.list, {});
  const tiers: Tier[] = priced.flatMap(({ _id: labelType, prices }) =>
    prices.map(({ _id: id, fromWeight, toWeight }) => ({ labelType, id, fromWeight, toWeight })),
  );
  return { key, tiers };
}

/**
 * Shops and operators of a new business. Each returned function is one step of one person, to be repeated without a
 * pause.
 */
export function openCrowd(
  caller: Caller,
  seed: number,
  { key, token, tiers, crowd = manyPeople }: { key: string; token: string; tiers: Tier[]; crowd?: Crowd | undefined },
) {
  const visits = Array.from({ length: crowd.shops }, (_, index) => {
    const name = `shop${index + 1}`;
    const random = seededRandom(seed * 100 + index);
    const { visit } = openShop({ name, keys: name, call: caller(key, random), random });
    return Array.from({ length: crowd.visits }, () => visit);
  });
  const chores = Array.from({ length: crowd.operators }, (_, index) => {
    const random = seededRandom(seed * 100 + 50 + index);
    const ownTiers = tiers.filter((_, place) => place % crowd.operators === index);
    return startOperator({ place: index + 1, call: caller(token, random), random, tiers: ownTiers }).chore;
  });
  return [...visits.flat(), ...chores];
}
