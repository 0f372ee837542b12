import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failureCode } from "../db/failures.ts";
import { atMostPerSecond } from "../http/log-limit.ts";

/** One line per call, with its number, which also leaves with every answer. */
export function logCalls(app: FastifyInstance) {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  // Anybody can be refused by the thousand, and should not fill the disk with it.
  const logRefusal = atMostPerSecond(50, "more calls were refused");
  app.addHook("onResponse", async (request, reply) => {
    if (reply.statusCode < 400) logResponse(request, reply);
    else logRefusal(app.log, () => logResponse(request, reply));
  });
}

/**
 * Changes and refusals are worth a line; reads only when looking closely. Of the address only the call's own path
 * and the id of a row: the rest may name people.
 */
function logResponse(request: FastifyRequest, reply: FastifyReply) {
  const level = request.method === "GET" && reply.statusCode < 400 ? "debug" : "info";
  const path = request.routeOptions.url ?? "unknown";
  const { id } = (request.params ?? {}) as { id?: string };
  const ms = Math.round(reply.elapsedTime);
  request.log[level]({ method: request.method, path, id, status: reply.statusCode, ms }, "answered");
}

/** Where an error happened, without what was in the way: a failed query's message and details name its values. */
export function describeError(error: Error) {
  const { name: type, stack = "" } = error;
  const { query } = error as { query?: unknown };
  const code = failureCode(error);
  const isQuery = Boolean(query || code) && !isOfFiles(error);
  return {
    type,
    ...(isQuery ? { message: "A query failed", code, query } : { message: error.message }),
    // It begins with the message, which may run over several lines.
    stack: stack.split("\n").filter(isFrame).join("\n"),
  };
}

/** A full disk, or a folder without rights. What failed on its way over the network has an address. */
const isOfFiles = (error: object) => "syscall" in error && !("address" in error) && !("hostname" in error);

const isFrame = (line: string) => /^\s+at /.test(line);
