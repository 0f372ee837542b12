import { isDeepStrictEqual } from "node:util";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { passkeys } from "@footprint/contract/passkeys.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { session } from "@footprint/contract/session.ts";
import { type SQL, sql } from "drizzle-orm";
import type { FastifyReply, FastifyRequest } from "fastify";
import { networkOf } from "../accounts/addresses.ts";
import { allowShop, findShop, isShopAllowed, type Shop, shopNow } from "../accounts/api-keys.ts";
import { type Actor, accountNow, authenticate } from "../accounts/sessions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { standbysOf } from "../db/engine.ts";
import { canSendTogether, sendTogether } from "../db/one-connection.ts";
import { begin, noteCaller, recentCaller, recognise } from "./overload.ts";
import { isPlainRead } from "./standbys.ts";

export type Caller = Actor | Shop;

/** Finds the caller by the request's head, before anything else of it is read. */
export async function admit(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Endpoint,
): Promise<Caller> {
  const token = tokenOf(request);
  const find = <C extends Caller>(look: (token: string) => Promise<C | undefined>) =>
    token ? recognise(token, call.access, request, reply, () => look(token)) : undefined;
  if (call.access === "storefront") return allowShop(await find((key) => findShop(db, key)), call, request.address);
  return allowAccount(await find((key) => authenticate(db, key, origin(request))), call);
}

/**
 * The caller as last known to this server, for a call whose rows may be read while the database is asked again. Nothing
 * is presumed about anybody who was not let in here before, and nobody is presumed to have more rights than then.
 */
export function presume(
  db: Database,
  request: FastifyRequest,
  { raw }: FastifyReply,
  call: Endpoint,
): Actor | undefined {
  const token = tokenOf(request);
  if (!token || !canSendTogether(db) || standbysOf.has(db) || !isPlainRead(call, request)) return undefined;
  const before = recentCaller(token) as Caller | undefined;
  if (before?.kind !== "account") return undefined;
  const presumed = { ...before, network: networkOf(request.address) };
  if (!isAllowed(presumed, call)) return undefined;
  begin(presumed, raw);
  return presumed;
}

/** How long the key of a busy shop is trusted before it is looked up again. */
const shopPresumedMs = 1_000;

/**
 * The same for a shop's call that is gathered with others, since their transaction begins by checking the key. If a
 * call is refused meanwhile, the key is looked up before the shop is told why.
 */
export function presumeShop(request: FastifyRequest, { raw }: FastifyReply, call: Endpoint): Shop | undefined {
  const token = call.together && tokenOf(request);
  const before = token ? (recentCaller(token, shopPresumedMs) as Caller | undefined) : undefined;
  if (before?.kind !== "shop" || !isShopAllowed(before, call, request.address)) return undefined;
  begin(before, raw);
  return { ...before };
}

/**
 * Reads for a presumed caller, and checks in the same statement who they are. The rows are thrown away if the caller is
 * no longer let in, and read again if they have other rights than was thought.
 */
export async function confirmAndRead<T>(
  db: Database,
  request: FastifyRequest,
  call: Endpoint,
  presumed: Actor,
  read: () => Promise<T>,
): Promise<T> {
  const was = { ...presumed };
  const confirm = async () => {
    const token = tokenOf(request) ?? "";
    const found = await authenticate(db, token, origin(request));
    noteCaller(token, call.access, request, found);
    return allowAccount(found, call);
  };
  const { first: now, second: result } = await sendTogether(db, confirm, read);
  Object.assign(presumed, now);
  return isDeepStrictEqual(now, was) ? result() : read();
}

/** Where a call comes from, and whether the panel made it by itself. */
const origin = ({ address, headers }: FastifyRequest) => ({
  address,
  isUnattended: headers["x-unattended"] !== undefined,
});

// Text that is not in the form of our tokens is not worth a query.
const tokenOf = ({ headers }: FastifyRequest) => /^Bearer ((?:fp_)?[\w-]{43})$/i.exec(headers.authorization ?? "")?.[1];

/** Checks the caller again now that the body has arrived, which may have taken minutes. */
export async function admitAgain(db: Database, request: FastifyRequest, call: Endpoint, caller: Caller): Promise<void> {
  const token = tokenOf(request) ?? "";
  const now = caller.kind === "shop" ? await findShop(db, token) : await authenticate(db, token, origin(request));
  readmit(caller, now, call, request.address);
}

/** A session that must do something first may do that, ask who it is, and sign out. */
const first = {
  password: {
    calls: new Set<Endpoint>([session.access, session.logout, session.changePassword, passkeys.list]),
    refused: () => refusal(403, "Change your password first", { passwordChangeRequired: true }),
  },
  "two-step": {
    calls: new Set<Endpoint>([
      ...[session.access, session.logout, session.confirm],
      ...[session.twoStep, session.beginTwoStep, session.confirmTwoStep],
      ...[passkeys.list, passkeys.begin, passkeys.add],
    ]),
    refused: () => refusal(403, "Set up two-step sign-in first", { twoStepRequired: true }),
  },
};

function allowAccount<A extends Pick<Actor, "role" | "mustFirst" | "isConfirmed">>(
  account: A | undefined,
  call: Endpoint,
): A {
  if (!account) throw refusal(401, "Sign in to continue");
  if (account.mustFirst && !first[account.mustFirst].calls.has(call)) throw first[account.mustFirst].refused();
  if (call.access === "admin" && account.role !== "admin") throw refusal(403, "Only administrators may do this");
  if (call.sensitive && !account.isConfirmed)
    throw refusal(403, "Confirm that it is you, and try again", { confirmationRequired: true });
  return account;
}

function isAllowed(account: Actor, call: Endpoint): boolean {
  try {
    return Boolean(allowAccount(account, call));
  } catch {
    return false;
  }
}

/** The caller as they are now, locked until the transaction ends: deleting them waits for it. */
export const callerNow = (caller: Caller): SQL => (caller.kind === "shop" ? shopNow(caller) : accountNow(caller));

/**
 * Refuses a caller who was deleted, signed out or restricted since they were admitted; else updates what is known of
 * them.
 */
export function readmit(caller: Caller, row: object | undefined, call: Endpoint, address: string): void {
  if (caller.kind === "shop") Object.assign(caller, allowShop(row as Shop | undefined, call, address));
  else Object.assign(caller, allowAccount(row as Actor | undefined, call));
}

const ownCalls = new Set<Endpoint>([...Object.values(session), ...Object.values(passkeys)]);

/**
 * A call that changes its own account ends that account's other sessions. Such calls take turns, or they would wait for
 * each other's sessions.
 */
export async function takeTurnsAtOwnAccount(tx: Transaction, { id }: Caller, call: Endpoint): Promise<void> {
  if (ownCalls.has(call)) await tx.execute(sql`select from accounts where id = ${id} for no key update`);
}
