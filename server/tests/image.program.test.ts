import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../config.ts";
import { urlsOf } from "../db/hosts.ts";
import { emptyPostgres } from "../testing/program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const namesIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name as string);

const dockerfile = read("Dockerfile");
const compose = read("compose.yaml");
type Service = {
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test: string[] };
  [key: string]: unknown;
};
const composed = parse(compose, { merge: true }) as {
  services: Record<string, Service>;
  volumes: object;
  networks: { front: { ipam: { config: { ip_range: string }[] } } };
  secrets: Record<string, { environment: string }>;
};
const rootPackage = JSON.parse(read("package.json"));

const ignored = read(".dockerignore")
  .split("\n")
  .filter((line) => line && !/^[#!*]($|[^*])/.test(line));
const allowed = namesIn(read(".dockerignore"), /^!(.*)$/gm);

/** Whether the image's build can see a path. */
function isSeen(path: string) {
  const below = (pattern: string) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
  return allowed.some(below) && !ignored.some(below);
}

/** The stage `program` of the Dockerfile, with the installed packages instead of `npm ci --omit=dev`. */
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

test("the image holds enough to serve the API and the panel, and writes only to the folders it is given", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "footprint-image-")));
  const app = join(folder, "app");
  await makeProgram(app);
  expect(existsSync(join(app, "server/main.ts"))).toBe(true);
  expect(globSync("**/*.test.ts", { cwd: app, exclude: (name) => name.endsWith("node_modules") })).toEqual([]);
  const [, command = ""] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, ...args] = JSON.parse(command);
  // Node itself forbids writing elsewhere, as a read-only file system would.
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
    // Compose waits until a server should get calls, not only until it is alive.
    const [, , ...composedCheck] = composed.services.one?.healthcheck?.test ?? [];
    expect(composedCheck.join(" ")).toContain("/readyz");
    const ready = async () => {
      const args = composedCheck.map((part) => part.replace("http://127.0.0.1:7400", origin));
      return (await once(spawn(process.execPath, args), "close"))[0];
    };
    expect(await ready()).toBe(0);
    const ended = once(child, "close");
    child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
    expect([await health(new URL(origin).port), await ready()]).toEqual([1, 1]);
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
  const readAll = (set: Record<string, string>) =>
    readConfig(new Proxy(set, { get: (_, name: string) => set[known.add(name) && name] }));
  readAll({ BACKUP_EVERY: "1d" });
  const { one, two, proxy } = composed.services;
  expect(two).toEqual(one);
  const variables = [
    ...Object.keys(one?.environment ?? {}),
    ...namesIn(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? "", /([A-Z_]+)=/g),
    ...namesIn(/^Environment=(.*)$/m.exec(read("deploy/footprint.service"))?.[1] ?? "", /([A-Z_]+)=/g),
  ];
  expect(variables.length).toBeGreaterThan(20);
  expect(variables.filter((name) => !known.has(name))).toEqual([]);
  expect(proxy).toMatchObject({ networks: { front: { ipv4_address: one?.environment?.TRUST_PROXY } } });
  // No other container can get that address, however early it starts.
  const [front] = composed.networks.front.ipam.config;
  const [first = "", bits] = String(front?.ip_range).split("/");
  const others = new BlockList();
  others.addSubnet(first, Number(bits));
  expect(others.check(String(one?.environment?.TRUST_PROXY))).toBe(false);
  const offered = namesIn(read("deploy/compose.env"), /^#?([A-Z_]+)=/gm);
  expect(offered.length).toBeGreaterThan(5);
  // Compose itself reads which profiles to start.
  expect(offered.filter((name) => name !== "COMPOSE_PROFILES" && !compose.includes(`\${${name}:-`))).toEqual([]);
});

test("the servers of the compose file find both databases, whichever takes changes, and each database the other", () => {
  const { one, ...others } = composed.services;
  const hosts = Object.keys(others).filter((name) => name.startsWith("database-"));
  expect(hosts).toEqual(["database-one", "database-two"]);
  const set = Object.entries(one?.environment ?? {}).map(([name, value]) => [name, composedValue(String(value))]);
  const { databaseUrl, readDatabaseUrl, metricsKey } = readConfig(Object.fromEntries(set));
  for (const url of [databaseUrl, readDatabaseUrl])
    expect(urlsOf(url ?? "")).toEqual(hosts.map((host) => `postgres://footprint:footprint@${host}:5432/footprint`));
  expect(metricsKey).toBeUndefined();

  const script = read("deploy/postgres/database");
  const { mode } = statSync(join(root, "deploy/postgres/database"));
  expect(mode & 0o111).toBe(0o111);
  const needed = new Set(namesIn(script, /\$\{?([A-Z]{4,}[A-Z_]*)\b/g));
  for (const [i, host] of hosts.entries()) {
    const { environment, ...service } = others[host] as Service;
    expect(environment).toMatchObject({ NAME: host, OTHER: hosts[1 - i] });
    // PGDATA and the account's password come from the image.
    const given = new Set([...Object.keys(environment ?? {}), "PGDATA", "PGUSER", "PGPASSWORD", "BEGINS"]);
    expect([...needed].filter((name) => !given.has(name))).toEqual([]);
    expect(service).toMatchObject({ entrypoint: ["database", "start"], image: "postgres:18" });
    expect(service.volumes).toContain("cluster:/cluster");
  }
  expect(hosts.filter((host) => others[host]?.environment?.BEGINS)).toEqual([hosts[0]]);
  // Two databases must not share a folder.
  const folders = hosts.map((host) => others[host]?.volumes?.find((volume) => volume.endsWith(":/var/lib/postgresql")));
  expect(new Set(folders).size).toBe(2);
});

/** The values if none of the variables is set. */
const composedValue = (text: string) => text.replace(/\$\{\w+:-([^}]*)\}/g, "$1");

test("everything the compose file mounts exists, and its Prometheus asks every server with the servers' key", () => {
  const { services, volumes, secrets } = composed;
  const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
  for (const volume of mounted) {
    const [source = ""] = volume.split(":");
    if (source.startsWith("./")) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
    else expect(Object.keys(volumes)).toContain(source);
  }
  const prometheus = parse(read("deploy/prometheus/compose.yaml"));
  expect(prometheus.rule_files.every((file: string) => existsSync(join(root, "deploy/prometheus", file)))).toBe(true);
  const [job] = prometheus.scrape_configs;
  // The dashboard and the alerts look for this job name.
  expect(job.job_name).toBe("footprint");
  const servers = Object.keys(services).filter((name) => services[name]?.image === "footprint");
  expect(job.static_configs).toEqual([{ targets: servers.map((name) => `${name}:7400`) }]);
  expect(job.authorization.credentials_file).toBe("/run/secrets/metrics-key");
  expect(secrets["metrics-key"]?.environment).toBe("METRICS_KEY");
  expect(services.prometheus?.secrets).toEqual(["metrics-key"]);
  expect(prometheus.alerting.alertmanagers[0].static_configs).toEqual([{ targets: ["alertmanager:9093"] }]);
  const { route, receivers } = parse(read("deploy/prometheus/alertmanager.yaml"));
  expect(receivers.map(({ name }: { name: string }) => name)).toEqual([route.receiver]);
});
