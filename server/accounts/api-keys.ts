import { randomBytes } from "node:crypto";
import { BlockList, isIP } from "node:net";
import type { Endpoint, Scope } from "@footprint/contract/endpoint.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { apiKeys, shops } from "../db/schema.ts";
import { hashToken } from "./sessions.ts";

/** A shop, as known by its API key; `username` holds the shop's name, as with accounts. */
export type Shop = {
  kind: "shop";
  /** The key's id; a shop may have several keys. */
  id: string;
  username: string;
  shopId: string;
  /** Sees only what its own shop created. */
  isBounded: boolean;
  scopes: Scope[];
  addresses: string[];
  depositsPerDayCents: number | null;
  isExpired: boolean;
};

type KeyValues = Omit<typeof apiKeys.$inferInsert, "start" | "keyHash" | "shopId"> & { shopId?: string | undefined };

/** Creates a key, for a new shop unless one is named, and returns the only copy of it. */
export async function createKey(tx: Transaction, { shopId, ...values }: KeyValues): Promise<string> {
  const key = `fp_${randomBytes(32).toString("base64url")}`;
  const shop = shopId ?? (await tx.insert(shops).values({ name: values.name }).returning())[0]?.id;
  if (!shop) throw new Error("an insert returns its row");
  await tx.insert(apiKeys).values({ ...values, shopId: shop, start: key.slice(0, 8), keyHash: hashToken(key) });
  return key;
}

const asShop = sql`'shop' as kind, id, name as username, shop_id as "shopId", bounded as "isBounded", scopes, addresses,
  deposits_per_day_cents::float8 as "depositsPerDayCents", coalesce(expires_at <= now(), false) as "isExpired"`;

/** The shop that a key belongs to, with one look-up by index. */
export async function findShop(db: Database, key: string): Promise<Shop | undefined> {
  // Written back at most once a minute: a busy shop should not queue for its own row.
  const { rows } = await db.execute<Shop & { isStale: boolean }>(sql`
    select ${asShop}, coalesce(last_used_at < now() - interval '1 minute', true) as "isStale"
    from api_keys where key_hash = ${hashToken(key)}`);
  const [found] = rows;
  if (!found) return undefined;
  const { isStale, ...shop } = found;
  if (isStale) await db.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(eq(apiKeys.id, shop.id));
  return shop;
}

/** The shop as it is now. Takes a lock that many calls can share and that deleting the key waits for. */
export const shopNow = ({ id }: Shop): SQL => sql`select ${asShop} from api_keys where id = ${id} for key share`;

/**
 * Ends a key for every change that begins from now on. Must be committed before the key is deleted, as with sessions.
 */
export const expireKey = (tx: Transaction, id: string) =>
  tx.update(apiKeys).set({ expiresAt: sql`least(expires_at, now() - interval '1 minute')` }).where(eq(apiKeys.id, id));

/** Refuses a key that is gone or expired, comes from a wrong address, or has no right to this call. */
export function allowShop(shop: Shop | undefined, { scope }: Endpoint, address: string): Shop {
  if (!shop) throw refusal(401, "Send a valid API key");
  if (shop.isExpired) throw refusal(401, "This API key has expired");
  if (!isListed(address, shop.addresses)) throw refusal(403, `This API key may not be used from ${address}`);
  if (scope) refuseWithoutScope(shop, scope);
  return shop;
}

export function isShopAllowed(shop: Shop, call: Endpoint, address: string): boolean {
  try {
    return Boolean(allowShop(shop, call, address));
  } catch {
    return false;
  }
}

export function refuseWithoutScope(shop: Shop, scope: readonly Scope[]): void {
  if (!scope.some((one) => shop.scopes.includes(one)))
    throw refusal(403, `This API key does not have the scope ${scope.join(" or ")}`);
}

function isListed(address: string, listed: string[]): boolean {
  if (listed.length === 0) return true;
  const list = new BlockList();
  for (const network of listed) {
    const [start = "", bits] = network.split("/");
    // Node counts every IPv4 address as part of ::ffff:0:0/96, and so of ::/64 too.
    if (familyOf(start) !== familyOf(address)) continue;
    if (bits === undefined) list.addAddress(start, familyOf(start));
    else list.addSubnet(start, Number(bits), familyOf(start));
  }
  return list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
