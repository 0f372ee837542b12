// `npm test`: every check and every test, ending in one line of counts. `npm run check`: the quick ones.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runNode, tool } from "./process.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ code: number, output: string }} Outcome */

const reports = mkdtempSync(join(tmpdir(), "footprint-test-"));
// Programs that tests start again and again are compiled once.
process.env.NODE_COMPILE_CACHE = join(reports, "compiled");
// The empty embedded database is made by the first run that needs it.
process.env.TEST_DATABASES = reports;
process.env.NODE_OPTIONS = `--import=${import.meta.resolve("./quick-loading.mjs")}`;
/** @type {Counts} */
const totals = { passed: 0, failed: 0, skipped: 0 };
/** Where the output of Vitest, Playwright and Node begins to report failures; earlier output is left out. */
const failuresBegin = /^(\u23af+ (Failed|Unhandled)| {2}1\) |not ok )/m;
/** A failed test's name in each of their formats. */
const failedName = /^(?: {2}\d+\) | *FAIL {2}|not ok \d+ - )(.*?)[ \u2500]*$/gm;

const started = performance.now();
try {
  if (process.argv[2] === "check") {
    await Promise.all([lint(), types(), deadCode()]);
  } else {
    // The first two keep two cores busy; program tests run beside them, since they spend half of their time waiting.
    await Promise.all([
      serverTests(),
      inOrder(lint, types, deadCode, build, scriptTests, browserTests),
      programTests(),
    ]);
  }
} finally {
  rmSync(reports, { recursive: true, force: true });
}

console.log(`in ${seconds(started)}`);
console.log(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ""}`,
);
process.exitCode = totals.failed > 0 ? 1 : 0;

function lint() {
  return step("format and lint", () =>
    runNode([tool("@biomejs/biome/bin/biome"), "ci", "--error-on-warnings", "--colors=off"]),
  );
}

function types() {
  // In one thread: several would each work out the same types again, for three times the processor time.
  const check = [tool("typescript/bin/tsc"), "--noEmit", "--singleThreaded"];
  return inOrder(
    ...["contract", "client", "client/tsconfig.build.json", "server", "web", "shop", "e2e"].map(
      (workspace) => () => step(`types of ${workspace}`, () => runNode([...check, "-p", workspace])),
    ),
  );
}

function deadCode() {
  return step("dead code", () => runNode([tool("knip/bin/knip.js"), "--no-progress"]));
}

function build() {
  return inOrder(
    () => step("build of the panel", () => runNode(["scripts/build.mjs"])),
    () => step("build of the shop", () => runNode(["scripts/build.mjs", "shop"])),
  );
}

function scriptTests() {
  return step(
    "script tests",
    () => runNode(["--test", "--test-reporter=tap", "scripts/*.test.mjs"]),
    ({ output }) => {
      for (const [, weight] of output.matchAll(/^# (weight of .*)$/gm)) console.log(`note  ${weight}`);
      return {
        passed: tapCount(output, "pass"),
        failed: tapCount(output, "fail") + tapCount(output, "cancelled"),
        skipped: tapCount(output, "skipped") + tapCount(output, "todo"),
      };
    },
  );
}

function serverTests() {
  return vitest("server tests", ["embedded", "postgres", "client"]);
}

/** Starting, backing up and upgrading the program, and failovers of its database. */
function programTests() {
  return vitest("program tests", ["program"]);
}

/** @param {string} name @param {string[]} projects */
function vitest(name, projects) {
  const report = join(reports, `${name}.json`);
  return step(
    name,
    () =>
      runNode(
        [
          tool("vitest/vitest.mjs"),
          "run",
          ...projects.flatMap((project) => ["--project", project]),
          "--reporter=default",
          "--reporter=json",
          `--outputFile.json=${report}`,
        ],
        { cwd: join(root, "server"), env: plainOutput() },
      ),
    () => {
      const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = readReport(report);
      return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
    },
  );
}

async function browserTests() {
  const report = join(reports, "browser.json");
  const browser = await runNode(["scripts/browser.mjs"]);
  await step(
    "browser tests",
    () =>
      browser.code !== 0
        ? Promise.resolve(browser)
        : runNode([tool("playwright/cli.js"), "test", "--reporter=list,json"], {
            cwd: join(root, "e2e"),
            env: { ...plainOutput(), PLAYWRIGHT_JSON_OUTPUT_FILE: report },
          }),
    () => {
      const { stats } = readReport(report);
      return { passed: stats.expected, failed: stats.unexpected, skipped: stats.skipped };
    },
  );
}

/**
 * Runs one step, prints its result, and what failed of it. A step without a count of its own counts as one.
 * @param {string} name
 * @param {() => Promise<Outcome>} work
 * @param {(outcome: Outcome) => Counts} [count]
 */
async function step(name, work, count) {
  const since = performance.now();
  const outcome = await work();
  const counts = countsOf(outcome, count);
  const ok = outcome.code === 0 && counts.failed === 0;
  // A crash beside passing tests, or a report that was never written, is a failure too.
  if (!ok && counts.failed === 0) counts.failed = 1;
  for (const key of /** @type {const} */ (["passed", "failed", "skipped"])) totals[key] += counts[key];

  const detail = count ? `  ${counts.passed} passed, ${counts.failed} failed` : "";
  console.log(`${ok ? "ok  " : "FAIL"}  ${name.padEnd(30)} ${seconds(since).padStart(7)}${detail}`);
  if (!ok) console.log(`\n${failuresIn(outcome.output)}\n`);
}

/** Lists all names first, so that the beginning tells what failed. @param {string} output */
function failuresIn(output) {
  const details = output.slice(Math.max(0, output.search(failuresBegin))).trimEnd();
  const names = new Set(Array.from(details.matchAll(failedName), ([, name]) => `  ${name}`));
  return [...names, "", details].join("\n");
}

/** @param {Outcome} outcome @param {((outcome: Outcome) => Counts) | undefined} count @returns {Counts} */
function countsOf(outcome, count) {
  if (!count) return { passed: outcome.code === 0 ? 1 : 0, failed: outcome.code === 0 ? 0 : 1, skipped: 0 };
  try {
    const counts = count(outcome);
    const sum = counts.passed + counts.failed + counts.skipped;
    if (Number.isInteger(sum) && sum > 0) return counts;
    outcome.output += "\nNo test was run.";
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    outcome.output += `\nEnded with exit code ${outcome.code} and without a report: ${reason}`;
  }
  return { passed: 0, failed: 1, skipped: 0 };
}

/** @param {(() => Promise<void>)[]} works */
async function inOrder(...works) {
  for (const work of works) await work();
}

/** @param {string} path */
function readReport(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** @param {string} output @param {string} name */
function tapCount(output, name) {
  return Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(output)?.[1]);
}

function plainOutput() {
  return { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
}

/** @param {number} since */
function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
