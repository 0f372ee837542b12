import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";

type Issue = { path: string; message: string };
export type Refusal = Error & { statusCode: number; issues?: Issue[]; retryAfter?: number; codeRequired?: true };

/** An answer other than success, written for the operator. */
export function refusal(
  statusCode: number,
  message: string,
  extra: Pick<Refusal, "issues" | "retryAfter" | "codeRequired"> = {},
): Refusal {
  return Object.assign(new Error(message), { statusCode, ...extra });
}

/** 400 for one field, by its path. */
export const badInput = (path: string, message: string) => refusal(400, message, { issues: [{ path, message }] });

/** Every failure leaves the house as `{ message }`: never a stack, never SQL. */
export function answerError(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) {
  const { status, message, retryAfter } = explain(error, request.id);
  // A refusal of our own is no failure: its line in the log is that of every call.
  if (status >= 500 && ("code" in error || !error.statusCode)) request.log.error({ err: error }, "call failed");
  if (retryAfter) reply.header("retry-after", String(retryAfter));
  const issues = "issues" in error && error.issues ? { issues: error.issues } : {};
  const codeRequired = "codeRequired" in error && error.codeRequired ? { codeRequired: true } : {};
  return reply
    .header("cache-control", "no-store")
    .code(status)
    .send({ message, ...issues, ...codeRequired });
}

type Answer = { status: number; message: string; retryAfter?: number | undefined };

function explain(error: FastifyError | Refusal, requestId: string): Answer {
  const framework = "code" in error ? frameworkMessages[error.code] : undefined;
  if (framework) return { status: error.statusCode ?? 400, message: framework };
  if (error.statusCode && error.statusCode < 600 && !("code" in error && error.statusCode >= 500))
    return {
      status: error.statusCode,
      message: error.message,
      retryAfter: "retryAfter" in error ? error.retryAfter : undefined,
    };
  const code = databaseCode(error);
  if (code && unstorableText.has(code)) return { status: 400, message: unstorable };
  if (databaseIsAway(error)) return { status: 503, message: awayMessage, retryAfter: 5 };
  if (code && conflicts.has(code))
    return { status: 409, message: "Somebody changed this at the same moment. Try again." };
  return {
    status: 500,
    message: `Something went wrong on our side. Tell your administrator this number: ${requestId}`,
  };
}

const frameworkMessages: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "The request is too large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Send the request as application/json",
  FST_ERR_CTP_INVALID_JSON_BODY: "The request is not valid JSON",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The request's length does not match its Content-Length",
  FST_ERR_BAD_URL: "The address is not valid",
};

const awayMessage = "The database does not answer at the moment. Try again shortly.";
export const databaseAway = () => refusal(503, awayMessage, { retryAfter: 5 });

export const unstorable = "Text may not contain NUL or half of a character";
const unstorableText = new Set(["22021", "22P05"]);
const conflicts = new Set(["40001", "40P01"]);

/** What a standby says to whoever wants to change something. */
export const readOnly = "25006";
export const isReadOnly = (error: unknown) => databaseCode(error) === readOnly;

/**
 * SQLSTATEs of a database that is not there for anybody: connections, sign-in, resources and shutdowns by class;
 * a standby, transactions that were ended for idling or lasting, and a database that accepts no connections.
 */
const awayStates = /^(08|28|3D|53|57|25006|25P03|25P04|55000)/;
/** The same of the system: names that cannot be looked up, routes and sockets that are gone. */
const awaySystem = /^(E(CONN|TIMEDOUT|PIPE|HOST|NET|NOTFOUND|AI_|ADDRNOTAVAIL))/;
/** And of the drivers, which have no codes; and of a standby that ends what is in the way of its primary's changes. */
const awayWords =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|Query read timeout|establishing an SSL connection|after calling end on the pool|PGlite is closed|conflict with recovery/i;

/** True when the database, rather than the statement, is what failed. */
export function databaseIsAway(error: unknown): boolean {
  const code = databaseCode(error) ?? "";
  return awayStates.test(code) || awaySystem.test(code) || awayWords.test(rootOf(error).message);
}

/** The SQLSTATE (or system error) behind a failed query. */
export function databaseCode(error: unknown): string | undefined {
  const { code } = rootOf(error) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** The same for the log. A driver that waited in vain has no code: what it says instead names no value. */
export function failureCode(error: unknown): string | undefined {
  return databaseCode(error) ?? (databaseIsAway(error) ? rootOf(error).message : undefined);
}

/** True when the query failed because this constraint or unique index forbade it. */
export function violates(error: unknown, constraint: string): boolean {
  return (rootOf(error) as { constraint?: string }).constraint === constraint;
}

/** Drizzle wraps the driver's error in its own. */
function rootOf(error: unknown): Error {
  let root = error instanceof Error ? error : new Error(String(error));
  while (root.cause instanceof Error) root = root.cause;
  return root;
}
