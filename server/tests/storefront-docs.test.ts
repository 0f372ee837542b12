import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { webhooks } from "@footprint/contract/webhooks.ts";
import { eq } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, events, trackingCodes } from "../db/schema.ts";
import { addLabelType } from "../testing/builders.ts";
import { receiver } from "../testing/receiver.ts";
import { addAccount, allowPrivateWebhooks, call, db, origin } from "../testing/server.ts";
import { startDelivering } from "../webhooks/delivering.ts";

const readPage = () => readFile(new URL("../../docs/storefront.md", import.meta.url), "utf8");

test("a shop built on docs/storefront.md alone works: its examples, run in order", async () => {
  const page = await readPage();
  const examples = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, command]) => command as string);
  expect(examples.length).toBeGreaterThan(14);
  await addLabelType({ uid: "priority", tiers: [[0, 5, 7.45]] });
  const codes = ["9400000000000000000017", "9400000000000000000024"];
  await db
    .insert(trackingCodes)
    .values(codes.map((code) => ({ code, type: "priority" as const, template: "evs" as const })));
  const { token } = await addAccount("owner", "admin");

  const env: Record<string, string> = { PATH: process.env.PATH ?? "", API: origin, TOKEN: token };
  for (const example of examples) {
    const command = example.replaceAll("curl ", "curl -sS --fail-with-body ");
    const { stdout } = await promisify(execFile)("bash", ["-c", command], { env }).catch((error) => {
      throw new Error(`${example}\n${error.stdout}${error.stderr}`);
    });
    const answer = JSON.parse(stdout);
    // The values that a reader would take from one example to the next.
    if (answer.key) env.KEY ??= answer.key;
    if (answer.invoice) env.INVOICE = answer.invoice._id;
    if (answer.order && answer.balance) env.ORDER = answer.order._id;
    if (answer.order && !answer.balance) env.FEDEX = answer.order._id;
    // Staff verify new customers in the panel.
    if (answer.customer)
      await db.update(customers).set({ verifiedAt: new Date() }).where(eq(customers.discordId, "4711"));
  }
  expect(await balance()).toBe(4255);

  // The page's first lines, which belong to any program of that shop.
  const { stdout } = await runWithNode(codeIn(page, "createOrder"), {
    FOOTPRINT_URL: origin,
    FOOTPRINT_KEY: env.KEY ?? "",
  });
  expect(stdout).toMatch(/^94\d{20} for \$7\.45, \$35\.10 left\n$/);
  expect(await balance()).toBe(3510);
});

const balance = async () => (await db.select().from(customers))[0]?.balanceCents;

/** A program from the page, exactly as written. */
const codeIn = (page: string, part: string) =>
  [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code as string).find((code) => code.includes(part)) ?? "";

const node = (code: string) => ["--input-type=module", "--eval", code];
const runWithNode = (code: string, env: Record<string, string>) =>
  promisify(execFile)(process.execPath, node(code), {
    env: { PATH: process.env.PATH ?? "", ...env },
    cwd: import.meta.dirname,
  });

test("the receiver of docs/storefront.md takes what is sent to it, and nothing else", async () => {
  const code = codeIn(await readPage(), "createServer");
  const { port, url, close } = await receiver();
  await close();
  allowPrivateWebhooks();
  const { body } = await call("admin", webhooks.create, { body: { url } });
  const env = { PATH: process.env.PATH ?? "", PORT: String(port), SECRET: body.secret };
  const shop = spawn(process.execPath, node(code), { env, cwd: import.meta.dirname });
  onTestFinished(() => void shop.kill());
  let printed = "";
  for (const output of [shop.stdout, shop.stderr])
    output.on("data", (text) => {
      printed += text;
    });
  const { status } = await vi.waitFor(() => fetch(url, { method: "POST", body: "{}" }), 30_000);
  expect(status).toBe(400);
  const happened = { customerId: null, shopId: null, createdAt: new Date() };
  await db.insert(events).values({ ...happened, id: uuidv7(), type: "codes.low", data: { left: 7 } });
  const delivering = startDelivering(db, { mayBePrivate: true }, () => {});
  onTestFinished(delivering.stop);
  await vi.waitFor(() => expect(printed).toBe('codes.low {"left":7}\n'), 30_000);
  const read = () => call("admin", webhooks.deliveries, { params: { id: body.webhook._id } });
  await vi.waitFor(async () => expect((await read()).body.deliveries).toMatchObject([{ state: "delivered" }]), 30_000);
});
