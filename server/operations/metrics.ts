import { timingSafeEqual } from "node:crypto";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { events } from "@footprint/contract/events.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { hashToken } from "../accounts/sessions.ts";
import { connectionsOf, standbysOf } from "../db/engine.ts";
import { ownVersion } from "../db/migrations.ts";
import type { Standbys } from "../db/standbys.ts";
import { openStreams } from "../events/streams.ts";
import { repeatedTransactions } from "../http/idempotency.ts";
import { shedCalls } from "../http/overload.ts";
import type { Services } from "../http/routes.ts";
import { tried } from "../webhooks/delivering.ts";
import { watchDatabase } from "./figures.ts";

/** Metrics for Prometheus at /metrics, for callers with the key. Without a key nothing is counted or served. */
export function serveMetrics(app: FastifyInstance, { db, config }: Services) {
  const { metricsKey } = config;
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
  new Counter({
    name: "footprint_transactions_repeated_total",
    help: "Transactions that the database ended because two waited for each other, and that were made again",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(repeatedTransactions);
    },
  });
  const failures = new Counter({
    name: "footprint_failures_total",
    help: "Calls answered 500: failures of the program's own",
    registers: [registry],
  });
  new Gauge({
    name: "footprint_database_connections",
    help: "Connections to PostgreSQL, by pool, in use and idle; and how many wait for one",
    labelNames: ["pool", "state"],
    registers: [registry],
    collect() {
      for (const { pool, ...states } of connectionsOf(db))
        for (const [state, count] of Object.entries(states)) this.set({ pool, state }, count);
    },
  });
  new Gauge({
    name: "footprint_memory_limit_bytes",
    help: "What memory there is: for the process as a whole, and for its heap",
    labelNames: ["of"],
    registers: [registry],
    collect() {
      this.set({ of: "process" }, Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()));
      this.set({ of: "heap" }, getHeapStatistics().heap_size_limit);
    },
  });
  new Gauge({
    name: "footprint_info",
    help: "Always 1: the version of the tables that this server works on, and its kind of database",
    labelNames: ["tables", "database"],
    registers: [registry],
  }).set({ tables: ownVersion, database: connectionsOf(db).length > 0 ? "PostgreSQL" : "embedded" }, 1);
  const standbys = standbysOf.get(db);
  if (standbys) watchStandbys(standbys, registry);
  askForFigures = watchDatabase(db, config, registry);
  // A stream lasts as long as its panel is open, which says nothing about the server.
  const isStream = ({ routeOptions }: FastifyRequest) => routeOptions.url === events.stream.path;
  app.addHook("onRequest", (request, reply, done) => {
    if (isStream(request)) return done();
    inFlight.inc();
    reply.raw.once("close", () => inFlight.dec());
    done();
  });
  app.addHook("onResponse", async (request, reply) => {
    if (isStream(request)) return;
    // The path as in the contract: one series per call, not per customer.
    const path = request.routeOptions.url ?? "other";
    if (reply.statusCode === 500) failures.inc();
    seconds.observe({ method: request.method, path, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

/** Where lists, searches, exports and figures are read, for servers with standbys. */
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
    help: "Hosts to read from: standbys that are used, those that are left out for now, and the primary among them",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const states = standbys.states().map(({ state }) => state);
      for (const each of ["used", "left out", "primary"])
        this.set({ state: each }, states.filter((state) => state === each).length);
    },
  });
  new Gauge({
    name: "footprint_standby_behind_bytes",
    help: "How much of the primary's journal each host to read from has not replayed; NaN where it does not tell",
    labelNames: ["standby"],
    registers: [registry],
    collect() {
      for (const { name, behind } of standbys.states()) this.set({ standby: name }, behind);
    },
  });
}
