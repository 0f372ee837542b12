// Builds the package that is published, in client/dist: `npm run client:build`, then `npm publish client/dist`.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const root = join(here, "..");

/** JavaScript and its types, without dependencies. */
export function build(folder = join(here, "dist")): string {
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(here, "tsconfig.build.json"), "--outDir", folder], {
    stdio: "inherit",
  });
  // The compiler does not change these imports, but older compilers look for the files under the other name.
  for (const path of globSync(join(folder, "*.d.ts")))
    writeFileSync(path, readFileSync(path, "utf8").replace(/( from "\.\/\w+)\.ts"/g, '$1.js"'));
  const { private: _, devDependencies: __, exports: ___, ...described } = JSON.parse(read("package.json"));
  const entry = { types: "./client.d.ts", default: "./client.js" };
  const published = { ...described, engines: { node: ">=20" }, sideEffects: false, exports: { ".": entry } };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(here, "README.md"), join(folder, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  return folder;
}

const read = (name: string) => readFileSync(join(here, name), "utf8");

if (import.meta.main) console.log(`Built ${build()}`);
