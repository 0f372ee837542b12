// Plays shops against a running server: ADMIN_PASSWORD=… npm run simulate -- --rate 20 --seconds 60
import { randomBytes } from "node:crypto";
import { createHistogram } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking, trackingType } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { seededRandom } from "../server/demo/random.ts";
import { type Call, isAnswer, isOk, type Lost, send } from "./calls.ts";
import { trackingCode } from "./operators.ts";
import { openShop, type Shop } from "./shops.ts";

const usage = `Usage: npm run simulate -- [--url http://localhost:7400] [--rate 5] [--seconds 60] [--shops 8] [--seed 1] [--key fp_…]

  --rate     calls per second, begun by the clock, however long the answers take
  --seconds  how long; without it, until Ctrl-C
  --key      an API key from the Website screen

With ADMIN_PASSWORD (and ADMIN_USERNAME, else admin) in the environment it makes and deletes its own API key, verifies
the customers it brings, and registers tracking codes where they run out. With --key alone, newcomers wait for somebody
to verify them on the New Users screen; the same --seed brings the same customers again.`;

/** A mistake by whoever started it: shown without a stack. */
class UsageError extends Error {}

type Options = { url: string; rate: number; seconds: number; shops: number; seed: number; key: string | undefined };

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: "string", default: "http://localhost:7400" },
        rate: { type: "string", default: "5" },
        seconds: { type: "string", default: "Infinity" },
        shops: { type: "string", default: "8" },
        seed: { type: "string", default: "1" },
        key: { type: "string" },
      },
    });
    const { url, key } = values;
    const number = (name: "rate" | "seconds" | "shops" | "seed", least: number) => {
      const value = Number(values[name]);
      if (!(value >= least)) throw new Error(`--${name} is ${values[name]}: name a number from ${least}`);
      return value;
    };
    if (!URL.canParse(url)) throw new Error(`--url is ${url}: name an address such as http://localhost:7400`);
    const [shops, seed] = [Math.floor(number("shops", 1)), Math.floor(number("seed", 0))];
    return { url, rate: number("rate", 0.01), seconds: number("seconds", 1), shops, seed, key };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
}

/** Makes a call that has to succeed. */
async function must<E extends Endpoint>(
  url: string,
  token: string | undefined,
  endpoint: E,
  input: Input<E>,
): Promise<Reply<E>> {
  const answer = await send({ origin: url, token }, endpoint, input);
  if (!isAnswer(answer))
    throw new UsageError(`Nothing answers at ${url}: start the server with npm start, or name another with --url.`);
  const { status, body } = answer;
  if (!isOk(answer)) throw new UsageError(`${url} answers ${status} to ${endpoint.path}: ${body.message}`);
  return body;
}

type Access = { key: string; token?: string; leave(): Promise<void> };

/** The key to call with and, given an administrator's password, a session in the panel. */
async function gainAccess({ url, key }: Options): Promise<Access> {
  const { ADMIN_USERNAME: username = "admin", ADMIN_PASSWORD: password } = process.env;
  if (!password) {
    if (!key)
      throw new UsageError(
        `Set ADMIN_PASSWORD to the password of ${username} (the first npm start printed it), or pass an API key with --key.\n\n${usage}`,
      );
    await must(url, key, storefront.paymentSettings, {});
    return { key, leave: async () => {} };
  }
  const { accessToken: token } = await must(url, undefined, session.login, { body: { username, password } });
  const name = `Simulator ${randomBytes(3).toString("hex")}`;
  const made = key ?? (await must(url, token, website.createApiKey, { body: { name } })).key;
  const leave = async () => {
    if (!key) {
      // After an old sign-in the password is asked again before keys change.
      await must(url, token, session.confirm, { body: { password } });
      const { keys } = await must(url, token, website.listApiKeys, {});
      const mine = keys.find((entry) => entry.name === name);
      if (mine) await must(url, token, website.deleteApiKey, { params: { id: mine._id } });
    }
    await must(url, token, session.logout, {});
  };
  return { key: made, token, leave };
}

/** Refusals that a good shop has to expect; everything else that is not a success is a failure. */
const refusals = new Set([402, 403, 409]);

function tally() {
  const statuses = new Map<number, number>();
  return {
    /** How long answers took, in milliseconds. */
    timings: createHistogram(),
    calls: 0,
    repeats: 0,
    unanswered: 0,
    answered(status: number) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    },
    /** "3 refused (402: 2, 403: 1)" */
    counts(word: string, of: "refused" | "failed") {
      const some = [...statuses].filter(([status]) => status >= 300 && refusals.has(status) === (of === "refused"));
      const total = some.reduce((sum, [, count]) => sum + count, 0);
      const each = some.sort().map(([status, count]) => `${status}: ${count}`);
      return `${total} ${word}${total ? ` (${each.join(", ")})` : ""}`;
    },
  };
}
type Tally = ReturnType<typeof tally>;

const nameOf = new Map<Endpoint, string>(Object.entries(storefront).map(([name, endpoint]) => [endpoint, name]));

async function simulate(options: Options) {
  const { url, rate, seconds, seed } = options;
  const access = await gainAccess(options);
  const stopping = new AbortController();
  const abandoning = new AbortController();
  process.once("SIGINT", () => {
    process.once("SIGINT", () => process.exit(130));
    stopping.abort();
  });

  const total = tally();
  const perCall = new Map<string, Tally>();
  let lately = tally();
  let waiting = 0;

  const call: Call = async (endpoint, input, key) => {
    const name = nameOf.get(endpoint) ?? endpoint.path;
    const ofCall = perCall.get(name) ?? tally();
    perCall.set(name, ofCall);
    // Evaluated late, for the current second.
    const tallies = () => [total, lately, ofCall];
    const since = performance.now();
    for (const one of tallies()) one.calls++;
    waiting++;
    try {
      for (let tries = 1; ; tries++) {
        const signal = AbortSignal.any([abandoning.signal, AbortSignal.timeout(30_000)]);
        const answer = await send({ origin: url, token: access.key, signal }, endpoint, input, key);
        if (isAnswer(answer)) {
          for (const one of tallies()) {
            one.answered(answer.status);
            one.timings.record(Math.ceil(performance.now() - since));
          }
          return answer;
        }
        // The same request with the same key: whatever happened to the first, it is done once.
        const goesOn = await waited(answer, tries, abandoning.signal);
        if (!goesOn) {
          for (const one of tallies()) one.unanswered++;
          return undefined;
        }
        for (const one of tallies()) one.repeats++;
      }
    } finally {
      waiting--;
    }
  };

  const run = randomBytes(4).toString("hex");
  const shops = Array.from({ length: options.shops }, (_, index) => {
    const name = `sim${seed}-${index + 1}`;
    return openShop({ name, keys: `${name}-${run}`, call, random: seededRandom(seed * 1_000 + index) });
  });
  console.log(`${shops.length} shops make ${rate} calls a second at ${url}. Ctrl-C ends it.`);

  const started = performance.now();
  const report = setInterval(() => {
    const second = Math.round((performance.now() - started) / 1000);
    const backlog = waiting > rate ? `   ${waiting} waiting` : "";
    console.log(`${`${second} s`.padStart(7)}   ${line(lately)}${backlog}`);
    lately = tally();
  }, 1000);
  const office = access.token ? doOfficeWork(url, access.token, shops, stopping.signal) : undefined;
  await arrive(shops, { rate, seconds, seed, signal: stopping.signal });
  stopping.abort();
  clearInterval(report);

  await Promise.race([untilNone(() => waiting), pause(5_000, undefined, { ref: false })]);
  abandoning.abort();
  await untilNone(() => waiting);
  await office;
  summarise(total, perCall, shops, performance.now() - started);
  const waitingCustomers = shops
    .flatMap(({ customers }) => customers)
    .filter(({ known }) => known?.isVerified === false);
  if (!access.token && waitingCustomers.length > 0)
    console.log(
      `${waitingCustomers.length} customers could not order: verify them on the New Users screen, or set ADMIN_PASSWORD.`,
    );
  await access.leave();
}

/** Visits begin by the clock, as customers come: a slow answer delays nobody else. */
async function arrive(
  shops: Shop[],
  { rate, seconds, seed, signal }: { rate: number; seconds: number; seed: number; signal: AbortSignal },
) {
  const random = seededRandom(seed);
  const started = performance.now();
  let next = 0;
  while (next < seconds * 1000) {
    const due = started + next - performance.now();
    if (due > 1) await pause(due, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    void random.pick(shops).visit();
    // Exponential gaps: independent arrivals.
    next += (-Math.log(1 - random.next()) / rate) * 1000;
  }
  await pause(Math.max(0, started + seconds * 1000 - performance.now()), undefined, { signal }).catch(() => {});
}

/** The office work without which shops stop: verifying new customers, and registering codes when few are left. */
async function doOfficeWork(url: string, token: string, shops: Shop[], signal: AbortSignal) {
  const asOperator: Call = async (endpoint, input) => {
    const answer = await send({ origin: url, token }, endpoint, input);
    return isAnswer(answer) ? answer : undefined;
  };
  while (!signal.aborted) {
    const newcomers = shops.flatMap(({ customers }) => customers).filter(({ known }) => known && !known.isVerified);
    for (const customer of newcomers) {
      const answer = await asOperator(users.verify, { params: { id: customer.known?._id as string } });
      if (isOk(answer) && customer.known) customer.known = { ...customer.known, isVerified: true };
    }
    const stats = await asOperator(tracking.stats, {});
    for (const type of trackingType.options)
      if (isOk(stats) && stats.body.left[type] < 100) {
        const trackRef = trackingCode(randomBytes(8).readBigUInt64BE());
        await asOperator(tracking.create, { body: { amount: 500, type, trackRef, template: "evs" } });
      }
    await pause(1_000, undefined, { signal }).catch(() => {});
  }
}

async function waited({ retryAfter }: Lost, tries: number, signal: AbortSignal): Promise<boolean> {
  const backOff = Math.min(5_000, 100 * 2 ** tries) * (0.5 + Math.random() / 2);
  await pause(retryAfter ? retryAfter * 1000 : backOff, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

async function untilNone(count: () => number) {
  while (count() > 0) await pause(20);
}

function line(tally: Tally): string {
  const percentile = (share: number) => (tally.timings.count ? `${tally.timings.percentile(share)} ms` : "–");
  return [
    `${tally.calls} calls`.padStart(10),
    tally.counts("refused", "refused"),
    tally.counts("failed", "failed"),
    ...(tally.repeats ? [`${tally.repeats} repeated`] : []),
    `p50 ${percentile(50)}`,
    `p99 ${percentile(99)}`,
  ].join("   ");
}

function summarise(total: Tally, perCall: Map<string, Tally>, shops: Shop[], ms: number) {
  const customers = shops.flatMap((shop) => shop.customers).filter(({ known }) => known);
  console.log(`\n${(ms / 1000).toFixed(0)} s, ${customers.length} customers`);
  for (const [name, one] of [...perCall].sort(([, a], [, b]) => b.calls - a.calls))
    console.log(`${name.padStart(18)} ${line(one)}`);
  console.log(`${"in all".padStart(18)} ${line(total)}`);
  if (total.unanswered) console.log(`${total.unanswered} calls were still without an answer at the end.`);
  if (!shops.some((shop) => shop.hasPrices()))
    console.log("Nothing was sold: no label type is active and has a price. Add one on the Label Pricing screen.");
}

try {
  await simulate(readOptions());
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}
