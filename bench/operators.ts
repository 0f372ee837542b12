import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { orders } from "@footprint/contract/orders.ts";
import { tracking, trackingType } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import type { Random } from "../server/demo/random.ts";
import { withCheckDigit } from "../server/money/tracking-codes.ts";
import { type Call, isOk } from "./calls.ts";

/** A code of 22 digits: 9, a number, and the carrier's check digit over both. */
export const trackingCode = (number: bigint) => withCheckDigit(`9${number.toString().padStart(20, "0")}`);

/** A price tier that only one operator changes, so that its last price is known. */
export type Tier = { labelType: string; id: string; fromWeight: number; toWeight: number };

/**
 * An operator in the panel who does one task after the other on rows of the lists. Others work on the same lists, so
 * two of them often reach for the same order, invoice or new customer. All added amounts are different, so that an
 * adjustment is recognised by its amount.
 */
export function startOperator({
  place,
  call,
  random,
  tiers,
}: {
  /** From 1. */
  place: number;
  call: Call;
  random: Random;
  tiers: Tier[];
}) {
  let made = 0;
  const nextKey = (what: string) => `operator${place}-${what}-${++made}`;
  /** Of a list's newest 20, which others are likely to want too. */
  const fewNewest = () => ({ page: random.between(1, 2), limit: 10 });

  /** Not only open rows: some operators try what was done long ago. */
  const mostly = <S extends string>(status: S) => (random.chance(0.8) ? status : "All");

  async function verify() {
    const list = await call(users.listNew, { query: fewNewest() });
    if (isOk(list)) for (const { _id: id } of list.body.users) await call(users.verify, { params: { id } });
  }

  async function refund() {
    const list = await call(orders.list, { query: { ...fewNewest(), status: mostly("Active") } });
    if (!isOk(list) || list.body.orders.length === 0) return;
    const { _id: id } = random.pick(list.body.orders);
    await call(orders.refund, { params: { id } }, nextKey("refund"));
  }

  async function markPaid() {
    const list = await call(invoices.list, { query: { ...fewNewest(), status: mostly("pending") } });
    if (!isOk(list) || list.body.invoices.length === 0) return;
    const { _id: id } = random.pick(list.body.invoices);
    await call(invoices.markPaid, { params: { id } }, nextKey("paid"));
  }

  let adjustments = 0;
  async function addBalance() {
    const list = await call(users.list, { query: { page: random.between(1, 3) } });
    if (!isOk(list) || list.body.users.length === 0) return;
    const { _id: id } = random.pick(list.body.users);
    const cents = 100 * ++adjustments + place;
    const balance = (random.chance(0.7) ? cents : -cents) / 100;
    await call(users.addBalance, { params: { id }, body: { balance } }, nextKey("balance"));
  }

  let registered = 0n;
  async function registerCodes() {
    const stats = await call(tracking.stats, {});
    if (!isOk(stats)) return;
    const type = trackingType.options.toSorted((a, b) => stats.body.left[a] - stats.body.left[b])[0] ?? "priority";
    if (stats.body.left[type] > 300) return;
    const amount = random.between(20, 200);
    const trackRef = trackingCode(BigInt(place) * 10n ** 12n + registered);
    registered += BigInt(amount);
    await call(tracking.create, { body: { amount, type, trackRef, template: "evs" } });
  }

  async function changePrice() {
    if (tiers.length === 0) return;
    const { labelType, id, fromWeight, toWeight } = random.pick(tiers);
    const price = random.between(100, 2_000) / 100;
    await call(labelTypes.updateTier, {
      params: { id: labelType },
      body: { price_id: id, fromWeight, toWeight, price },
    });
  }

  const chores: [() => Promise<void>, number][] = [
    [verify, 15],
    [refund, 25],
    [markPaid, 20],
    [addBalance, 20],
    [registerCodes, 15],
    [changePrice, 5],
  ];
  return { chore: () => random.weighted(chores)() };
}
