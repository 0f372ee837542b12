import type { Answers } from "../server/calls.ts";
import type { Issue, RefusalCode } from "../server/refusal.ts";

/** Why there is no answer, in words for the customer. */
export class Failure extends Error {
  readonly code: RefusalCode | "offline";
  readonly issues: Issue[];
  readonly price: number | undefined;
  /** An answer got lost, so nobody knows whether it was done. */
  readonly mayBeDone: boolean;

  constructor(message: string, told: { code: Failure["code"]; issues?: Issue[]; price?: number; mayBeDone?: boolean }) {
    super(message);
    this.code = told.code;
    this.issues = told.issues ?? [];
    this.price = told.price;
    this.mayBeDone = told.mayBeDone ?? false;
  }
}

type Sent = { params?: Record<string, string>; query?: Record<string, string | number>; body?: object };
type Signing = "POST /api/sign-in" | "POST /api/sign-in/demo" | "POST /api/sign-up" | "POST /api/sign-out";
type Answer<K> = K extends keyof Answers ? Answers[K] : Record<string, never>;

const offline = "The shop does not answer. Are you connected?";

/** Asks the shop's own server. */
export async function ask<K extends keyof Answers | Signing>(
  call: K,
  { params = {}, query = {}, body = {} }: Sent = {},
): Promise<Answer<K>> {
  const [method = "GET", path = "/"] = call.split(" ");
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const asked = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  let response: Response;
  try {
    response = await fetch(asked.size > 0 ? `${filled}?${asked}` : filled, {
      method,
      ...(method !== "GET" && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new Failure(offline, { code: "offline", mayBeDone: method !== "GET" });
  }
  const told = await response.json().catch(() => undefined);
  if (response.ok && told) return told;
  if (!told?.message) throw new Failure(offline, { code: "offline", mayBeDone: method !== "GET" });
  throw new Failure(told.message, told);
}
