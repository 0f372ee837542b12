import { refusal } from "@footprint/contract/refusal.ts";
import Fastify from "fastify";
import { afterEach, expect, test, vi } from "vitest";
import { answerError } from "../http/errors.ts";
import { logCalls } from "./logging.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a flood of refusals is logged in a few short lines, and counted", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const lines: { status?: number; leftOut?: number }[] = [];
  const app = Fastify({ logger: { stream: { write: (line: string) => lines.push(JSON.parse(line)) } } });
  app.setErrorHandler(answerError);
  logCalls(app);
  app.get("/", async () => {
    throw refusal(503, "Too much is going on at the moment.", { retryAfter: 2 });
  });
  const logged = () => lines.splice(0).filter(({ status, leftOut }) => status ?? leftOut);
  await app.ready();
  logged();

  for (let count = 0; count < 200; count++) expect((await app.inject("/")).statusCode).toBe(503);
  expect(lines.filter((line) => "err" in line)).toEqual([]);
  expect(logged().map(({ status }) => status)).toEqual(Array(50).fill(503));
  vi.advanceTimersByTime(1_000);
  await app.inject("/");
  expect(logged().map(({ status, leftOut }) => ({ status, leftOut }))).toEqual([{ leftOut: 150 }, { status: 503 }]);
});

test("repeated failures are logged with their stack a few times a second, and counted", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const lines: { msg?: string; err?: unknown; leftOut?: number }[] = [];
  const app = Fastify({ logger: { stream: { write: (line: string) => lines.push(JSON.parse(line)) } } });
  app.setErrorHandler(answerError);
  app.get("/", async () => {
    throw new TypeError("nothing to read");
  });
  const failed = () => lines.splice(0).filter(({ msg }) => msg?.match(/call.* failed/));
  vi.advanceTimersByTime(1_000);
  await app.inject("/");
  vi.advanceTimersByTime(1_000);
  failed();

  for (let count = 0; count < 100; count++) expect((await app.inject("/")).statusCode).toBe(500);
  expect(failed().filter(({ err }) => err)).toHaveLength(20);
  vi.advanceTimersByTime(1_000);
  await app.inject("/");
  expect(failed().map(({ leftOut }) => leftOut)).toEqual([80, undefined]);
});
