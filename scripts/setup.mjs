// Installs the packages of package-lock.json that are missing. Runs before every npm script. Plain Node 18 without
// packages: on a fresh clone there is nothing else.
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectNode, root, run } from "./process.mjs";

const lockPath = join(root, "package-lock.json");
const modules = join(root, "node_modules");
const stampPath = join(modules, ".footprint-setup");

const libc = process.platform === "linux" ? (isGlibc() ? "glibc" : "musl") : undefined;
const lockText = readFileSync(lockPath, "utf8");
const stamp = createHash("sha256")
  .update(JSON.stringify([lockText, process.platform, process.arch, libc]))
  .digest("hex");

if (!isInstalled()) {
  await install();
  await checkNode();
  writeFileSync(stampPath, stamp);
}

function isInstalled() {
  if (readText(stampPath) === stamp) return true;
  if (!isInstalledByHand()) return false;
  try {
    writeFileSync(stampPath, stamp);
  } catch {
    // A read-only checkout is fine as long as everything is installed.
  }
  return true;
}

/**
 * Someone's own `npm install` leaves no stamp of ours, but npm lists what it installed. It writes that list last,
 * so an interrupted install does not pass.
 */
function isInstalledByHand() {
  const installed = readText(join(modules, ".package-lock.json"));
  if (!installed || !existsSync(join(modules, ".bin", "node"))) return false;
  const { packages } = JSON.parse(installed);
  return Object.entries(JSON.parse(lockText).packages).every(
    ([path, wanted]) =>
      !path.startsWith("node_modules/") ||
      !isNeededHere(wanted) ||
      // A workspace has neither version nor hash: it exists or not.
      (packages[path] && packages[path].version === wanted.version && packages[path].integrity === wanted.integrity),
  );
}

/** @param {{ optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} entry */
function isNeededHere({ optional, os, cpu, libc: libcs }) {
  // An optional package without a platform belongs to another one that has it.
  if (optional && !os && !cpu) return false;
  return (
    (!os || os.includes(process.platform)) &&
    (!cpu || cpu.includes(process.arch)) &&
    (!libcs || libc === undefined || libcs.includes(libc))
  );
}

async function install() {
  try {
    accessSync(root, constants.W_OK);
    if (existsSync(modules)) accessSync(modules, constants.W_OK);
  } catch {
    fail(`Cannot install packages: ${root} is not writable for this account.`);
  }
  console.log("Installing packages (npm ci) ...");
  // NODE_ENV=production would leave out Node itself and the panel's build tools.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const { code, output } = await (npm?.endsWith(".js")
    ? run(process.execPath, [npm, ...args])
    : run("npm", args, { shell: process.platform === "win32" }));
  if (code !== 0) fail(`${output.trim()}\n\nnpm ci failed (exit code ${code}); its words are above.`);
}

async function checkNode() {
  const { output } = await run(projectNode(), ["--version"]);
  if (Number(/^v(\d+)/.exec(output)?.[1] ?? 0) >= 24) return;
  fail(
    "Node 24 is part of the packages but was not installed: npm is set to skip install scripts.\n" +
      "Either run `npm rebuild node --ignore-scripts=false`, or use Node 24 or newer yourself.",
  );
}

function isGlibc() {
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } } | undefined} */ (process.report?.getReport());
  return Boolean(report?.header?.glibcVersionRuntime);
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
