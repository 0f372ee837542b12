import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failureCode } from "../db/failures.ts";

/** One line per call, with its number, which also leaves with every answer. */
export function logCalls(app: FastifyInstance) {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  const mayLogRefusal = perSecond(mostRefusals, (leftOut) => app.log.warn({ leftOut }, "more calls were refused"));
  app.addHook("onResponse", async (request, reply) => {
    if (reply.statusCode < 400 || mayLogRefusal()) logResponse(request, reply);
  });
}

/** Anybody can be refused by the thousand, and should not fill the disk with it. */
const mostRefusals = 50;

/** True so many times a second; how often it was not, is told afterwards. */
function perSecond(most: number, tell: (leftOut: number) => void) {
  let second = 0;
  let times = 0;
  return () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      if (times > most) tell(times - most);
      second = now;
      times = 0;
    }
    times++;
    return times <= most;
  };
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
  return {
    type,
    ...(query || code ? { message: "A query failed", code, query } : { message: error.message }),
    // It begins with the message, which may run over several lines.
    stack: stack.split("\n").filter(isFrame).join("\n"),
  };
}

const isFrame = (line: string) => /^\s+at /.test(line);
