import { randomUUID } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { and, desc, eq, gte, isNotNull } from "drizzle-orm";
import { createKey } from "../accounts/api-keys.ts";
import { record, system } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { apiKeys, customers, settings, shops } from "../db/schema.ts";

/** The shop of the demo business: what `npm run shop` opens. */
const name = "Example shop";

const fileIn = (folder: string) => join(folder, "example-shop.json");

/** A shop of that name; what the demo business sold was sold there. */
export async function addExampleShop(tx: Transaction): Promise<string> {
  const [known] = await tx.select().from(shops).where(eq(shops.name, name));
  const [shop] = known ? [known] : await tx.insert(shops).values({ name }).returning();
  if (!shop) throw new Error("an insert returns its row");
  return shop.id;
}

/**
 * Gives the example shop its key, in a file beside the database, and names some customers to sign in as. Once: a key
 * that is deleted in the panel stays so.
 */
export async function giveKey(db: Database, folder: string): Promise<void> {
  if (await stat(fileIn(folder)).catch(() => undefined)) return;
  await db.transaction(async (tx) => {
    const [demo] = await tx.select().from(settings).where(eq(settings.demo, true)).for("update");
    if (!demo) return;
    const id = uuidv7();
    // One that was made without being written down is of no use to anybody.
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

/** The busiest who can buy, one of them with prices of their own. */
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

/** Whole or not at all, and for nobody else's eyes. */
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
