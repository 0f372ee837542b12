import { type Endpoint, type Input, pathOf, type Reply } from "@footprint/contract/endpoint.ts";

/** An answer: the reply, or the reason for a refusal. */
export type Answer<E extends Endpoint = Endpoint> = { status: number; body: Reply<E> & { message: string } };

/** No answer, or one that asks to come again: nobody knows whether the call was made. */
export type Lost = { retryAfter?: number | undefined; why: string };

/** Makes a call until it is answered; undefined if the caller gave up first. */
export type Call = <E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  idempotencyKey?: string,
) => Promise<Answer<E> | undefined>;

/** The input of any call. */
export type Sent = { params?: Record<string, string>; query?: Record<string, unknown>; body?: Record<string, unknown> };

type Line = { origin: string; token?: string | undefined; signal?: AbortSignal };

const comeAgain = new Set([429, 502, 503, 504]);

/** Sends a call once. */
export async function send<E extends Endpoint>(
  { origin, token, signal = AbortSignal.timeout(30_000) }: Line,
  endpoint: E,
  input: Input<E>,
  idempotencyKey?: string,
): Promise<Answer<E> | Lost> {
  const { params, query, body } = input as Sent;
  const address = new URL(pathOf(endpoint, params), origin);
  for (const [name, value] of Object.entries(query ?? {})) address.searchParams.set(name, String(value));
  const request = {
    method: endpoint.method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
      ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  };
  try {
    const response = await fetch(address, request);
    const text = await response.text();
    if (comeAgain.has(response.status))
      return {
        retryAfter: Number(response.headers.get("retry-after")) || undefined,
        why: `${response.status} ${text.slice(0, 200)}`,
      };
    return { status: response.status, body: parsed(text) };
  } catch (error) {
    // Refused, reset, timed out, or broken off in the middle of the answer.
    return { why: String((error as Error).cause ?? error) };
  }
}

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 200) };
  }
}

/** The reply of a call that has to succeed. */
export function replyOf<E extends Endpoint>(endpoint: E, answer: Answer<E> | Lost | undefined): Reply<E> {
  if (answer && isAnswer(answer) && isOk(answer)) return answer.body;
  throw new Error(`${endpoint.path} failed: ${JSON.stringify(answer)}`);
}

/** Sends, once, a call that has to succeed. */
export const must = async <E extends Endpoint>(line: Line, endpoint: E, input: Input<E>) =>
  replyOf(endpoint, await send(line, endpoint, input));

export const isAnswer = <E extends Endpoint>(result: Answer<E> | Lost): result is Answer<E> => "status" in result;

export const isOk = <E extends Endpoint>(answer: Answer<E> | undefined): answer is Answer<E> =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;
