// Finds a Chromium for the browser tests, and installs one where there is none.
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { run, runNode, tool } from "./process.mjs";

/** The same browser without windows, which tests do not need: it takes less processor time. */
const windowless = "chromium-headless-shell";
const systemNames = [windowless, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const macPaths = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The path of a Chromium on this machine, or nothing. */
export function findBrowser() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (existsSync(given)) return given;
    throw new Error(`CHROMIUM_PATH names no file: ${given}`);
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const onPath = systemNames.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...macPaths, chromium.executablePath()].find((path) => existsSync(path));
}

/** Chromium's command line: its sandbox refuses to run as root, and it must call nobody by itself. */
export const browserArgs = [
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Emulating a graphics card, and starting a process for every page and a spare one, takes time.
  "--disable-gpu",
  "--disable-site-isolation-trials",
  // Pages live for seconds here, so compiling code again for speed takes longer than it saves.
  "--js-flags=--no-maglev --no-opt",
];

/** Makes sure that there is a browser, preferably one without windows; says what to install if there is none. */
async function ensureBrowser() {
  const found = findBrowser();
  if (found && (process.env.CHROMIUM_PATH || found.includes("headless"))) return;
  const isRoot = process.getuid?.() === 0;
  let said = "";
  if (isRoot && isDebian()) said += await installFromDebian(found ? [windowless] : [windowless, "chromium"]);
  if (findBrowser()) return;
  console.log("No Chromium found; installing one ...");
  const options = ["install", "chromium", ...(isRoot ? ["--with-deps"] : [])];
  said += (await runNode([tool("playwright/cli.js"), ...options])).output;
  if (findBrowser()) return;
  throw new Error(
    `${said.trim()}\n\nThe browser tests need Chromium and it could not be installed. Install Chromium or Chrome ` +
      "by the means of your system (on Debian and Ubuntu: `sudo apt-get install chromium`), " +
      "or set CHROMIUM_PATH to one.",
  );
}

/** Installs the first of these packages that can be had, and takes nothing away for it. @param {string[]} names */
async function installFromDebian(names) {
  const patience = "-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=60";
  const install = names.map((name) => `apt-get install -y --no-remove ${patience} ${name}`);
  const command = `${install[0]} || { apt-get update ${patience} && { ${install.join(" || ")}; }; }`;
  return (await run("sh", ["-c", command], { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })).output;
}

function isDebian() {
  try {
    return /^(ID|ID_LIKE)=.*(debian|ubuntu)/m.test(readFileSync("/etc/os-release", "utf8"));
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureBrowser();
    console.log(findBrowser());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
