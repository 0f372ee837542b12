import { timingSafeEqual } from "node:crypto";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { hashToken } from "../accounts/sessions.ts";
import type { Config } from "../config.ts";
import { shedCalls } from "../http/overload.ts";

/** Figures for Prometheus at /metrics, for whoever has the key. Without a key nothing is counted, and nothing is there. */
export function serveMetrics(app: FastifyInstance, { metricsKey }: Config) {
  const registry = new Registry();
  app.get("/metrics", async (request, reply) => {
    if (!metricsKey) throw refusal(404, "There are no metrics here: set METRICS_KEY");
    const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!timingSafeEqual(Buffer.from(hashToken(key)), Buffer.from(hashToken(metricsKey))))
      throw refusal(401, "Send the metrics key");
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
  app.addHook("onRequest", (_, reply, done) => {
    inFlight.inc();
    reply.raw.once("close", () => inFlight.dec());
    done();
  });
  app.addHook("onResponse", async (request, reply) => {
    // The path as the contract writes it: one series per call, not one per customer.
    const path = request.routeOptions.url ?? "other";
    seconds.observe({ method: request.method, path, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}
