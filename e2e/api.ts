import { randomUUID } from "node:crypto";
import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";

export type Account = { username: string; password: string };

type Sent = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

/** The API as a program calls it, for making test data and checking what the panel has done. */
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

  /** Passwords of signed-in accounts, by token. */
  const passwords = new Map<string, string>();

  /** Makes a call that has to succeed. */
  async function call<E extends Endpoint>(token: string | undefined, endpoint: E, input: Input<E>): Promise<Reply<E>> {
    const response = await send(endpoint, input as Sent, token);
    const text = await response.text();
    const password = passwords.get(token ?? "");
    // A run of all tests may last longer than a confirmation.
    if (password && response.status === 403 && text.includes("confirmationRequired")) {
      await call(token, session.confirm, { body: { password } });
      return call(token, endpoint, input);
    }
    if (!response.ok) throw new Error(`${endpoint.method} ${endpoint.path}: ${response.status} ${text}`);
    return JSON.parse(text) as Reply<E>;
  }

  /** Makes a call and returns only its status. */
  async function status<E extends Endpoint>(token: string | undefined, endpoint: E, input: Input<E>): Promise<number> {
    const response = await send(endpoint, input as Sent, token);
    await response.body?.cancel();
    return response.status;
  }

  /** The device of an account's first sign-in, since the panel announces new devices. */
  const devices = new Map<string, { deviceToken: string }>();
  async function signIn(account: Account): Promise<string> {
    const body = { ...account, ...devices.get(account.username) };
    const { accessToken, deviceToken } = await call(undefined, session.login, { body });
    devices.set(account.username, { deviceToken });
    passwords.set(accessToken, account.password);
    return accessToken;
  }

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
