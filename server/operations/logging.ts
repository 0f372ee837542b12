import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failureCode } from "../db/failures.ts";
import { atMostPerSecond } from "../http/log-limit.ts";

/** One line per call, with its number, which is also in every answer. */
export function logCalls(app: FastifyInstance) {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  // Refusals can come by the thousand, and should not fill the disk.
  const logRefusal = atMostPerSecond(50, "more calls were refused");
  app.addHook("onResponse", async (request, reply) => {
    if (reply.statusCode < 400) logResponse(request, reply);
    else logRefusal(app.log, () => logResponse(request, reply));
  });
}

/**
 * Logs changes and refusals; reads only at debug level. Of the address it logs only the call's own path and a row's id,
 * since the rest may name people.
 */
function logResponse(request: FastifyRequest, reply: FastifyReply) {
  const level = request.method === "GET" && reply.statusCode < 400 ? "debug" : "info";
  const path = request.routeOptions.url ?? "unknown";
  const { id } = (request.params ?? {}) as { id?: string };
  const ms = Math.round(reply.elapsedTime);
  request.log[level]({ method: request.method, path, id, status: reply.statusCode, ms }, "answered");
}

/** Where an error happened, without its data: a failed query's message and details contain values. */
export function describeError(error: Error) {
  const { name: type, stack = "" } = error;
  const { query } = error as { query?: unknown };
  const code = failureCode(error);
  const isQuery = Boolean(query || code) && !isOfFiles(error);
  return {
    type,
    ...(isQuery ? { message: "A query failed", code, query } : { message: error.message }),
    // The stack begins with the message, which may have several lines.
    stack: stack.split("\n").filter(isFrame).join("\n"),
  };
}

/** A full disk, or missing rights. Errors of the network have an address. */
const isOfFiles = (error: object) => "syscall" in error && !("address" in error) && !("hostname" in error);

const isFrame = (line: string) => /^\s+at /.test(line);
