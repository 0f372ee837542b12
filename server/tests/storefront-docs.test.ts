import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { customers, trackingCodes } from "../db/schema.ts";
import { addLabelType } from "../testing/builders.ts";
import { addAccount, db, origin } from "../testing/server.ts";

test("a shop built on docs/storefront.md alone works: its examples, run in order", async () => {
  const page = await readFile(new URL("../../docs/storefront.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, command]) => command as string);
  expect(examples.length).toBeGreaterThan(9);
  await addLabelType({ uid: "priority", tiers: [[0, 5, 7.45]] });
  await db.insert(trackingCodes).values({ code: "9400000000000000000017", type: "priority", template: "evs" });
  const { token } = await addAccount("owner", "admin");

  const env: Record<string, string> = { PATH: process.env.PATH ?? "", API: origin, TOKEN: token };
  for (const example of examples) {
    const command = example.replaceAll("curl ", "curl -sS --fail-with-body ");
    const { stdout } = await promisify(execFile)("bash", ["-c", command], { env }).catch((error) => {
      throw new Error(`${example}\n${error.stdout}${error.stderr}`);
    });
    const answer = JSON.parse(stdout);
    // What the reader would carry from one example to the next.
    if (answer.key) env.KEY ??= answer.key;
    if (answer.invoice) env.INVOICE = answer.invoice._id;
    if (answer.order && answer.balance) env.ORDER = answer.order._id;
    if (answer.order && !answer.balance) env.FEDEX = answer.order._id;
    // Staff verify newcomers in the panel.
    if (answer.customer)
      await db.update(customers).set({ verifiedAt: new Date() }).where(eq(customers.discordId, "4711"));
  }
  const [customer] = await db.select().from(customers);
  expect(customer?.balanceCents).toBe(4255);
});
