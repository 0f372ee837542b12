import type { Refusal } from "@footprint/contract/refusal.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { databaseCode, databaseFailed } from "../db/failures.ts";
import { atMostPerSecond } from "./log-limit.ts";

/** A caller may find a way to cause failures again and again, and should not fill the disk with them. */
const logFailure = atMostPerSecond(20, "more calls failed");

/** Every failure is answered as `{ message }`: never a stack, never SQL. */
export function answerError(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply): void {
  const { status, message, retryAfter } = explain(error, request.id);
  const isRefusal = !("code" in error) && Boolean(error.statusCode);
  // Our own refusals are not failures: the call's own line in the log is enough.
  if (status >= 500 && !isRefusal) logFailure(request.log, () => request.log.error({ err: error }, "call failed"));
  if (retryAfter) reply.header("retry-after", String(retryAfter));
  const issues = "issues" in error && isRefusal && error.issues ? { issues: error.issues } : {};
  const conflict = "conflict" in error && error.conflict ? { conflict: error.conflict } : {};
  const confirmWith = "confirmWith" in error && error.confirmWith ? { confirmWith: error.confirmWith } : {};
  const alreadyDone = "alreadyDone" in error && error.alreadyDone ? { alreadyDone: error.alreadyDone } : {};
  const required = flags.filter((name) => (error as Partial<Refusal>)[name]).map((name) => [name, true]);
  // The call may have been about to send a file.
  for (const name of ofTheFile) reply.removeHeader(name);
  // Not returned, or the framework would wait for the reply again, with more listeners.
  reply
    .header("cache-control", "no-store")
    .type("application/json; charset=utf-8")
    .code(status)
    .send({ message, ...issues, ...conflict, ...confirmWith, ...alreadyDone, ...Object.fromEntries(required) });
}

const flags = [
  ...(["codeRequired", "passkeyAccepted", "confirmationRequired"] as const),
  ...(["passwordChangeRequired", "twoStepRequired"] as const),
];

const ofTheFile = ["content-disposition", "content-length", "content-encoding", "x-total-rows"];

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
  if (databaseFailed(error)) return { status: 503, message: awayMessage, retryAfter: 5 };
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
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The request's length does not match its Content-Length",
  FST_ERR_BAD_URL: "The address is not valid",
};

const awayMessage = "The database does not answer at the moment. Try again shortly.";
export const databaseAway = () => refusal(503, awayMessage, { retryAfter: 5 });
export const saysDatabaseIsAway = (error: unknown) => error instanceof Error && error.message === awayMessage;

export const unstorable = "Text may not contain NUL or half of a character";
const unstorableText = new Set(["22021", "22P05"]);
const conflicts = new Set(["40001", "40P01"]);
