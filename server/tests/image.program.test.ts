import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { emptyPostgres } from "../testing/program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const namesIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name as string);

const dockerfile = read("Dockerfile");
const compose = read("compose.yaml");
const rootPackage = JSON.parse(read("package.json"));

const ignored = read(".dockerignore")
  .split("\n")
  .filter((line) => line && !/^[#!*]($|[^*])/.test(line));
const allowed = namesIn(read(".dockerignore"), /^!(.*)$/gm);

/** What the image's build gets to see. */
function isSeen(path: string) {
  const below = (pattern: string) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
  return allowed.some(below) && !ignored.some(below);
}

/** The stage `program` of the Dockerfile, with packages that are here already in the place of `npm ci --omit=dev`. */
async function makeProgram(folder: string) {
  const [, steps = ""] = /^FROM packages AS program\n(.*?)^FROM /ms.exec(dockerfile) ?? [];
  const copied = namesIn(steps, /^COPY (\w+) \1$/gm);
  expect(copied).toEqual(["contract", "server"]);
  for (const name of copied)
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => path === join(root, name) || isSeen(relative(root, path)),
    });
  for (const name of copied) {
    const { dependencies } = JSON.parse(read(`${name}/package.json`));
    for (const needed of Object.keys(dependencies)) {
      const place = join(folder, name, "node_modules", needed);
      const installed = [join(root, name, "node_modules", needed), join(root, "node_modules", needed)].find(existsSync);
      await mkdir(dirname(place), { recursive: true });
      const own = /^@footprint\/(\w+)$/.exec(needed)?.[1];
      await symlink(own ? join(folder, own) : await realpath(installed ?? ""), place);
    }
  }
  await mkdir(join(folder, "web/dist"), { recursive: true });
  await writeFile(join(folder, "web/dist/index.html"), "<title>Footprint</title>");
}

test("what the image holds is enough to serve the API and the panel, and writes to no place but the folders it is given", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "footprint-image-")));
  const app = join(folder, "app");
  await makeProgram(app);
  expect(existsSync(join(app, "server/main.ts"))).toBe(true);
  expect(globSync("**/*.test.ts", { cwd: app, exclude: (name) => name.endsWith("node_modules") })).toEqual([]);
  const [, command = ""] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, ...args] = JSON.parse(command);
  // Node itself forbids what a read-only file system would: to write elsewhere.
  const rights = ["--permission", "--allow-fs-read=*", `--allow-fs-write=${folder}/data`];
  const others = ["--allow-addons", "--allow-child-process", "--allow-worker", "--allow-wasi"];
  const child = spawn(process.execPath, [...rights, ...others, ...args], {
    cwd: app,
    env: { ...(await emptyPostgres()), NODE_ENV: "production", DATA_DIR: `${folder}/data`, PORT: "0" },
  });
  try {
    let output = "";
    const origin = await new Promise<string>((done, fail) => {
      const listen = (chunk: Buffer) => {
        output += chunk;
        const [, address] = /is ready at (\S+)/.exec(output) ?? [];
        if (address) done(address);
      };
      child.stdout.on("data", listen);
      child.stderr.on("data", listen);
      child.once("close", () => fail(new Error(output)));
    });
    for (const [path, expected] of [
      ["/readyz", "ready"],
      ["/orders", "<title>Footprint</title>"],
    ] as const) {
      const answer = await fetch(origin + path);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(expected)]);
    }

    const [, check = ""] = /^ {2}CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, ...asked] = JSON.parse(check);
    const health = async (port: string) =>
      (await once(spawn(process.execPath, asked, { env: { PORT: port } }), "close"))[0];
    expect(await health(new URL(origin).port)).toBe(0);
    const ended = once(child, "close");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
    expect(await health(new URL(origin).port)).toBe(1);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});

test("the image has the project's Node, and its build sees the package of every workspace", () => {
  expect(/^ARG NODE=(.*)$/m.exec(dockerfile)?.[1]).toBe(rootPackage.devDependencies.node);
  expect(namesIn(dockerfile, /^COPY (\w+)\/package\.json \1\/$/gm).sort()).toEqual([...rootPackage.workspaces].sort());
  for (const workspace of rootPackage.workspaces) expect(isSeen(`${workspace}/package.json`)).toBe(true);
  for (const path of ["package.json", "package-lock.json", "tsconfig.base.json", "scripts/build.mjs", "web/index.html"])
    expect([path, isSeen(path)]).toEqual([path, true]);
  for (const path of [
    ".git/HEAD",
    ".env",
    "data/postgres",
    "server/tests/race.test.ts",
    "web/node_modules/vite",
    "docs",
  ])
    expect([path, isSeen(path)]).toEqual([path, false]);
});

test("compose file and service set variables that the program reads, and trust the proxy's own address alone", () => {
  const known = new Set<string>();
  const set: Record<string, string> = { BACKUP_EVERY: "1d" };
  readConfig(new Proxy(set, { get: (_, name: string) => set[known.add(name) && name] }));
  const [server = ""] = compose.split(/^services:/m);
  const variables = [
    ...namesIn(server, /^ {4}([A-Z_]+):/gm),
    ...namesIn(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? "", /([A-Z_]+)=/g),
    ...namesIn(/^Environment=(.*)$/m.exec(read("deploy/footprint.service"))?.[1] ?? "", /([A-Z_]+)=/g),
  ];
  expect(variables.length).toBeGreaterThan(20);
  expect(variables.filter((name) => !known.has(name))).toEqual([]);
  expect(/TRUST_PROXY: (\S+)/.exec(compose)?.[1]).toBe(/ipv4_address: (\S+)/.exec(compose)?.[1]);
  const offered = namesIn(read("deploy/compose.env"), /^#?([A-Z_]+)=/gm);
  expect(offered.length).toBeGreaterThan(5);
  expect(offered.filter((name) => !compose.includes(`\${${name}:-`))).toEqual([]);
});
