/**
 * - `refused`: a 4xx, and nothing was done. The message says why: bad input (400), balance too small (402), and so on.
 * - `busy`: 429 or 503, try again later.
 * - `failed`: any other 5xx.
 * - `unanswered`: no answer came, or none in time.
 * - `unreadable`: an answer that is not Footprint's, such as the error page of a proxy.
 */
export type FailureKind = "refused" | "busy" | "failed" | "unanswered" | "unreadable";

export type Issue = { path: string; message: string };

type Failure = {
  kind: FailureKind;
  status?: number;
  issues?: Issue[];
  retryAfter?: number | undefined;
  isRetryable: boolean;
  idempotencyKey?: string | undefined;
  cause?: unknown;
};

/** The reason why a call did not succeed, in the server's words if it answered. */
export class FootprintError extends Error {
  override readonly name = "FootprintError";
  readonly kind: FailureKind;
  /** The status of the answer; 0 if there was none. */
  readonly status: number;
  /** For a 400: the wrong fields, and why. */
  readonly issues: readonly Issue[];
  /** After how many seconds the server wants to be asked again, if it said so. */
  readonly retryAfter: number | undefined;
  /** Whether the same call may succeed later, unchanged. */
  readonly isRetryable: boolean;
  /** The key of the call: repeat the call with it to find out whether it was done. */
  readonly idempotencyKey: string | undefined;
  /** Whether a change may have been made although an answer got lost. False means that nothing was changed. */
  mayBeDone = false;

  constructor(message: string, { kind, status = 0, issues = [], retryAfter, ...more }: Failure) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
    this.status = status;
    this.issues = issues;
    this.retryAfter = retryAfter;
    this.isRetryable = more.isRetryable;
    this.idempotencyKey = more.idempotencyKey;
  }
}
