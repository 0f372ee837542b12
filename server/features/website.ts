import { isDeepStrictEqual } from "node:util";
import { settingsId } from "@footprint/contract/logs.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { isReservedName } from "@footprint/contract/staff.ts";
import { website } from "@footprint/contract/website.ts";
import { and, desc, eq, ne, sql } from "drizzle-orm";
import { hasUsername, lockNames } from "../accounts/accounts.ts";
import { createKey, expireKey } from "../accounts/api-keys.ts";
import { record } from "../accounts/audit.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { uuidv7 } from "../db/ids.ts";
import { accounts, apiKeys, files, paymentHandles, settings, shops } from "../db/schema.ts";
import {
  attach,
  bytesOf,
  fileName,
  openFile,
  openPublicFile,
  remove,
  storedFile,
  storeMade,
  type Upload,
} from "../http/files.ts";
import { routes } from "../http/routes.ts";
import { presentAuthor } from "../lists/presenters.ts";
import { dollars } from "../money/ledger.ts";
import { readImage } from "../money/payment-image.ts";
import { changeHandle, handleVersion, lockHandle, newestHandle, readCashapp } from "../money/payment-settings.ts";

export const websiteRoutes = routes(website, {
  async getCashapp({ db }) {
    const [current] = await db.select().from(settings);
    if (!current) throw new Error("the settings row is missing");
    const { qr = [], warnings = [] } = (await newestHandle(db, current)) ?? {};
    return { cashapp: { ...(await readCashapp(db)), qr, warnings, version: handleVersion(current) } };
  },

  async updateCashapp({ db, body, file, actor, seen, transaction }) {
    const [current] = await db.select().from(settings);
    const image = await lookAt(db, file ?? (await storedFile(db, current?.imageFileId ?? null)));
    return transaction(async (tx) => {
      const before = await lockHandle(tx, seen);
      const cashappId = body.cashappId ?? before.cashappId;
      const isOtherHandle = cashappId !== before.cashappId;
      const message = "Payment settings updated";
      if (!isOtherHandle && !file) return { message, version: handleVersion(before), warnings: [] };
      if (!file) refuseOtherImage(before.imageFileId, image);
      const imageFileId = await keepShown(tx, image, file);
      const wasOlder = (await newestHandle(tx, before))?.imageIsOlder ?? false;
      const names = { before: await fileName(tx, before.imageFileId), after: await fileName(tx, imageFileId) };
      const words = [
        ...(isOtherHandle ? [`handle ${before.cashappId || "(none)"} to ${cashappId}`] : []),
        ...(file ? [`image ${names.after}`] : []),
      ];
      const warnings = await changeHandle(tx, actor, before, {
        ...{ cashappId, imageFileId, image, confirmation: body.confirmation, words: words.join(", ") },
        imageIsOlder: !file && (isOtherHandle || wasOlder),
        names,
      });
      return { message, version: handleVersion({ cashappId, imageFileId }), warnings };
    });
  },

  async removeCashapp({ body: { remove }, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const before = await lockHandle(tx, seen);
      const cashappId = remove === "handle" ? "" : before.cashappId;
      const after = { cashappId, imageFileId: null };
      const version = handleVersion(after);
      const name = await fileName(tx, before.imageFileId);
      const words = [
        ...(cashappId === before.cashappId ? [] : [`handle ${before.cashappId} removed`]),
        ...(name === null ? [] : [`image ${name} removed`]),
      ];
      if (words.length === 0) return { message: "There is nothing to remove", version };
      await changeHandle(tx, actor, before, {
        ...{ ...after, image: undefined, imageIsOlder: false, words: words.join(", ") },
        names: { before: name, after: null },
      });
      return { message: remove === "handle" ? "Payment handle removed" : "QR image removed", version };
    });
  },

  async cashappHistory({ db }) {
    const [current] = await db.select().from(settings);
    const newest = current && (await newestHandle(db, current));
    const rows = await db
      .select({ handle: paymentHandles, image: files.name })
      .from(paymentHandles)
      .leftJoin(files, eq(files.id, paymentHandles.imageFileId))
      .orderBy(desc(paymentHandles.number))
      .limit(100);
    return {
      history: rows.map(({ handle: { actor, actorKind, actorId, ...handle }, image }) => ({
        ...handle,
        _id: handle.id,
        cashappId: handle.handle,
        image,
        by: actor === null ? null : presentAuthor({ actor, actorKind, actorId }),
        isCurrent: handle.id === newest?.id,
      })),
    };
  },

  async restoreCashapp({ db, params, body: { confirmation }, actor, seen, transaction }) {
    const earlier = await readHandle(db, params.id);
    const { handle: cashappId, imageIsOlder } = earlier;
    const image = await lookAt(db, await storedFile(db, earlier.imageFileId));
    return transaction(async (tx) => {
      const before = await lockHandle(tx, seen);
      if (cashappId === before.cashappId && earlier.imageFileId === before.imageFileId)
        return { message: "This is shown already", version: handleVersion(before), warnings: [] };
      refuseOtherImage(earlier.imageFileId, image);
      const imageFileId = await keepShown(tx, image);
      const names = { before: await fileName(tx, before.imageFileId), after: await fileName(tx, imageFileId) };
      const words = [
        ...(cashappId === before.cashappId
          ? []
          : [`handle ${before.cashappId || "(none)"} back to ${cashappId || "(none)"}`]),
        ...(imageFileId === before.imageFileId ? [] : [`image back to ${names.after ?? "none"}`]),
      ];
      const warnings = await changeHandle(tx, actor, before, {
        ...{ cashappId, imageFileId, image, imageIsOlder, confirmation, words: words.join(", "), names },
      });
      const version = handleVersion({ cashappId, imageFileId });
      return { message: `Customers pay to ${cashappId || "nobody"} again`, version, warnings };
    });
  },

  async cashappImage({ db, params }) {
    const { imageFileId } = await readHandle(db, params.id);
    if (!imageFileId) throw refusal(404, "There was no image");
    return openFile(db, imageFileId);
  },

  async limits({ db }) {
    const [current] = await db.select().from(settings);
    const limits = limitsOf(current);
    return { limits, version: versionOf(inDollars(limits)) };
  },

  async updateLimits({ body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const [current] = await tx.select().from(settings).for("update");
      const before = limitsOf(current);
      await refuseIfChanged(tx, seen, settingsId, inDollars(before));
      const after = { ...before };
      for (const name of limitNames) after[name] = body[name] === undefined ? before[name] : body[name];
      after.approvals = body.approvals ?? before.approvals;
      const version = versionOf(inDollars(after));
      if (isDeepStrictEqual(before, after)) return { message: "The limits are unchanged", version };
      await tx.update(settings).set({
        staffCreditCents: after.staffCredit,
        staffCreditPerDayCents: after.staffCreditPerDay,
        staffRefundCents: after.staffRefund,
        staffRefundPerDayCents: after.staffRefundPerDay,
        staffApprovals: after.approvals,
      });
      const changed = limitNames.filter((name) => before[name] !== after[name]);
      const words = changed.map((name) => `${limitWords[name]} ${limit(before[name])} to ${limit(after[name])}`);
      if (before.approvals !== after.approvals)
        words.push(`what is above them ${after.approvals ? "is to be approved" : "is refused"}`);
      await record(tx, actor, "website", `Changed the limits of staff accounts: ${words.join(", ")}`, {
        before: inDollars(before),
        after: inDollars(after),
        about: { kind: "settings", id: settingsId },
        events: [{ type: "settings.changed", data: { setting: "limits" } }],
      });
      return { message: "Limits saved", version };
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

  /** Open to everybody, so it serves this one file only: no other upload can be reached here. */
  async image({ db, params }) {
    const [current] = await db.select().from(settings).where(eq(settings.imageFileId, params.id));
    if (!current) throw refusal(404, "This image is not in use");
    return openPublicFile(db, params.id);
  },
});

type Looked = Awaited<ReturnType<typeof lookAt>>;

/** An image's id and contents. Read before anything is locked, since it takes a moment. */
async function lookAt(db: Database, file: { id: string; name: string; size: number } | undefined) {
  if (!file) return undefined;
  const bytes = await bytesOf(db, file);
  const read = await readImage(bytes);
  return { id: file.id, name: file.name, ...read, isAsDrawn: read.drawn?.equals(bytes) ?? false };
}

/** Customers get what was read: the drawing instead of the file, which could show them something else. */
async function keepShown(tx: Transaction, image: Looked, sent?: Upload): Promise<string | null> {
  if (!image) return null;
  const { id, name, drawn, isAsDrawn } = image;
  if (!drawn || isAsDrawn) return sent ? attach(tx, sent) : id;
  if (sent) await remove(tx, sent.id);
  return storeMade(tx, { name, type: "image/png", data: drawn });
}

function refuseOtherImage(id: string | null, looked: { id: string } | undefined) {
  if (id !== (looked?.id ?? null)) throw refusal(409, "Somebody changed the image at the same moment. Try again.");
}

async function readHandle(db: Database, id: string) {
  const [found] = await db.select().from(paymentHandles).where(eq(paymentHandles.id, id));
  if (!found) throw refusal(404, "This is not in the history");
  return found;
}

const limitWords = {
  staffCredit: "credit at once",
  staffCreditPerDay: "credit a day",
  staffRefund: "refund at once",
  staffRefundPerDay: "refund a day",
};
const limitNames = Object.keys(limitWords) as (keyof typeof limitWords)[];
type StaffLimits = Record<keyof typeof limitWords, number | null> & { approvals: boolean };

function limitsOf(row: typeof settings.$inferSelect | undefined): StaffLimits {
  if (!row) throw new Error("the settings row is missing");
  return {
    staffCredit: row.staffCreditCents,
    staffCreditPerDay: row.staffCreditPerDayCents,
    staffRefund: row.staffRefundCents,
    staffRefundPerDay: row.staffRefundPerDayCents,
    approvals: row.staffApprovals,
  };
}

const limit = (cents: number | null) => (cents === null ? "any amount" : dollars(cents));
const inDollars = (limits: StaffLimits) => ({
  ...Object.fromEntries(limitNames.map((name) => [name, limits[name] === null ? null : limits[name] / 100])),
  approvals: limits.approvals,
});

const unknownKey = () => refusal(404, "This API key does not exist any more");

type Limits = Pick<typeof apiKeys.$inferSelect, "name" | "scopes" | "depositsPerDayCents" | "expiresAt" | "addresses">;

/** A key in the log's words. */
const wordsOf = ({ name, scopes, depositsPerDayCents, expiresAt, addresses }: Limits) => ({
  name,
  scopes: [...new Set(scopes)].sort(),
  depositsPerDay: depositsPerDayCents === null ? null : depositsPerDayCents / 100,
  expiresAt: expiresAt?.toISOString() ?? null,
  addresses,
});

/** The log names keys and accounts alike, so a key must not have somebody else's name. */
async function refuseNameOfOthers(tx: Transaction, name: string, own?: string) {
  const same = name.toLowerCase();
  if (isReservedName(name) || /^admin(istrator)?$/.test(same))
    throw badInput("body.name", `A key may not be called ${name}`);
  await lockNames(tx);
  const isAccount = await tx.$count(accounts, hasUsername(name));
  if (isAccount) throw badInput("body.name", `${name} is the name of an account`);
  const others = and(eq(sql`lower(${apiKeys.name})`, same), own ? ne(apiKeys.id, own) : undefined);
  if (await tx.$count(apiKeys, others)) throw taken(name);
}

const taken = (name: string) => refusal(409, `There is an API key called ${name} already`);
const refuseTakenName = (name: string) => ifViolated("api_keys_name_key", () => taken(name));
