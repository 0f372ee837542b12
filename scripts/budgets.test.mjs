// The sizes of the built panel in bytes, which are the same on every machine. Run `node scripts/build.mjs` first.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { root } from "./process.mjs";

/** @typedef {{ file: string, imports?: string[], dynamicImports?: string[], css?: string[] }} Chunk */

const budgets = { signInScript: 110, signInStyle: 15, screen: 260, scriptFiles: 24 };

const dist = join(root, "web", "dist");
const read = (/** @type {string} */ path) => readFileSync(join(dist, path));
/** @type {Record<string, Chunk>} */
const manifest = JSON.parse(read(".vite/manifest.json").toString());
const assets = readdirSync(join(dist, "assets")).filter((name) => !/\.(br|gz)$/.test(name));

const panel = "src/layout/Panel.tsx";
const charts = "src/features/dashboard/charts.tsx";
const screens = Object.keys(manifest).filter((source) => /\/features\/.*Screen\.tsx$/.test(source));

/** What a browser loads before it can run these chunks. @param {string[]} sources @returns {Set<string>} */
function filesOf(sources, files = new Set()) {
  for (const source of sources) {
    const { file, css = [], imports = [] } = chunk(source);
    if (files.has(file)) continue;
    for (const path of [file, ...css]) files.add(path);
    filesOf(imports, files);
  }
  return files;
}

function chunk(/** @type {string} */ source) {
  const found = manifest[source];
  assert.ok(found, `the build has no ${source}`);
  return found;
}

const page = read("index.html").toString();
const named = Array.from(page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g), (found) => found[1] ?? "");
/** The files that the page names, and their imports. */
const firstLoad = new Set([...named, ...filesOf(["index.html"])]);

/** Gzipped, in kB. @param {Iterable<string>} files @param {string} [ending] */
function weight(files, ending = "") {
  const bytes = [...files]
    .filter((path) => path.endsWith(ending))
    .map((path) => gzipSync(read(path), { level: 9 }).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1000;
}

const among = (/** @type {string} */ mark) =>
  assets.filter((name) => name.endsWith(".js") && read(`assets/${name}`).includes(mark));

test("Sign-In loads within its budgets", (t) => {
  const script = weight(firstLoad, ".js");
  const style = weight(firstLoad, ".css");
  t.diagnostic(
    `weight of Sign-In: ${script.toFixed(1)} of ${budgets.signInScript} kB of JavaScript, ` +
      `${style.toFixed(1)} of ${budgets.signInStyle} kB of CSS`,
  );
  assert.ok(script > 0 && script <= budgets.signInScript, `${script} kB of JavaScript`);
  assert.ok(style > 0 && style <= budgets.signInStyle, `${style} kB of CSS`);
});

test("every screen loads within its budget", (t) => {
  assert.ok(screens.length >= 15, `only ${screens.length} screens in the build`);
  const weights = screens
    .map((source) => ({
      name: basename(source, "Screen.tsx"),
      kB: weight(new Set([...firstLoad, ...filesOf([panel, source])])),
    }))
    .sort((a, b) => b.kB - a.kB);
  const figures = weights.map(({ name, kB }) => `${name} ${kB.toFixed(1)}`);
  t.diagnostic(`weight of screens, of ${budgets.screen} kB: ${figures.join(", ")}`);
  assert.deepEqual(
    weights.filter(({ kB }) => kB > budgets.screen),
    [],
  );
});

test("every screen is made of few files: a browser asks for six at a time where there is no HTTP/2", (t) => {
  const counts = screens
    .map((source) => ({
      name: basename(source, "Screen.tsx"),
      files: [...new Set([...firstLoad, ...filesOf([panel, source])])].filter((path) => path.endsWith(".js")).length,
    }))
    .sort((a, b) => b.files - a.files);
  t.diagnostic(`files of script: ${counts.map(({ name, files }) => `${name} ${files}`).join(", ")}`);
  assert.deepEqual(
    counts.filter(({ files }) => files > budgets.scriptFiles),
    [],
  );
});

test("Chart.js loads with the dashboard's charts alone, and beside the screen", () => {
  const file = chunk(charts).file;
  assert.deepEqual(
    among("_chartjs").map((name) => `assets/${name}`),
    [file],
  );
  const eager = screens.filter((source) => filesOf([panel, source]).has(file));
  assert.deepEqual(eager, []);
  const lazy = Object.keys(manifest).filter((source) => chunk(source).dynamicImports?.includes(charts));
  assert.deepEqual(lazy, ["src/features/dashboard/DashboardScreen.tsx"]);
});

test("menus and tooltips load when they are first used", () => {
  for (const mark of ["data-menu-dropdown", "--tooltip-radius"]) {
    const holders = among(mark);
    assert.notEqual(holders.length, 0, `nothing holds ${mark}`);
    const eager = screens.filter((source) => holders.some((name) => filesOf([panel, source]).has(`assets/${name}`)));
    assert.deepEqual(eager, [], `${mark} is in what these load before they are shown`);
  }
});

test("Sign-In waits for no icons, dialogs or router", () => {
  for (const mark of ["tabler-icon", "ModalBase", "react-router"]) {
    const holders = among(mark);
    assert.notEqual(holders.length, 0, `nothing holds ${mark}`);
    for (const name of holders) assert.ok(!firstLoad.has(`assets/${name}`), `${name} of the first page holds ${mark}`);
  }
});

test("everything below assets carries its hash, and no source map is there", () => {
  const known = new Set(Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css]));
  for (const name of assets) {
    assert.match(name, /-[\w-]{8}\.(js|css|woff2)$/);
    assert.ok(known.has(`assets/${name}`), `${name} is not of this build`);
  }
  const maps = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) => /\.map(\.|$)/.test(path));
  assert.deepEqual(maps, []);
});

test("every text is there compressed, as it is now", () => {
  const texts = ["index.html", "theme.js", "favicon.svg", ...assets.map((name) => `assets/${name}`)];
  let smaller = 0;
  for (const path of texts.filter((path) => !path.endsWith(".woff2"))) {
    const content = read(path);
    for (const [ending, expand] of /** @type {const} */ ([
      [".br", brotliDecompressSync],
      [".gz", gunzipSync],
    ])) {
      // Only tiny files may stay uncompressed.
      if (!existsSync(join(dist, path + ending)) && content.length < 200) continue;
      assert.ok(expand(read(path + ending)).equals(content), `${path}${ending} is of another build`);
      smaller += 1;
    }
  }
  assert.ok(smaller > texts.length);
});
