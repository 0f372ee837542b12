// Measures how long each screen keeps the browser busy until it is shown: npm run bench:screens
import { parseArgs } from "node:util";
import { session } from "@footprint/contract/session.ts";
import { type BrowserContext, chromium } from "@playwright/test";
import { browserArgs, findBrowser } from "../scripts/browser.mjs";
import { must } from "./calls.ts";
import { serverProcess, temporaryFolder } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    /** Measure only screens whose name contains this. */
    only: { type: "string", default: "" },
    /** How many times slower the browser is made. */
    throttle: { type: "string", default: "1" },
    /** The window's width in pixels. */
    width: { type: "string", default: "1440" },
  },
});
const rounds = Number(options.rounds);
const slower = Number(options.throttle);

/** Measured for comparison: it has no session, no router and no rows. */
const signIn = "Sign-In";
const screens = {
  [signIn]: "/",
  Dashboard: "/",
  Orders: "/orders",
  "Bulk Orders": "/bulk-orders",
  "Fedex Orders": "/fedex",
  Users: "/users",
  "New Users": "/new-users",
  Invoices: "/invoices",
  "USPS Tracking": "/usps",
  Staff: "/staff",
  "Transaction Logs": "/logs",
};

/**
 * In milliseconds: the time above 50 of every task after the first paint; until nothing loads; and the page's processor
 * time.
 */
type Figures = { blocking: number; longest: number; shown: number; script: number; styles: number; all: number };

const admin = { username: "bench.admin", password: "the bench's own password" };
const folder = await temporaryFolder();
const product = serverProcess(
  { DATA_DIR: folder.path, DEMO: "on", ADMIN_USERNAME: admin.username, ADMIN_PASSWORD: admin.password },
  (words) => {
    throw new Error(words);
  },
);
await product.start();
const origin = product.origin() ?? "";
const { accessToken } = await must({ origin }, session.login, { body: admin });

const executablePath = findBrowser();
const browser = await chromium.launch({
  // Unlike in the tests, the browser compiles for speed, as people's browsers do.
  args: browserArgs.filter((arg) => !arg.startsWith("--js-flags")),
  ...(executablePath ? { executablePath } : {}),
});
const measured = new Map<string, Figures[]>();
const work: number[] = [];
try {
  const chosen = Object.entries(screens).filter(
    ([name]) => name === signIn || name.toLowerCase().includes(options.only.toLowerCase()),
  );
  // Round by round, so that a busy minute affects more than one screen.
  for (let round = 0; round < rounds; round++) {
    for (const [name, path] of chosen) {
      const context = await browser.newContext({ viewport: { width: Number(options.width), height: 900 } });
      if (name !== signIn) await context.addCookies([{ name: "footprint", value: accessToken, url: origin }]);
      note(`${name}, cold`, await open(context, path));
      // The browser caches compiled code of scripts that it has seen twice.
      await open(context, path);
      note(`${name}, warm`, await open(context, path));
      await context.close();
    }
  }
} finally {
  await browser.close();
  await product.kill("SIGTERM");
  await folder.remove();
}

function note(name: string, figures: Figures) {
  measured.set(name, [...(measured.get(name) ?? []), figures]);
}

/** Opens a screen in a page of its own, and waits until it is shown and idle. */
async function open(context: BrowserContext, path: string): Promise<Figures> {
  const page = await context.newPage();
  work.push(await page.evaluate(doWork));
  const devTools = await context.newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: slower });
  // Processor time of the page's thread, independent of other work on the machine.
  await devTools.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(origin + path, { waitUntil: "commit" });
  const seen = await page.evaluate(watch);
  const { metrics } = await devTools.send("Performance.getMetrics");
  await page.close();
  const seconds = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
  return {
    ...seen,
    script: seconds("ScriptDuration"),
    styles: seconds("RecalcStyleDuration") + seconds("LayoutDuration"),
    all: seconds("TaskDuration"),
  };
}

/** Always the same work, run in the page: its duration shows how busy the machine is. */
function doWork(): number {
  const begun = performance.now();
  let sum = 0;
  for (let step = 0; step < 5_000_000; step++) sum = (sum * 31 + step) | 0;
  return sum === 1 ? 0 : performance.now() - begun;
}

/**
 * Runs in the page: reports blocked time until the screen is shown and half a second has passed without a long task.
 */
function watch(): Promise<{ blocking: number; longest: number; shown: number }> {
  const quietMs = 500;
  const tasks: { startTime: number; duration: number }[] = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: "longtask", buffered: true });
  let shown = 0;
  return new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector("h1") || document.querySelector("[aria-busy=true]")) return;
      shown = performance.now();
      changes.disconnect();
      settle();
    };
    const changes = new MutationObserver(look);
    changes.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-busy"] });
    look();

    function settle() {
      const ends = tasks.map(({ startTime, duration }) => startTime + duration);
      const left = Math.max(shown, ...ends) + quietMs - performance.now();
      if (left > 0) return void setTimeout(settle, left);
      const painted = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
      const parts = tasks.map(({ startTime, duration }) => duration - Math.max(0, painted - startTime));
      const blocking = parts.reduce((sum, part) => sum + Math.max(0, part - 50), 0);
      resolve({ blocking, longest: Math.max(0, ...parts), shown });
    }
  });
}

const sorted = (values: number[]) => values.toSorted((a, b) => a - b);
const median = (values: number[]) => sorted(values)[values.length >> 1] ?? 0;

const columns: (keyof Figures)[] = ["blocking", "longest", "shown", "script", "styles", "all"];
const line = (name: string, cells: string[]) =>
  [name.padEnd(24), ...cells.map((cell) => cell.padStart(9))].join(" ").trimEnd();

console.log(`Milliseconds, the median of ${rounds}${slower > 1 ? `, ${slower} times slower than this machine` : ""}.`);
console.log("blocking, longest, shown: as the clock saw it; script, styles, all: the page's processor time.\n");
console.log(line("", columns));
for (const [name, all] of measured)
  console.log(
    line(
      name,
      columns.map((column) => median(all.map((figures) => figures[column])).toFixed(0)),
    ),
  );
const [least = 0] = sorted(work);
console.log(
  `\nA fixed piece of work took ${least.toFixed(0)} ms at best, ${median(work).toFixed(0)} in the median, ` +
    `${Math.max(...work).toFixed(0)} at worst: the further apart, the busier the machine was.`,
);
