/** A refusal for a customer: words, and a code that tells the page what to do. */
export type RefusalCode =
  | "input"
  | "signed-out"
  | "balance"
  | "disabled"
  | "unverified"
  | "missing"
  | "sold-out"
  | "price"
  | "used"
  | "busy"
  | "unreachable"
  | "no-key"
  | "key-refused"
  | "failed";

export type Issue = { path: string; message: string };
type Extra = {
  issues?: Issue[];
  retryAfter?: number;
  /** The current price. */
  price?: number;
  /** An answer got lost, so nobody knows; the same request again tells. */
  mayBeDone?: boolean;
};
export type Refusal = Error & { status: number; code: RefusalCode } & Extra;

export const refusal = (status: number, code: RefusalCode, message: string, extra: Extra = {}): Refusal =>
  Object.assign(new Error(message), { status, code, ...extra });

export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && "code" in error && "status" in error;

export const missing = () => refusal(404, "missing", "There is no such page among yours");

export const badField = (path: string, message: string) =>
  refusal(400, "input", message, { issues: [{ path, message }] });
