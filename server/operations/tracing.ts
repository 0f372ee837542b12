import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { events } from "@footprint/contract/events.ts";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Traces } from "../config.ts";
import { failureCode } from "../db/failures.ts";
import { type Tracing, traceWith } from "../db/tracing.ts";

/** How long unsent spans may take when the server stops. */
const shutdownMs = 2_000;
/** How much of a statement is sent: one about many rows is very long. */
const longestStatement = 4_000;

/**
 * Sends traces of calls and their statements by OTLP, as the OTEL_ variables say. Nothing in them identifies anybody:
 * addresses are the contract's paths, and statements have no values.
 */
export function startTracing(traces: Traces) {
  let report = (_reason: unknown) => {};
  const exporter = tellingFailures(new OTLPTraceExporter(), (reason) => report(reason));
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "footprint" }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(traces),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("footprint");
  /** The call that a statement belongs to. */
  const current = new AsyncLocalStorage<Context>();
  /** Nothing is added to a call that was answered, or is not traced. */
  const underWay = () => {
    const context = current.getStore();
    const span = context && trace.getSpan(context);
    return span?.isRecording() ? { context, span } : undefined;
  };
  const client = (name: string, attributes: Attributes, context: Context) =>
    tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context);

  const tracing: Tracing = {
    statement(text) {
      const context = underWay()?.context;
      if (!context) return undefined;
      const span = client(
        summaryOf(text),
        { "db.system.name": "postgresql", "db.query.text": text.slice(0, longestStatement) },
        context,
      );
      return (failure) => {
        if (failure) fail(span, failureCode(failure), "db.response.status_code");
        span.end();
      };
    },
    sending(host) {
      const attributes = { "http.request.method": "POST", "server.address": host };
      const span = client("webhook", attributes, underWay()?.context ?? ROOT_CONTEXT);
      return {
        headers: { traceparent: traceParentOf(span) },
        end({ status, problem }) {
          if (status !== null) span.setAttribute("http.response.status_code", status);
          if (status === null || status >= 300) fail(span, problem || String(status));
          span.end();
        },
      };
    },
    note: (what, code) => underWay()?.span.addEvent(what, { "db.response.status_code": code }),
  };
  traceWith(tracing);

  return {
    /** Traces calls of the API, but not the panel's files and health checks. */
    traceCalls(app: FastifyInstance) {
      report = (reason) => app.log.error({ reason }, "traces cannot be sent");
      const contexts = new WeakMap<FastifyRequest, Context>();
      app.addHook("onRequest", (request, reply, done) => {
        const path = request.routeOptions.url;
        // A stream lasts as long as its panel is open, which says nothing about the server.
        if (!path?.startsWith("/api/") || path === events.stream.path) return done();
        const { method, id } = request;
        const attributes = { "http.request.method": method, "http.route": path, "footprint.request_id": id };
        const span = tracer.startSpan(`${method} ${path}`, { kind: SpanKind.SERVER, attributes }, callerOf(request));
        const context = trace.setSpan(ROOT_CONTEXT, span);
        contexts.set(request, context);
        reply.raw.once("close", () => endCall(span, reply));
        current.run(context, done);
      });
      // While it is received, a body belongs to no call.
      app.addHook("preValidation", (request, _, done) => {
        const context = contexts.get(request);
        if (context) current.run(context, done);
        else done();
      });
    },
    async stop() {
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, setTimeout(shutdownMs, undefined, { ref: false })]);
    },
  };
}

function samplerOf({ sampler, ratio }: Traces) {
  const [, isParentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const root =
    name === "always_off"
      ? new AlwaysOffSampler()
      : name === "always_on"
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

/** The caller's own span, if they named one. */
function callerOf({ headers }: FastifyRequest): Context {
  const { traceparent } = headers;
  const caller = typeof traceparent === "string" ? parseTraceParent(traceparent) : null;
  return caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
}

function traceParentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? "01" : "00"}`;
}

function endCall(span: Span, { raw }: FastifyReply) {
  if (raw.headersSent) span.setAttribute("http.response.status_code", raw.statusCode);
  if (!raw.writableFinished) fail(span, "the caller has gone away");
  else if (raw.statusCode >= 500) fail(span, String(raw.statusCode));
  span.end();
}

function fail(span: Span, why: string | undefined, attribute = "error.type") {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (why) span.setAttribute(attribute, why);
}

/** What a statement does, and to which table. */
function summaryOf(text: string): string {
  const verb = /\w+/.exec(text)?.[0].toLowerCase() ?? "statement";
  let outermost = text;
  for (let before = ""; before !== outermost; ) {
    before = outermost;
    outermost = before.replace(/\([^()]*\)/g, " ");
  }
  const table = /\b(?:from|into|update|call)\s+"?(\w+)/i.exec(outermost)?.[1];
  return table ? `${verb} ${table}` : verb;
}

/** Reports a failure once, and again only after a success, since a receiver that is down stays down for a while. */
function tellingFailures(exporter: SpanExporter, report: (reason: unknown) => void): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code === ExportResultCode.FAILED;
        const { code, message } = (result.error ?? {}) as { code?: unknown; message?: string };
        if (failed && !isFailing) report(code ?? message);
        isFailing = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
