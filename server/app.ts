import cors from "@fastify/cors";
import multipart from "@fastify/multipart";
import Fastify, { type FastifyInstance, LogController } from "fastify";
import { addressesBehind, noteAddresses } from "./accounts/addresses.ts";
import { standbysOf } from "./db/engine.ts";
import { uuidv7 } from "./db/ids.ts";
import { openEvents } from "./events/events.ts";
import { approvalRoutes } from "./features/approvals.ts";
import { bulkOrderRoutes } from "./features/bulk-orders.ts";
import { codeBatchRoutes } from "./features/code-batches.ts";
import { customPriceRoutes } from "./features/custom-prices.ts";
import { dashboardRoutes } from "./features/dashboard.ts";
import { eventRoutes } from "./features/events.ts";
import { fedexRoutes } from "./features/fedex.ts";
import { invoiceRoutes } from "./features/invoices.ts";
import { labelTypeRoutes } from "./features/label-types.ts";
import { logRoutes } from "./features/logs.ts";
import { noticeRoutes } from "./features/notices.ts";
import { orderRoutes } from "./features/orders.ts";
import { outboxRoutes } from "./features/outbox.ts";
import { passkeyRoutes } from "./features/passkeys.ts";
import { queueRoutes } from "./features/queues.ts";
import { quoteRoutes } from "./features/quotes.ts";
import { searchRoutes } from "./features/search.ts";
import { sessionRoutes } from "./features/session.ts";
import { staffRoutes } from "./features/staff.ts";
import { statementRoutes } from "./features/statements.ts";
import { storefrontRoutes } from "./features/storefront.ts";
import { summaryRoutes } from "./features/summaries.ts";
import { trackingRoutes } from "./features/tracking.ts";
import { transferRoutes } from "./features/transfers.ts";
import { unusualRoutes } from "./features/unusual.ts";
import { userRoutes } from "./features/users.ts";
import { viewRoutes } from "./features/views.ts";
import { webhookRoutes } from "./features/webhooks.ts";
import { websiteRoutes } from "./features/website.ts";
import { answerBrokenRequest, ignoreExpectations } from "./http/broken-requests.ts";
import { brunoFolder, postmanCollection } from "./http/collections.ts";
import { compressReplies, serveText } from "./http/compression.ts";
import { answerOneByOne } from "./http/connections.ts";
import { answerError } from "./http/errors.ts";
import { allowedOrigins, bareHeaders, headersForBrowsers } from "./http/headers.ts";
import { collectionPaths, openApi, openApiPage } from "./http/openapi.ts";
import { servePanel } from "./http/panel.ts";
import type { Services } from "./http/routes.ts";
import { zip } from "./http/zip.ts";
import { reportHealth } from "./operations/health.ts";
import { describeError, logCalls } from "./operations/logging.ts";
import { serveMetrics } from "./operations/metrics.ts";
import { openOutbox } from "./outbox/numbering.ts";

/** Every feature, by name. */
export const features = {
  session: sessionRoutes,
  passkeys: passkeyRoutes,
  dashboard: dashboardRoutes,
  search: searchRoutes,
  queues: queueRoutes,
  notices: noticeRoutes,
  views: viewRoutes,
  orders: orderRoutes,
  bulkOrders: bulkOrderRoutes,
  fedex: fedexRoutes,
  users: userRoutes,
  customPrices: customPriceRoutes,
  quotes: quoteRoutes,
  transfers: transferRoutes,
  invoices: invoiceRoutes,
  statements: statementRoutes,
  tracking: trackingRoutes,
  codeBatches: codeBatchRoutes,
  labelTypes: labelTypeRoutes,
  logs: logRoutes,
  staff: staffRoutes,
  summaries: summaryRoutes,
  unusual: unusualRoutes,
  approvals: approvalRoutes,
  website: websiteRoutes,
  webhooks: webhookRoutes,
  storefront: storefrontRoutes,
  outbox: outboxRoutes,
  events: eventRoutes,
};

export async function buildApp(
  given: Omit<Services, "events" | "outbox">,
  traceCalls = (_app: FastifyInstance) => {},
): Promise<FastifyInstance> {
  const { config } = given;
  const outbox = openOutbox(given.db, (error) => app.log.error({ err: error }, "numbering the outbox failed"));
  const services = { ...given, outbox, events: openEvents(given.db, outbox.wakeKey) };
  const { timeouts } = config;
  const app = Fastify({
    logger: { level: config.logLevel, serializers: { err: describeError } },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    trustProxy: config.trustProxy,
    serverFactory: answerOneByOne(addressesBehind(config)),
    bodyLimit: 16 * 1024,
    // Cuts off clients that send their request too slowly, or do not read the answer.
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.inactivity,
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(bareHeaders)),
    clientErrorHandler: answerBrokenRequest,
    http: {
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: timeouts.headers / 2,
      // Nothing here depends on the host, and Node's own refusal has no message.
      requireHostHeader: false,
    },
    // Ids of any length reach the schema, so that an overlong one is 400 like any malformed one.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16 * 1024 },
  });
  app.setErrorHandler(answerError);
  traceCalls(app);
  noteAddresses(app, config);
  logCalls(app);
  finishConnectionsOnClose(app);
  app.addHook("preClose", async () => services.events.endStreams());
  app.addHook("preClose", async () => services.outbox.endWaits());
  app.addHook("onClose", () => services.events.close());
  app.addHook("onClose", () => services.outbox.close());
  const stopWatching = standbysOf.get(given.db)?.watch((line) => app.log.info(line));
  if (stopWatching) app.addHook("onClose", stopWatching);
  ignoreExpectations(app);
  compressReplies(app);
  tellBrowsers(app, headersForBrowsers(config));
  await app.register(cors, {
    origin: allowedOrigins(config),
    methods: ["GET", "POST", "PUT", "DELETE"],
    allowedHeaders: ["authorization", "content-type", "idempotency-key", "if-match", "x-unattended"],
    exposedHeaders: ["content-disposition", "date", "retry-after", "x-request-id", "x-total-rows"],
    maxAge: 600,
    // The plugin's own refusal is not JSON.
    strictPreflight: false,
  });
  acceptJsonOnly(app);
  await app.register(multipart);

  reportHealth(app, services);
  serveMetrics(app, services);
  for (const { register } of Object.values(features)) register(app, services);
  describeApi(app);
  await servePanel(app);
  return app;
}

/** For machines, for people, and for programs such as Postman. */
function describeApi(app: FastifyInstance) {
  const json = "application/json; charset=utf-8";
  const description = () => openApi(features);
  serveText(app, "/api/openapi.json", json, () => JSON.stringify(description()));
  serveText(app, "/api/docs", "text/html; charset=utf-8", () => openApiPage(features));
  serveText(app, collectionPaths.postman, json, () => JSON.stringify(postmanCollection(description()), null, 2));
  serveText(app, collectionPaths.bruno, "application/zip", () => zip(brunoFolder(description())));
}

function tellBrowsers(app: FastifyInstance, headers: Record<string, string>) {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** While closing, every answer ends its connection, since keep-alive would delay the end of the program. */
function finishConnectionsOnClose(app: FastifyInstance) {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", async (_, reply) => {
    if (closing) reply.header("connection", "close");
  });
}

function acceptJsonOnly(app: FastifyInstance) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}
