// Builds the panel into web/dist, unless it is there already for exactly these sources. `build.mjs shop`: the shop's page.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { root, runNode, tool } from "./process.mjs";

const { name, folder, sources } =
  process.argv[2] === "shop"
    ? { name: "the shop", folder: "shop", sources: ["contract", "client", "shop"] }
    : { name: "the panel", folder: "web", sources: ["contract", "web"] };
const built = join(root, folder, "dist");
const stampFile = ".built-from";
// Beside the packages: ignored by git, and on the same disk.
const freshFolder = `node_modules/.footprint-${folder}`;
const fresh = join(root, freshFolder);

const stamp = hashOfSources();
if (stamp !== readStamp()) {
  console.log(`Building ${name} ...`);
  const args = ["build", "--logLevel", "warn", "--outDir", fresh, "--emptyOutDir"];
  const { code, output } = await runNode([tool("vite/bin/vite.js"), ...args], { cwd: join(root, folder) });
  if (output.trim()) console.error(output.trim());
  if (code !== 0) process.exit(1);
  await compress(filesIn(freshFolder).filter((path) => !path.includes("/.vite/")));
  // Only a complete build replaces the one that a running server may be serving.
  writeFileSync(join(fresh, stampFile), stamp);
  rmSync(built, { recursive: true, force: true });
  renameSync(fresh, built);
}

function hashOfSources() {
  const hash = createHash("sha256");
  hash.update(process.env.API_HOST ?? "");
  const configuration = ["package-lock.json", "tsconfig.base.json", "scripts/build.mjs"];
  for (const path of [...sources.flatMap(filesIn), ...configuration]) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex");
}

/**
 * Leaves beside each file what a browser gets in its place: brotli, or gzip where it takes no other, at their best,
 * which is too slow to be done per request. What would not shrink is sent as it is.
 * @param {string[]} paths
 */
async function compress(paths) {
  const texts = paths.filter((path) => /\.(js|css|html|svg|json)$/.test(path)).map((path) => join(root, path));
  await Promise.all(
    texts.map(async (path) => {
      const content = readFileSync(path);
      const brotli = await promisify(brotliCompress)(content);
      const gzipped = await promisify(gzip)(content, { level: 9 });
      if (brotli.length < content.length) writeFileSync(`${path}.br`, brotli);
      if (gzipped.length < content.length) writeFileSync(`${path}.gz`, gzipped);
    }),
  );
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !["dist", "node_modules", "data"].includes(entry.name))
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
