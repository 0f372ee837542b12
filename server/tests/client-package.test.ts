import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { invoices } from "@footprint/contract/invoices.ts";
import { webhooks } from "@footprint/contract/webhooks.ts";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { build } from "../../client/build.ts";
import { orders } from "../db/schema.ts";
import { balanceOf } from "../testing/builders.ts";
import { receiver } from "../testing/receiver.ts";
import { openShop } from "../testing/selling.ts";
import { allowPrivateWebhooks, call, db, origin } from "../testing/server.ts";
import { startDelivering } from "../webhooks/delivering.ts";

// The published package in a project without anything else: packed, installed without a registry, and used.

const root = join(import.meta.dirname, "../..");
const patience = { timeout: 30_000, interval: 20 };
const withoutProject = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

/** The README's examples, in order, exactly as written. */
const examples = [...readFileSync(join(root, "client/README.md"), "utf8").matchAll(/```js\n(.*?)```/gs)].map(
  ([, code]) => code as string,
);
const names = ["first-label", "nothing-twice", "bulk", "pull", "push"];

let project: string;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "footprint-client-"));
  build(join(folder, "built"));
  project = join(folder, "project");
  mkdirSync(project);
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], { cwd: project, encoding: "utf8" });
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  const [{ filename }] = JSON.parse(npm("pack", "../built", "--json"));
  npm("install", filename);
  for (const [place, name] of names.entries()) writeFileSync(join(project, `${name}.js`), examples[place] ?? "");
});

afterAll(() => rmSync(join(project, ".."), { recursive: true }));

/** Runs one of the project's programs until it ends. */
async function run(
  program: string,
  env: Record<string, string>,
  [runtime = "", ...args]: string[] = [process.execPath],
) {
  const given = { PATH: withoutProject, FOOTPRINT_URL: origin, ...env };
  const { stdout } = await promisify(execFile)(runtime, [...args, program], { cwd: project, env: given });
  return stdout;
}

/** Starts a program that runs until it is stopped. */
function start(program: string, env: Record<string, string>) {
  const given = { PATH: withoutProject, FOOTPRINT_URL: origin, ...env };
  const child = spawn(process.execPath, [program], { cwd: project, env: given });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  for (const output of [child.stdout, child.stderr])
    output.on("data", (text) => {
      printed += text;
    });
  return { child, printed: () => printed };
}

const endOf = (child: ChildProcess) => new Promise((resolve) => child.once("close", resolve));

function versionOf(runtime: string): string | undefined {
  try {
    return execFileSync(runtime, ["--version"], { env: { PATH: withoutProject }, encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

async function buysWith(...runtime: string[]) {
  const { key, customer } = await openShop();
  expect(await run("first-label.js", { FOOTPRINT_KEY: key }, runtime)).toContain("$92.55 left");
  expect(await run("nothing-twice.js", { FOOTPRINT_KEY: key }, runtime)).toContain("Bought 94");
  expect(await balanceOf(customer)).toBe(85.1);
}

test("the package is JavaScript and types, with nothing to install beside it", () => {
  const installed = execFileSync("ls", ["-R", "node_modules"], { cwd: project, encoding: "utf8" });
  expect(installed).not.toContain("zod");
  const described = JSON.parse(readFileSync(join(project, "node_modules/@footprint/client/package.json"), "utf8"));
  expect(described).toMatchObject({ name: "@footprint/client", type: "module", license: "MIT" });
  expect(Object.keys(described)).not.toContain("dependencies");
  expect(Object.keys(described)).not.toContain("private");
  for (const file of ["client.js", "client.d.ts", "README.md", "LICENSE"]) expect(installed).toContain(file);
});

const platforms = {
  "Node's types": { lib: ["es2022"], types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
  "a browser's types": { lib: ["es2022", "dom"], types: [] },
  "a worker's types": { lib: ["es2022", "webworker"], types: [] },
};
for (const [name, platform] of Object.entries(platforms))
  test(`its types are whole and strict where a project has ${name}`, async () => {
    const program = `
      import { Footprint, FootprintError, type FootprintEvent, verifyWebhook } from "@footprint/client";
      const footprint = new Footprint({ url: "http://localhost:7400", key: "key", timeout: 5_000 });
      export const customer = async () => (await footprint.getCustomer({ discordId: "4711" })).customer.balance.toFixed(2);
      export const told = (event: FootprintEvent) => event.type === "order.refunded" ? event.data.order.tracking : event.id;
      export const receive = (request: Request) => verifyWebhook({ secret: "whsec_", headers: request.headers, body: request.body });
      export const why = (error: unknown) => error instanceof FootprintError ? error.issues[0]?.path : undefined;
      // @ts-expect-error: it needs a weight
      footprint.quote({ discordId: "4711", labelType: "priority" });
      // @ts-expect-error: there is no such field
      footprint.getCustomer({ discordId: "4711" }).then(({ customer }) => customer.credit);
    `;
    const folder = join(project, name.replaceAll(/\W/g, "-"));
    mkdirSync(folder);
    writeFileSync(join(folder, "program.ts"), program);
    const isNode = platform.types.length > 0;
    // The examples are for Node.
    const files = ["program.ts", ...(isNode ? names.map((each) => `../${each}.js`) : [])];
    const strict = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
    };
    const modules = { target: "es2022", module: "nodenext", noEmit: true, allowJs: true, checkJs: true };
    const compilerOptions = { ...strict, ...modules, ...platform };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = [join(root, "node_modules/typescript/bin/tsc"), "-p", folder];
    await promisify(execFile)(process.execPath, tsc, { cwd: folder }).catch(({ stdout }) => expect.unreachable(stdout));
  });

test("the first label is bought with the README's lines", async () => {
  const { key, customer } = await openShop();
  expect(await run("first-label.js", { FOOTPRINT_KEY: key })).toMatch(/^94\d{20} for \$7\.45, \$92\.55 left\n$/);
  expect(await balanceOf(customer)).toBe(92.55);
});

test("so it is with the Node of this machine, where that is another", async ({ skip }) => {
  const version = versionOf("node") ?? "";
  const isOther = version !== process.version && Number(/^v(\d+)/.exec(version)?.[1]) >= 20;
  if (!isOther) return skip("There is no other Node of version 20 or newer here");
  await buysWith("node");
});

// Few machines have these; where they are missing, this is skipped.
for (const runtime of [["deno", "run", "--allow-net", "--allow-env"], ["bun"]] as const)
  if (versionOf(runtime[0])) test(`so it is with ${runtime[0]}`, () => buysWith(...runtime));

test("the README's second example buys once under one key, and says why what is refused is", async () => {
  const { key } = await openShop();
  const lines = (await run("nothing-twice.js", { FOOTPRINT_KEY: key })).split("\n");
  expect(lines[0]).toMatch(/^Bought 94\d{20}$/);
  expect(lines[1]).toBe(lines[0]);
  expect(lines[2]).toMatch(/^Not bought: .*A parcel weighs more than 0/);
  expect(await db.$count(orders)).toBe(1);
});

test("the README's third example buys many, and warns of an address", async () => {
  const { key } = await openShop();
  const printed = await run("bulk.js", { FOOTPRINT_KEY: key });
  expect(printed).toMatch(/^2 labels for \$14\.90\nLena Okafor: 94\d{20}\nAna Silva: 94\d{20}\n/);
  expect(printed).toContain("body.orders.1.toZip: ZIP code 97201 is in Oregon, not in Colorado\n$85.10 left\n");
});

test("the README's fourth example hears of a payment, ends when told, and goes on where it was", async () => {
  const { key } = await openShop();
  const first = start("pull.js", { FOOTPRINT_KEY: key });
  await vi.waitFor(() => expect(first.printed()).toContain("Pay $50 to"), patience);
  const { body } = await call("staff", invoices.list);
  await call("staff", invoices.markPaid, { params: { id: body.invoices[0]?._id ?? "" } });
  await vi.waitFor(() => expect(first.printed()).toContain("maren paid $50\n"), patience);
  first.child.kill("SIGTERM");
  expect(await endOf(first.child)).toBe(0);
  expect(first.printed()).toContain("Ended\n");

  // The same deposit again is the same invoice, and processed events do not come again.
  const second = start("pull.js", { FOOTPRINT_KEY: key });
  await vi.waitFor(() => expect(second.printed()).toContain("Pay $50 to"), patience);
  second.child.kill("SIGTERM");
  expect(await endOf(second.child)).toBe(0);
  expect(second.printed()).not.toContain("maren paid");
});

test("the README's fifth example takes what is sent to it, and nothing else", async () => {
  const { port, url, close } = await receiver();
  await close();
  allowPrivateWebhooks();
  const { body } = await call("admin", webhooks.create, { body: { url } });
  const shop = start("push.js", { PORT: String(port), FOOTPRINT_WEBHOOK_SECRET: body.secret });
  const forged = await vi.waitFor(() => fetch(url, { method: "POST", body: "{}" }), patience);
  expect(forged.status).toBe(400);
  const delivering = startDelivering(db, { mayBePrivate: true }, () => {});
  onTestFinished(delivering.stop);
  await call("admin", webhooks.test, { params: { id: body.webhook._id } });
  await vi.waitFor(() => expect(shop.printed()).toMatch(/^test \{/), patience);
});
