import { type Endpoint, type Input, pathOf, type Reply } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { leavePage } from "./leavePage.ts";
import { readToken, removeToken } from "./token.ts";

export type Issue = { path: string; message: string };

/** A call that failed, with a message written for the operator. Status 0: the server could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly issues: Issue[];
  /** The server asks for a code of two-step sign-in. */
  readonly codeRequired: boolean;

  constructor(status: number, message: string, issues: Issue[] = [], codeRequired = false) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.issues = issues;
    this.codeRequired = codeRequired;
  }
}

export type CallOptions = {
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** The call continues when the page is left. */
  keepalive?: boolean;
};

type Values = Record<string, unknown>;
type Parts = { params?: Record<string, string>; query?: Values; body?: Values };

/** Looks at the host only: the rest of the address may contain "localhost" as a search text. */
export function apiBase(): string {
  if (window.location.hostname.includes("localhost")) return "http://localhost:7400";
  return __API_HOST__.replace(/\/$/, "") || window.location.origin;
}

/** Makes one call of the contract. Throws ApiError. A 401 ends the session, except for the call that starts one. */
export async function callApi<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  options: CallOptions = {},
): Promise<Reply<E>> {
  const response = await request(endpoint, input, options);
  const reply: unknown = await response.json().catch(() => undefined);
  if (typeof reply !== "object" || reply === null) throw unreadable(response.status);
  return reply as Reply<E>;
}

/** The same without reading the body, for answers that are not JSON. */
export async function request<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  { signal, idempotencyKey, keepalive = false }: CallOptions = {},
): Promise<Response> {
  const { params, query, body } = input as Parts;
  const headers = new Headers({ accept: "application/json, */*;q=0.5" });
  const signsIn = endpoint.path === session.login.path;
  const token = signsIn ? undefined : readToken();
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (idempotencyKey) headers.set("idempotency-key", idempotencyKey);
  const payload = body && (endpoint.upload ? encodeForm(body) : JSON.stringify(body));
  if (typeof payload === "string") headers.set("content-type", "application/json");

  const response = await fetch(apiBase() + pathOf(endpoint, params) + encodeQuery(query), {
    method: endpoint.method,
    headers,
    keepalive,
    ...(payload !== undefined && { body: payload }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "Cannot reach the server. Check the connection and try again.");
  });
  if (response.ok) return response;
  if (response.status === 401 && !signsIn) forceSignOut();
  throw toError(response.status, await response.json().catch(() => undefined));
}

/** Loads the root anew, so that nothing of the ended session is left in the page. */
function forceSignOut(): void {
  removeToken();
  leavePage(() => window.location.replace("/"));
}

function encodeQuery(query: Values = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}

function encodeForm(body: Values): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value !== undefined) form.append(name, value instanceof Blob ? value : String(value));
  }
  return form;
}

/** For an answer that does not come from our server but, for instance, from a proxy. */
export const unreadable = (status: number) =>
  new ApiError(status, "The server's answer cannot be read. Try again in a moment.");

function toError(status: number, reply: unknown): ApiError {
  const { message, issues, codeRequired } = (reply ?? {}) as {
    message?: unknown;
    issues?: Issue[];
    codeRequired?: boolean;
  };
  const fallback =
    status >= 500
      ? `The server has a problem (${status}). Try again in a moment.`
      : `The server refused this (${status}).`;
  return new ApiError(status, typeof message === "string" && message ? message : fallback, issues ?? [], codeRequired);
}
