import { isDeepStrictEqual } from "node:util";
import { settingsId } from "@footprint/contract/logs.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { isReservedName } from "@footprint/contract/staff.ts";
import { website } from "@footprint/contract/website.ts";
import { and, desc, eq, ne, sql } from "drizzle-orm";
import { isCalled, lockNames } from "../accounts/accounts.ts";
import { createKey, expireKey } from "../accounts/api-keys.ts";
import { record } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { uuidv7 } from "../db/ids.ts";
import { accounts, apiKeys, settings, shops } from "../db/schema.ts";
import { attach, fileName, openPublicFile, remove } from "../http/files.ts";
import { routes } from "../http/routes.ts";
import { dollars } from "../money/ledger.ts";
import { readCashapp } from "../money/payment-settings.ts";

export const websiteRoutes = routes(website, {
  async getCashapp({ db }) {
    return { cashapp: await readCashapp(db) };
  },

  async updateCashapp({ body, file, actor, transaction }) {
    return transaction(async (tx) => {
      const [before] = await tx.select().from(settings).for("update");
      if (!before) throw new Error("the settings row is missing");
      const beforeImage = await fileName(tx, before.imageFileId);
      const cashappId = body.cashappId ?? before.cashappId;
      const reply = { message: "Payment settings updated" };
      if (cashappId === before.cashappId && !file) return reply;

      await tx.update(settings).set({ cashappId, ...(file && { imageFileId: await attach(tx, file) }) });
      if (file && before.imageFileId) await remove(tx, before.imageFileId);

      const words = [
        ...(cashappId === before.cashappId ? [] : [`handle ${before.cashappId || "(none)"} to ${cashappId}`]),
        ...(file ? [`image ${file.name}`] : []),
      ];
      await record(tx, actor, "website", `Updated the payment settings: ${words.join(", ")}`, {
        before: { cashappId: before.cashappId, image: beforeImage },
        after: { cashappId, image: file?.name ?? beforeImage },
        about: { kind: "settings", id: settingsId },
      });
      return reply;
    });
  },

  async limits({ db }) {
    const [current] = await db.select().from(settings);
    return { limits: limitsOf(current) };
  },

  async updateLimits({ body, actor, transaction }) {
    return transaction(async (tx) => {
      const [current] = await tx.select().from(settings).for("update");
      const before = limitsOf(current);
      const after = { ...before };
      for (const name of limitNames) after[name] = body[name] === undefined ? before[name] : body[name];
      if (isDeepStrictEqual(before, after)) return { message: "The limits are unchanged" };
      await tx.update(settings).set({
        staffCreditCents: after.staffCredit,
        staffCreditPerDayCents: after.staffCreditPerDay,
        staffRefundCents: after.staffRefund,
        staffRefundPerDayCents: after.staffRefundPerDay,
      });
      const changed = limitNames.filter((name) => before[name] !== after[name]);
      const words = changed.map((name) => `${limitWords[name]} ${limit(before[name])} to ${limit(after[name])}`);
      await record(tx, actor, "website", `Changed the limits of staff accounts: ${words.join(", ")}`, {
        before: inDollars(before),
        after: inDollars(after),
        about: { kind: "settings", id: settingsId },
      });
      return { message: "Limits saved" };
    });
  },

  async listApiKeys({ db }) {
    const rows = await db
      .select()
      .from(apiKeys)
      .innerJoin(shops, eq(shops.id, apiKeys.shopId))
      .orderBy(apiKeys.createdAt, apiKeys.id);
    const all = await db.select().from(shops).orderBy(desc(shops.createdAt), desc(shops.id));
    return {
      keys: rows.map(({ api_keys: key, shops: shop }) => ({
        ...key,
        _id: key.id,
        shop: { _id: shop.id, name: shop.name },
        isBounded: key.bounded,
        depositsPerDay: key.depositsPerDayCents,
      })),
      shops: all.map((shop) => ({ ...shop, _id: shop.id })),
    };
  },

  async createApiKey({ body, actor, transaction }) {
    return transaction(async (tx) => {
      const { shop: shopId, depositsPerDay: depositsPerDayCents, ...values } = body;
      await refuseNameOfOthers(tx, body.name);
      if (body.expiresAt && body.expiresAt <= new Date())
        throw badInput("body.expiresAt", "A new key must not have expired already");
      const [shop] = shopId ? await tx.select().from(shops).where(eq(shops.id, shopId)) : [];
      if (shopId && !shop) throw badInput("body.shop", "This shop does not exist");
      const id = uuidv7();
      const key = await createKey(tx, { ...values, id, depositsPerDayCents, shopId }).catch(refuseTakenName(body.name));
      await record(tx, actor, "website", `Created the API key ${body.name}`, {
        after: { ...wordsOf({ ...values, depositsPerDayCents }), shop: shop?.name ?? body.name },
        about: { kind: "api key", id },
      });
      return { message: `API key ${body.name} created`, key };
    });
  },

  async updateApiKey({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const [before] = await tx.select().from(apiKeys).where(eq(apiKeys.id, params.id)).for("no key update");
      if (!before) throw unknownKey();
      const after = {
        name: body.name ?? before.name,
        scopes: body.scopes ?? before.scopes,
        addresses: body.addresses ?? before.addresses,
        depositsPerDayCents: body.depositsPerDay === undefined ? before.depositsPerDayCents : body.depositsPerDay,
        expiresAt: body.expiresAt === undefined ? before.expiresAt : body.expiresAt,
      };
      const [was, is] = [wordsOf(before), wordsOf(after)];
      if (isDeepStrictEqual(was, is)) return { message: `API key ${before.name} is unchanged` };
      if (after.name !== before.name) await refuseNameOfOthers(tx, after.name, before.id);
      await tx.update(apiKeys).set(after).where(eq(apiKeys.id, before.id)).catch(refuseTakenName(after.name));
      await record(tx, actor, "website", `Changed the API key ${after.name}`, {
        before: was,
        after: is,
        about: { kind: "api key", id: before.id },
      });
      return { message: `API key ${after.name} saved` };
    });
  },

  async deleteApiKey({ params, actor, transaction }) {
    let before: object | undefined;
    return transaction(
      async (tx) => {
        const [key] = await tx.delete(apiKeys).where(eq(apiKeys.id, params.id)).returning();
        if (!key) throw unknownKey();
        await record(tx, actor, "website", `Deleted the API key ${key.name}`, {
          before,
          about: { kind: "api key", id: key.id },
        });
        return { message: `API key ${key.name} deleted` };
      },
      async (tx) => {
        const [key] = await tx.select().from(apiKeys).where(eq(apiKeys.id, params.id));
        before = key && wordsOf(key);
        await expireKey(tx, params.id);
      },
    );
  },

  /** Open to everyone, so it knows one file only: whatever else was uploaded cannot be reached from here. */
  async image({ db, params }) {
    const [current] = await db.select().from(settings).where(eq(settings.imageFileId, params.id));
    if (!current) throw refusal(404, "This image is not in use");
    return openPublicFile(db, params.id);
  },
});

const limitWords = {
  staffCredit: "credit at once",
  staffCreditPerDay: "credit a day",
  staffRefund: "refund at once",
  staffRefundPerDay: "refund a day",
};
const limitNames = Object.keys(limitWords) as (keyof typeof limitWords)[];
type StaffLimits = Record<keyof typeof limitWords, number | null>;

function limitsOf(row: typeof settings.$inferSelect | undefined): StaffLimits {
  if (!row) throw new Error("the settings row is missing");
  return {
    staffCredit: row.staffCreditCents,
    staffCreditPerDay: row.staffCreditPerDayCents,
    staffRefund: row.staffRefundCents,
    staffRefundPerDay: row.staffRefundPerDayCents,
  };
}

const limit = (cents: number | null) => (cents === null ? "any amount" : dollars(cents));
const inDollars = (limits: StaffLimits) =>
  Object.fromEntries(limitNames.map((name) => [name, limits[name] === null ? null : limits[name] / 100]));

const unknownKey = () => refusal(404, "This API key does not exist any more");

type Limits = Pick<typeof apiKeys.$inferSelect, "name" | "scopes" | "depositsPerDayCents" | "expiresAt" | "addresses">;

/** A key as the log tells it. */
const wordsOf = ({ name, scopes, depositsPerDayCents, expiresAt, addresses }: Limits) => ({
  name,
  scopes: [...new Set(scopes)].sort(),
  depositsPerDay: depositsPerDayCents === null ? null : depositsPerDayCents / 100,
  expiresAt: expiresAt?.toISOString() ?? null,
  addresses,
});

/** The log names keys and accounts alike: nobody may take a key for somebody else. */
async function refuseNameOfOthers(tx: Transaction, name: string, own?: string) {
  const same = name.toLowerCase();
  if (isReservedName(name) || /^admin(istrator)?$/.test(same))
    throw badInput("body.name", `A key may not be called ${name}`);
  await lockNames(tx);
  const isAccount = await tx.$count(accounts, isCalled(name));
  if (isAccount) throw badInput("body.name", `${name} is the name of an account`);
  const others = and(eq(sql`lower(${apiKeys.name})`, same), own ? ne(apiKeys.id, own) : undefined);
  if (await tx.$count(apiKeys, others)) throw taken(name);
}

const taken = (name: string) => refusal(409, `There is an API key called ${name} already`);
const refuseTakenName = (name: string) => ifViolated("api_keys_name_key", () => taken(name));
