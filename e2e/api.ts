import { randomUUID } from "node:crypto";
import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";

export type Account = { username: string; password: string };

type Sent = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

/** The API as a program calls it: for making a test's data, and for looking at what the panel has done. */
export function apiOf(url: string) {
  async function send(call: Endpoint, input: Sent, token: string | undefined) {
    const address = new URL(pathOf(call, input.params), url);
    for (const [name, value] of Object.entries(input.query ?? {})) address.searchParams.set(name, String(value));
    return fetch(address, {
      method: call.method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(input.body ? { "content-type": "application/json" } : {}),
        ...(call.idempotent === "required" ? { "idempotency-key": randomUUID() } : {}),
      },
      ...(input.body ? { body: JSON.stringify(input.body) } : {}),
    });
  }

  /** Makes a call that has to succeed. */
  async function call<E extends Endpoint>(token: string | undefined, endpoint: E, input: Input<E>): Promise<Reply<E>> {
    const response = await send(endpoint, input as Sent, token);
    const text = await response.text();
    if (!response.ok) throw new Error(`${endpoint.method} ${endpoint.path}: ${response.status} ${text}`);
    return JSON.parse(text) as Reply<E>;
  }

  /** Makes a call for its status alone. */
  async function status<E extends Endpoint>(token: string | undefined, endpoint: E, input: Input<E>): Promise<number> {
    const response = await send(endpoint, input as Sent, token);
    await response.body?.cancel();
    return response.status;
  }

  const signIn = async (account: Account) => (await call(undefined, session.login, { body: account })).accessToken;

  async function addStaff(adminToken: string, name = uniqueName("staff")): Promise<Account> {
    const account = { username: name, password: `password of ${name}` };
    await call(adminToken, staff.create, { body: account });
    return account;
  }

  return { call, status, signIn, addStaff };
}

export type Api = ReturnType<typeof apiOf>;

let made = 0;
/** Tests share a server and find their own data by its name. */
export function uniqueName(prefix: string): string {
  made += 1;
  return `${prefix}-${process.pid.toString(36)}${made}${Date.now().toString(36).slice(-4)}`;
}
