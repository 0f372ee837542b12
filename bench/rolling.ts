// Replaces the servers of an earlier version one by one under load: npm run rolling -- --from REF --seconds 20
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openEngine } from "../server/db/engine.ts";
import { seededRandom } from "../server/demo/random.ts";
import { databaseProcess, type Server, serverProcess, temporaryFolder } from "./processes.ts";
import { account } from "./torturing/accounting.ts";
import { foundBusiness, openCrowd, signIn } from "./torturing/business.ts";
import { callersOf } from "./torturing/callers.ts";
import { openListener, openWebhook } from "./torturing/listener.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const password = "under way to the next";

/** Checks out a commit, with the packages of its own lockfile. */
function checkOut(ref: string, folder: string): string {
  mkdirSync(folder);
  execFileSync("tar", ["-x", "-C", folder], { input: execFileSync("git", ["-C", root, "archive", ref], big) });
  const packages = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["ci", ...packages, "--workspace", "contract", "--workspace", "server"], { cwd: folder });
  return join(folder, "server/main.ts");
}
const big = { maxBuffer: 1024 ** 3 };

/**
 * Two servers of an earlier version serve shops and operators. One of this version starts beside them, upgrades the
 * tables and replaces the first; then another replaces the second. No call may fail, all answers are compared with the
 * rows, and a shop that is down half of the time gets every event by webhook, in order.
 */
async function roll(from: string, seconds: number, seed: number) {
  const findings: string[] = [];
  const find = (finding: string) => findings.push(finding);
  const folder = await temporaryFolder();
  console.log(`Installing ${from} ...`);
  const earlier = checkOut(from, join(folder.path, "earlier"));
  const database = await databaseProcess(folder.path);
  const env = { DATABASE_URL: database.url, ADMIN_PASSWORD: password, WEBHOOK_PRIVATE: "on", SHUTDOWN_DELAY: "2" };
  const all: Server[] = [];
  /** The servers that a proxy would call. */
  let serving: Server[] = [];
  const listener = await openListener(seededRandom(seed + 1), find);
  const callers = callersOf({ origins: () => serving.map((server) => server.origin() ?? "") }, find, find);
  let calm = true;
  let unready = 0;

  async function begin(program?: string): Promise<Server> {
    const server = serverProcess(env, (lastWords) => find(`A server ended by itself: ${lastWords}`), {
      ...(program && { program }),
    });
    all.push(server);
    const since = performance.now();
    await server.start();
    if (!server.origin()) throw new Error("a server did not start");
    say(
      `${program ? "an earlier" : "a new"} server is ready after ${((performance.now() - since) / 1000).toFixed(1)} s`,
    );
    serving = [...serving, server];
    return server;
  }

  /** It gets no more calls, and answers those under way, for as long as SHUTDOWN_DELAY says. */
  async function end(server: Server) {
    serving = serving.filter((other) => other !== server);
    await server.kill("SIGTERM");
    say("an earlier server has stopped");
  }

  const started = performance.now();
  const say = (line: string) =>
    console.log(
      `${((performance.now() - started) / 1000).toFixed(1)} s: ${line}; ${callers.counts.acknowledged} changes made`,
    );

  /** Like a proxy that checks readiness: at no moment may all servers be unready. */
  async function watch() {
    let asked = performance.now();
    while (calm) {
      const states = await Promise.all(
        serving.map(async (server) => (await fetch(`${server.origin()}/readyz`).catch(() => undefined))?.ok),
      );
      const now = performance.now();
      if (states.length > 0 && !states.includes(true)) unready += (now - asked) / 1000;
      asked = now;
      await wait(100);
    }
  }

  try {
    const first = await begin(earlier);
    const second = await begin(earlier);
    const { admin, token } = await signIn(callers.caller, password);
    const webhook = await openWebhook(admin, listener, password);
    const business = await foundBusiness(admin);
    const crowd = openCrowd(callers.caller, seed, { ...business, token });
    const busy = Promise.all(
      crowd.map(async (act) => {
        while (calm && findings.length < 50) await act().catch((error) => find(String(error.stack)));
      }),
    );
    const watching = watch();
    await wait(seconds * 1000);
    const replacement = await begin();
    for (const line of replacement.log().matchAll(/^Upgrading.*$/gm)) console.log(`  ${line[0]}`);
    await wait(seconds * 1000);
    await end(first);
    await begin();
    await wait(seconds * 1000);
    await end(second);
    await wait(seconds * 1000);
    calm = false;
    await busy;
    await watching;
    await webhook.hearAll(callers.caller(business.key, seededRandom(0)));
    say(`${listener.heard()} events heard`);
    const { db, close } = await openEngine({ databaseUrl: database.url, dataDir: "" });
    for (const finding of [...(await account(db, callers.journal)), ...(await listener.account(db))]) find(finding);
    await close();
    if (unready > 0) find(`For ${unready.toFixed(1)} s no server said that it was ready`);
    return findings.map((finding) => {
      const number = /this number: (\S+)/.exec(finding)?.[1];
      const cause = number && all.map((server) => server.cause(number)).find(Boolean);
      return cause ? `${finding}\n${cause}` : finding;
    });
  } finally {
    calm = false;
    callers.giveUp();
    listener.close();
    for (const server of all) await server.kill();
    await database.stop();
    await folder.remove();
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      from: { type: "string", default: "HEAD" },
      seconds: { type: "string", default: "20" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  });
  const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
  if (!(seconds > 0) || !Number.isInteger(seed)) {
    console.error("Usage: npm run rolling -- [--from REF] [--seconds 20] [--seed N]");
    return 2;
  }
  const findings = await roll(values.from, seconds, seed);
  for (const finding of findings.slice(0, 50)) console.error(finding);
  console.log(
    findings.length ? `${findings.length} findings` : "No call failed, and everything that was answered is there.",
  );
  return findings.length ? 1 : 0;
}

// Explicit, because a hook of the embedded PostgreSQL would exit with 0.
process.exit(await main());
