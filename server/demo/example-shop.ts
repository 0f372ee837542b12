import { randomUUID } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { and, desc, eq, gte, isNotNull } from "drizzle-orm";
import { createKey } from "../accounts/api-keys.ts";
import { record, system } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { apiKeys, customers, settings, shops } from "../db/schema.ts";

/** The demo business's shop, used by `npm run shop`. */
const name = "Example shop";

const fileIn = (folder: string) => join(folder, "example-shop.json");

/** The shop that sold what the demo business sold. */
export async function addExampleShop(tx: Transaction): Promise<string> {
  const [known] = await tx.select().from(shops).where(eq(shops.name, name));
  const [shop] = known ? [known] : await tx.insert(shops).values({ name }).returning();
  if (!shop) throw new Error("an insert returns its row");
  return shop.id;
}

/**
 * Gives the example shop its key, in a file beside the database, with some customers to sign in as. Only once: a key
 * deleted in the panel stays deleted.
 */
export async function giveKey(db: Database, folder: string): Promise<void> {
  if (await stat(fileIn(folder)).catch(() => undefined)) return;
  await db.transaction(async (tx) => {
    const [demo] = await tx.select().from(settings).where(eq(settings.demo, true)).for("update");
    if (!demo) return;
    const id = uuidv7();
    // A key that was never written to the file is useless.
    await tx.delete(apiKeys).where(eq(apiKeys.name, name));
    const key = await createKey(tx, {
      id,
      name,
      shopId: await addExampleShop(tx),
      scopes: ["orders", "customers", "deposits"],
    });
    await record(tx, system, "website", `Created the API key ${name}`, {
      after: { name },
      about: { kind: "api key", id },
    });
    await write(folder, { key, customers: await somebody(tx) });
  });
}

/** The busiest customers who can buy, one of them with custom prices. */
async function somebody(tx: Transaction) {
  const busiest = async (customPricingEnabled: boolean, limit: number) =>
    tx
      .select({ discordId: customers.discordId, username: customers.username })
      .from(customers)
      .where(
        and(
          eq(customers.active, true),
          isNotNull(customers.verifiedAt),
          eq(customers.customPricingEnabled, customPricingEnabled),
          gte(customers.balanceCents, 5_000),
        ),
      )
      .orderBy(desc(customers.orders), customers.id)
      .limit(limit);
  return [...(await busiest(false, 3)), ...(await busiest(true, 1))];
}

/** Completely or not at all, readable by the owner only. */
async function write(folder: string, content: object) {
  const draft = join(folder, `example-shop.${randomUUID()}`);
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, fileIn(folder));
}

/** Takes the shop away with the demo business. */
export async function removeExampleShop(tx: Transaction): Promise<void> {
  const [shop] = await tx.select().from(shops).where(eq(shops.name, name));
  if (!shop) return;
  await tx.delete(apiKeys).where(eq(apiKeys.shopId, shop.id));
  await tx.delete(shops).where(eq(shops.id, shop.id));
}

export const forgetKey = (folder: string) => rm(fileIn(folder), { force: true });
