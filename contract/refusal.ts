import type { Conflict } from "./versions.ts";

type Issue = { path: string; message: string };
type Extra = {
  issues?: Issue[];
  retryAfter?: number;
  /** What somebody else changed meanwhile. */
  conflict?: Conflict;
  /** The words that let the call through, sent as `confirmation`. */
  confirmWith?: string;
  /** What was answered to another request with the same key: it was carried out. */
  alreadyDone?: string;
  /** What has to be done before the call is allowed. */
  codeRequired?: true;
  passkeyAccepted?: true;
  confirmationRequired?: true;
  passwordChangeRequired?: true;
  twoStepRequired?: true;
};
export type Refusal = Error & { statusCode: number } & Extra;

/** An answer other than success, written for the operator. */
export function refusal(statusCode: number, message: string, extra: Extra = {}): Refusal {
  return Object.assign(new Error(message), { statusCode, ...extra });
}

export const isRefusal = (value: unknown): value is Refusal => value instanceof Error && "statusCode" in value;

/** 400 for one field, by its path. */
export const badInput = (path: string, message: string) => refusal(400, message, { issues: [{ path, message }] });
