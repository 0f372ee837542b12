import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Storage } from "./storage.ts";

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };

async function hashed(password: string, salt = randomBytes(16)): Promise<string> {
  const key = await derive(password.normalize("NFKC"), salt, 32, cost);
  return `${salt.toString("base64url")}.${key.toString("base64url")}`;
}

async function isRight(password: string, kept: string): Promise<boolean> {
  const [salt = ""] = kept.split(".");
  const given = await hashed(password, Buffer.from(salt, "base64url"));
  return given.length === kept.length && timingSafeEqual(Buffer.from(given), Buffer.from(kept));
}

/** Checked for unknown customers, so that both take equally long. */
const nobodys = hashed(randomBytes(16).toString("hex"));

type Account = { discord_id: string; email: string; username: string; password: string };

/** The customers who signed up in this shop. */
export function accountsIn(db: Storage) {
  const find = db.prepare("SELECT * FROM accounts WHERE email = ?");
  const findById = db.prepare("SELECT * FROM accounts WHERE discord_id = ?");
  const add = db.prepare("INSERT INTO accounts (discord_id, email, username, password) VALUES (?, ?, ?, ?)");
  const remove = db.prepare("DELETE FROM accounts WHERE discord_id = ?");
  return {
    isTaken: (email: string) => find.get(email) !== undefined,
    of: (discordId: string) => findById.get(discordId) as Account | undefined,
    async add({ email, username, password }: { email: string; username: string; password: string }) {
      const discordId = `larkpost-${randomBytes(9).toString("hex")}`;
      add.run(discordId, email, username, await hashed(password));
      return discordId;
    },
    remove: (discordId: string) => void remove.run(discordId),
    async check(email: string, password: string): Promise<Account | undefined> {
      const account = find.get(email) as Account | undefined;
      const isTheirs = await isRight(password, account?.password ?? (await nobodys));
      return isTheirs ? account : undefined;
    },
  };
}

const day = 24 * 60 * 60 * 1000;
/** After a week without use customers sign in again. */
export const sessionSeconds = (7 * day) / 1000;

const kept = (token: string) => createHash("sha256").update(token).digest("base64url");

/** The sessions. Only hashes of tokens are stored, so a stolen file is useless. */
export function sessionsIn(db: Storage) {
  const add = db.prepare("INSERT INTO sessions (token, discord_id, used_at) VALUES (?, ?, ?)");
  const find = db.prepare("SELECT discord_id, used_at FROM sessions WHERE token = ?");
  const use = db.prepare("UPDATE sessions SET used_at = ? WHERE token = ?");
  const remove = db.prepare("DELETE FROM sessions WHERE token = ?");
  const removeOld = db.prepare("DELETE FROM sessions WHERE used_at < ?");
  return {
    begin(discordId: string): string {
      removeOld.run(Date.now() - 7 * day);
      const token = randomBytes(32).toString("base64url");
      add.run(kept(token), discordId, Date.now());
      return token;
    },
    whose(token: string | undefined): string | undefined {
      if (!token) return undefined;
      const found = find.get(kept(token)) as { discord_id: string; used_at: number } | undefined;
      if (!found || found.used_at < Date.now() - 7 * day) return undefined;
      if (found.used_at < Date.now() - day / 24) use.run(Date.now(), kept(token));
      return found.discord_id;
    },
    end: (token: string | undefined) => void (token && remove.run(kept(token))),
  };
}

/** Limits tries to so many per span of time for each name. */
export function limiter(most: number, milliseconds: number) {
  const tries = new Map<string, number[]>();
  return {
    /** Counts a try. Returns after how many seconds the next is allowed; 0 if this one is. */
    count(name: string): number {
      const now = Date.now();
      if (tries.size > 10_000) tries.clear();
      const recent = (tries.get(name) ?? []).filter((at) => at > now - milliseconds);
      tries.set(name, recent);
      if (recent.length >= most) return Math.ceil(((recent[0] as number) + milliseconds - now) / 1000);
      recent.push(now);
      return 0;
    },
    forget: (name: string) => void tries.delete(name),
  };
}
