// Builds the panel into web/dist, unless it is there already for exactly these sources.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runNode, tool } from "./process.mjs";

const web = join(root, "web");
const built = join(web, "dist");
const stampFile = ".built-from";
// Beside the packages: ignored by git, and on the same disk.
const fresh = join(root, "node_modules", ".footprint-panel");

const stamp = hashOfSources();
if (stamp !== readStamp()) {
  console.log("Building the panel ...");
  const args = ["build", "--logLevel", "warn", "--outDir", fresh, "--emptyOutDir"];
  const { code, output } = await runNode([tool("vite/bin/vite.js"), ...args], { cwd: web });
  if (output.trim()) console.error(output.trim());
  if (code !== 0) process.exit(1);
  // Only a whole build replaces the one that a running server may be serving.
  writeFileSync(join(fresh, stampFile), stamp);
  rmSync(built, { recursive: true, force: true });
  renameSync(fresh, built);
}

function hashOfSources() {
  const hash = createHash("sha256");
  hash.update(process.env.API_HOST ?? "");
  for (const path of [...filesIn("contract"), ...filesIn("web"), "package-lock.json", "tsconfig.base.json"]) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex");
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== "dist" && entry.name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
}

function readStamp() {
  try {
    return readFileSync(join(built, stampFile), "utf8");
  } catch {
    return undefined;
  }
}
