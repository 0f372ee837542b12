import { type Endpoint, type Input, pathOf, type Reply } from "@footprint/contract/endpoint.ts";
import { passkeys } from "@footprint/contract/passkeys.ts";
import { session } from "@footprint/contract/session.ts";
import type { Conflict } from "@footprint/contract/versions.ts";
import { isUnattended } from "./attended.ts";
import { compareClocks } from "./clock.ts";
import { confirmItsYou } from "./confirmation.ts";
import { leavePage } from "./leavePage.ts";
import { recheckSession } from "./recheck.ts";
import { noteSessionEnd, readToken, removeToken } from "./token.ts";

export type Issue = { path: string; message: string };

/** A call that failed, with a message written for the operator. Status 0: the server could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly issues: Issue[];
  /** The server asks for a two-step code. */
  readonly codeRequired: boolean;
  /** A passkey will do instead. */
  readonly passkeyAccepted: boolean;
  /** Somebody else has changed what the call was about. */
  readonly conflict: Conflict | undefined;
  /** The words that confirm the call. */
  readonly confirmWith: string | undefined;
  /** An earlier try, with something else filled in, went through. This is what it was answered. */
  readonly alreadyDone: string | undefined;

  constructor(
    status: number,
    message: string,
    issues: Issue[] = [],
    { codeRequired = false, passkeyAccepted = false, conflict, confirmWith, alreadyDone }: Partial<ApiError> = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.issues = issues;
    this.codeRequired = codeRequired;
    this.passkeyAccepted = passkeyAccepted;
    this.conflict = conflict;
    this.confirmWith = confirmWith;
    this.alreadyDone = alreadyDone;
  }
}

/**
 * For the `.catch` of a preview before a call: if the preview is refused, the call itself will say why. Any other
 * failure is rethrown, so that nothing is sent unseen.
 */
export function ifRefused(error: unknown): undefined {
  if (error instanceof ApiError && [400, 404, 409].includes(error.status)) return undefined;
  throw error;
}

export type CallOptions = {
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** The version of what the call changes, as it was read: if it has changed, the call is refused. */
  version?: string | undefined;
  /** The call continues when the page is left. */
  keepalive?: boolean;
  /** The panel makes the call by itself: it neither keeps the session alive nor, if that has ended, leaves the page. */
  byItself?: boolean;
};

type Values = Record<string, unknown>;
type Parts = { params?: Record<string, string>; query?: Values; body?: Values };

/** Looks at the host only, since the rest of the address may contain "localhost" as a search text. */
export function apiBase(): string {
  if (window.location.hostname.includes("localhost")) return "http://localhost:7400";
  return __API_HOST__.replace(/\/$/, "") || window.location.origin;
}

/** Makes one call of the contract. Throws ApiError. A 401 ends the session, except for the calls that start one. */
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

/**
 * The same without reading the body, for answers that are not JSON. If the server wants a confirmation, the operator is
 * asked in place, and the call is repeated.
 */
export async function request<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  options: CallOptions = {},
): Promise<Response> {
  const { signal, idempotencyKey, version, keepalive = false, byItself = false } = options;
  const { params, query, body } = input as Parts;
  const headers = new Headers({ accept: "application/json, */*;q=0.5" });
  const signsIn = endpoint.path === session.login.path || endpoint.path === passkeys.signIn.path;
  const token = signsIn ? undefined : readToken();
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (byItself || isUnattended()) headers.set("x-unattended", "1");
  if (idempotencyKey) headers.set("idempotency-key", idempotencyKey);
  if (version) headers.set("if-match", `"${version}"`);
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
  compareClocks(response);
  if (response.ok) return response;
  if (response.status === 401 && !signsIn && !byItself) forceSignOut();
  const refusal = await response.json().catch(() => undefined);
  // The session has to do something else first, which the gate shows.
  if (refusal?.passwordChangeRequired || refusal?.twoStepRequired) recheckSession();
  if (refusal?.confirmationRequired && (await confirmItsYou())) return request(endpoint, input, options);
  throw toError(response.status, refusal);
}

/** Loads the root, so that nothing of the ended session is left in the page. */
function forceSignOut(): void {
  // Whoever has just signed out knows.
  if (readToken()) noteSessionEnd();
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

/** For an answer that is not from our server but, for instance, from a proxy. */
export const unreadable = (status: number) =>
  new ApiError(status, "The server's answer cannot be read. Try again in a moment.");

function toError(status: number, reply: unknown): ApiError {
  const { message, issues, ...more } = (reply ?? {}) as Omit<Partial<ApiError>, "message"> & { message?: unknown };
  const fallback =
    status >= 500
      ? `The server has a problem (${status}). Try again in a moment.`
      : `The server refused this (${status}).`;
  const words = more.alreadyDone
    ? `The first try went through, though its answer was lost: ${more.alreadyDone}. Nothing was done this time.`
    : typeof message === "string" && message
      ? message
      : fallback;
  return new ApiError(status, words, issues ?? [], more);
}
