// Kills a working server again and again and checks every answer: npm run torture -- --engine both --minutes 10
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Random, seededRandom } from "../server/demo/random.ts";
import { account } from "./torturing/accounting.ts";
import { type Crowd, foundBusiness, openCrowd, signIn } from "./torturing/business.ts";
import { callersOf } from "./torturing/callers.ts";
import { engines, type Installation, openInstallation } from "./torturing/installation.ts";
import { type Asked, outcomeOf } from "./torturing/journal.ts";
import { openListener, openWebhook } from "./torturing/listener.ts";

type Range = [least: number, most: number];

type Progress = {
  seconds: number;
  /** Kills of a running server, of a starting one, and of the database with all its processes. */
  kills: { server: number; starting: number; database: number };
  acknowledged: number;
  lost: number;
  /** Events that reached the webhook. */
  heard: number;
  /** The outcomes of changing calls so far, by path. */
  outcomes(): Record<string, { done: number; refused: number; unknown: number }>;
};

type Wish = {
  engine: (typeof engines)[number];
  seed: number;
  /** The time between kills, from least to most: by the clock, or by acknowledged changes. */
  between: { milliseconds: Range } | { changes: Range };
  emptyFolder?: string | undefined;
  crowd?: Crowd;
  /** Nothing is killed before this is true. */
  warm?(progress: Progress): boolean;
  /** Checked after every kill. */
  enough(progress: Progress): boolean;
  say?(line: string): void;
};

const password = "under torture";
/** With this many findings there is no point in going on. */
const mostFindings = 10;

/**
 * Runs a business at full speed and kills its processes at random moments. Callers repeat unanswered calls with the
 * same key; some give up. A shop that is down half of the time gets every event by webhook. At the end, what they know
 * is compared with the rows.
 */
export async function torture({ engine, seed, between, emptyFolder, crowd, warm, enough, say = () => {} }: Wish) {
  const findings: string[] = [];
  const find = (finding: string) => findings.push(finding);
  const isHopeless = () => findings.length >= mostFindings;
  const installation = await openInstallation(engine, {
    ...{ adminPassword: password, emptyFolder },
    ...{ random: seededRandom(seed + 2), onTrouble: find },
  });
  const { caller, counts, journal, giveUp } = callersOf(installation, find);
  const listener = await openListener(seededRandom(seed + 1), find);
  const kills = { server: 0, starting: 0, database: 0 };
  const started = performance.now();
  let stopping = false;
  const progress = (): Progress => ({
    seconds: (performance.now() - started) / 1000,
    kills,
    ...counts,
    heard: listener.heard(),
    outcomes: () => outcomesByCall(journal),
  });
  const reports = setInterval(() => say(described(progress())), 10_000);
  try {
    await installation.start();
    const work = async (act: () => Promise<void>) => {
      while (!stopping && !isHopeless())
        await act().catch((error) => find(`A caller could not make sense of an answer: ${error.stack}`));
    };
    const { admin, token } = await signIn(caller, password);
    const webhook = await openWebhook(admin, listener, password);
    const business = await foundBusiness(admin);
    const busy = Promise.all(openCrowd(caller, seed, { ...business, token, crowd }).map(work));

    const random = seededRandom(seed);
    let isWarm = !warm;
    const letWork = async () => {
      if ("milliseconds" in between) return wait(random.between(...between.milliseconds));
      const last = counts.acknowledged + random.between(...between.changes);
      let seen = { acknowledged: counts.acknowledged, at: performance.now() };
      while ((counts.acknowledged < last || !isWarm) && !isHopeless()) {
        isWarm ||= warm?.(progress()) ?? true;
        if (counts.acknowledged > seen.acknowledged)
          seen = { acknowledged: counts.acknowledged, at: performance.now() };
        if (performance.now() - seen.at > 120_000) throw new Error("the servers run, but answer nothing good any more");
        await wait(5);
      }
    };
    do kills[await killOne(installation, random, letWork)]++;
    while (!isHopeless() && !enough(progress()));

    stopping = true;
    if (!isHopeless()) await Promise.all(installation.servers.map(installation.ready));
    const tooLate = wait(60_000, true, { ref: false });
    if ((await Promise.race([busy, tooLate])) === true)
      find("Calls were not answered within a minute of the last kill");
    if (!isHopeless()) await webhook.hearAll(caller(business.key, seededRandom(0)));
    giveUp();
    await busy;
    const { db, close } = await installation.openRows();
    for (const finding of [...(await account(db, journal)), ...(await listener.account(db))]) find(finding);
    await close();
  } catch (error) {
    find(`It could not go on: ${(error as Error).stack}`);
  } finally {
    stopping = true;
    giveUp();
    clearInterval(reports);
    listener.close();
    await installation.close();
  }
  return { ...progress(), findings: findings.map((finding) => explained(finding, installation)) };
}

/** Lets the business work for a while, then kills a server or, if there is one, the database. */
async function killOne(installation: Installation, random: Random, letWork: () => Promise<void>) {
  if (installation.hasDatabase && random.chance(0.25)) {
    await letWork();
    await installation.killDatabase();
    return "database";
  }
  const server = random.pick(installation.servers);
  if (random.chance(0.15)) await wait(random.between(50, 1_500));
  else {
    await installation.ready(server);
    await letWork();
  }
  const victim = server.origin() ? "server" : "starting";
  await installation.killServer(server);
  return victim;
}

function outcomesByCall(all: Asked[]) {
  const outcomes: ReturnType<Progress["outcomes"]> = {};
  for (const asked of all) {
    const path = asked.endpoint.path.replace(/^\/api\/v1\//, "");
    outcomes[path] ??= { done: 0, refused: 0, unknown: 0 };
    outcomes[path][outcomeOf(asked)]++;
  }
  return outcomes;
}

/** A failed call, with what the server logged about it. */
function explained(finding: string, installation: Installation): string {
  const number = /this number: (\S+)/.exec(finding)?.[1];
  const cause = number && installation.cause(number);
  return cause ? `${finding}\n${cause}` : finding;
}

function described({ seconds, kills, acknowledged, lost, heard }: Progress): string {
  const sum = kills.server + kills.starting + kills.database;
  return `${seconds.toFixed(0)} s: ${sum} kills (${kills.server} of servers, ${kills.starting} of starting ones, ${kills.database} of the database), ${acknowledged} changes acknowledged, ${lost} answers lost, ${heard} events heard`;
}

async function main() {
  const { values } = parseArgs({
    options: {
      engine: { type: "string", default: "both" },
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  });
  const chosen =
    values.engine === "both"
      ? (["embedded", "postgres"] as const)
      : engines.filter((engine) => values.engine === engine);
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (chosen.length === 0 || !(minutes > 0) || !Number.isInteger(seed)) {
    console.error("Usage: npm run torture -- [--engine embedded|postgres|both|failover] [--minutes 10] [--seed N]");
    return 2;
  }
  let found = 0;
  for (const engine of chosen) {
    console.log(`${engine}, seed ${seed}, ${minutes} minutes`);
    const { findings, ...progress } = await torture({
      engine,
      seed,
      between: { milliseconds: [500, 5_000] },
      enough: ({ seconds }) => seconds >= minutes * 60,
      say: console.log,
    });
    console.log(described(progress));
    for (const [path, { done, refused, unknown }] of Object.entries(progress.outcomes()))
      console.log(`${path.padStart(40)}  ${done} done, ${refused} refused, ${unknown} unknown`);
    for (const finding of findings.slice(0, 50)) console.error(finding);
    console.log(
      findings.length
        ? `${findings.length} findings`
        : "Everything that was answered is there, once, and was heard of in order.",
    );
    found += findings.length;
  }
  return found ? 1 : 0;
}

// Explicit, because a hook of the embedded PostgreSQL would exit with 0.
if (import.meta.main) process.exit(await main());
