import { timingSafeEqual } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { events } from "@footprint/contract/events.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { hashToken } from "../accounts/sessions.ts";
import type { Database } from "../db/database.ts";
import { standbysOf } from "../db/engine.ts";
import type { Standbys } from "../db/standbys.ts";
import { openStreams } from "../events/streams.ts";
import { shedCalls } from "../http/overload.ts";
import type { Services } from "../http/routes.ts";
import { webhookFigures } from "../webhooks/deliveries.ts";
import { tried } from "../webhooks/delivering.ts";

/** Figures for Prometheus at /metrics, for whoever has the key. Without a key nothing is counted, and nothing is there. */
export function serveMetrics(app: FastifyInstance, { db, config: { metricsKey, timeouts } }: Services) {
  const registry = new Registry();
  let askForFigures = async () => {};
  app.get("/metrics", async (request, reply) => {
    if (!metricsKey) throw refusal(404, "There are no metrics here: set METRICS_KEY");
    const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!timingSafeEqual(Buffer.from(hashToken(key)), Buffer.from(hashToken(metricsKey))))
      throw refusal(401, "Send the metrics key");
    await askForFigures();
    return reply
      .header("cache-control", "no-store")
      .type(registry.contentType)
      .send(await registry.metrics());
  });
  if (!metricsKey) return;

  collectDefaultMetrics({ register: registry });
  const inFlight = new Gauge({
    name: "footprint_calls_in_flight",
    help: "Calls that are being answered",
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "footprint_call_seconds",
    help: "How long calls took, by path and status",
    labelNames: ["method", "path", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  new Counter({
    name: "footprint_calls_shed_total",
    help: "Calls refused because too many were running",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(shedCalls);
    },
  });
  new Gauge({
    name: "footprint_event_streams",
    help: "Panels that are open and follow what happens",
    registers: [registry],
    collect() {
      this.set(openStreams);
    },
  });
  new Counter({
    name: "footprint_webhook_tries_total",
    help: "Events sent to webhooks, by what came of it",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(tried)) this.inc({ outcome }, count);
    },
  });
  const standbys = standbysOf.get(db);
  if (standbys) watchStandbys(standbys, registry);
  askForFigures = watchWebhooks(db, registry, timeouts.ready);
  // A stream lasts as long as its panel is open, which says nothing of the server.
  const isStream = ({ routeOptions }: FastifyRequest) => routeOptions.url === events.stream.path;
  app.addHook("onRequest", (request, reply, done) => {
    if (isStream(request)) return done();
    inFlight.inc();
    reply.raw.once("close", () => inFlight.dec());
    done();
  });
  app.addHook("onResponse", async (request, reply) => {
    if (isStream(request)) return;
    // The path as the contract writes it: one series per call, not one per customer.
    const path = request.routeOptions.url ?? "other";
    seconds.observe({ method: request.method, path, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

/** Where lists, searches, exports and figures are read, for servers that have standbys to read from. */
function watchStandbys(standbys: Standbys, registry: Registry) {
  new Counter({
    name: "footprint_reads_total",
    help: "Lists, searches, exports and figures, by who answered them: a standby, or the primary in place of one",
    labelNames: ["from"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [from, count] of Object.entries(standbys.answered)) this.inc({ from }, count);
    },
  });
  new Gauge({
    name: "footprint_standbys",
    help: "Standbys to read from, by whether they are used or left out for now",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.set({ state: "used" }, standbys.used());
      this.set({ state: "left out" }, standbys.known - standbys.used());
    },
  });
}

/** What waits to be sent, as the database has it: the same on every server. Returns how to ask for it. */
function watchWebhooks(db: Database, registry: Registry, patience: number) {
  const registers = [registry];
  const waiting = new Gauge({
    name: "footprint_webhook_waiting",
    help: "Events that wait to be sent to webhooks that are not paused, at most 1,000 counted of each webhook",
    registers,
  });
  const oldest = new Gauge({
    name: "footprint_webhook_oldest_seconds",
    help: "How long what waits longest has waited to be sent to a webhook that is not paused",
    registers,
  });
  const paused = new Gauge({
    name: "footprint_webhooks_paused",
    help: "Webhooks that are paused: by themselves after three days of failures, or by hand",
    labelNames: ["by"],
    registers,
  });
  let asking: Promise<Awaited<ReturnType<typeof webhookFigures>> | undefined> | undefined;
  return async () => {
    asking ??= webhookFigures(db)
      .catch(() => undefined)
      .finally(() => {
        asking = undefined;
      });
    // While the database is away or does not answer, these are not known, and all else is.
    const figures = await Promise.race([asking, setTimeout(patience, undefined, { ref: false })]);
    waiting.set(figures?.waiting ?? Number.NaN);
    oldest.set(figures?.seconds ?? Number.NaN);
    paused.set({ by: "itself" }, figures?.pausedByItself ?? Number.NaN);
    paused.set({ by: "hand" }, figures?.pausedByHand ?? Number.NaN);
  };
}
