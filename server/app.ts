import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import multipart from "@fastify/multipart";
import Fastify, { type FastifyInstance, LogController } from "fastify";
import { noteAddresses } from "./accounts/addresses.ts";
import { uuidv7 } from "./db/ids.ts";
import { bulkOrderRoutes } from "./features/bulk-orders.ts";
import { dashboardRoutes } from "./features/dashboard.ts";
import { fedexRoutes } from "./features/fedex.ts";
import { invoiceRoutes } from "./features/invoices.ts";
import { labelTypeRoutes } from "./features/label-types.ts";
import { logRoutes } from "./features/logs.ts";
import { orderRoutes } from "./features/orders.ts";
import { queueRoutes } from "./features/queues.ts";
import { searchRoutes } from "./features/search.ts";
import { sessionRoutes } from "./features/session.ts";
import { staffRoutes } from "./features/staff.ts";
import { storefrontRoutes } from "./features/storefront.ts";
import { trackingRoutes } from "./features/tracking.ts";
import { transferRoutes } from "./features/transfers.ts";
import { userRoutes } from "./features/users.ts";
import { viewRoutes } from "./features/views.ts";
import { websiteRoutes } from "./features/website.ts";
import { answerBrokenRequest, ignoreExpectations } from "./http/broken-requests.ts";
import { compressReplies, serveText } from "./http/compression.ts";
import { answerOneByOne } from "./http/connections.ts";
import { answerError } from "./http/errors.ts";
import { allowedOrigins, bareHeaders, securityHeaders, withoutDevices } from "./http/headers.ts";
import { openApi, openApiPage } from "./http/openapi.ts";
import { servePanel } from "./http/panel.ts";
import type { Services } from "./http/routes.ts";
import { reportHealth } from "./operations/health.ts";
import { describeError, logCalls } from "./operations/logging.ts";
import { serveMetrics } from "./operations/metrics.ts";

/** Every feature, by name. */
export const features = {
  session: sessionRoutes,
  dashboard: dashboardRoutes,
  search: searchRoutes,
  queues: queueRoutes,
  views: viewRoutes,
  orders: orderRoutes,
  bulkOrders: bulkOrderRoutes,
  fedex: fedexRoutes,
  users: userRoutes,
  transfers: transferRoutes,
  invoices: invoiceRoutes,
  tracking: trackingRoutes,
  labelTypes: labelTypeRoutes,
  logs: logRoutes,
  staff: staffRoutes,
  website: websiteRoutes,
  storefront: storefrontRoutes,
};

export async function buildApp(services: Services): Promise<FastifyInstance> {
  const { config } = services;
  const { timeouts } = config;
  const app = Fastify({
    logger: { level: config.logLevel, serializers: { err: describeError } },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    trustProxy: config.trustProxy,
    serverFactory: answerOneByOne,
    bodyLimit: 16 * 1024,
    // A client that trickles its request in is cut off, and so is one that does not take its answer.
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.inactivity,
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(bareHeaders)),
    clientErrorHandler: answerBrokenRequest,
    http: {
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: timeouts.headers / 2,
      // Nothing here goes by the host; Node's own refusal has no message.
      requireHostHeader: false,
    },
    // An id of any length is looked at by its schema: an overlong one is 400 like any other that is malformed.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16 * 1024 },
  });
  app.setErrorHandler(answerError);
  noteAddresses(app, config);
  logCalls(app);
  finishConnectionsOnClose(app);
  ignoreExpectations(app);
  compressReplies(app);
  await app.register(helmet, securityHeaders(config));
  app.addHook("onRequest", async (_, reply) => {
    reply.header("permissions-policy", withoutDevices);
  });
  await app.register(cors, {
    origin: allowedOrigins(config),
    methods: ["GET", "POST", "PUT", "DELETE"],
    allowedHeaders: ["authorization", "content-type", "idempotency-key"],
    exposedHeaders: ["content-disposition", "retry-after", "x-request-id", "x-total-rows"],
    maxAge: 600,
    // The plugin's own refusal is not JSON.
    strictPreflight: false,
  });
  acceptJsonOnly(app);
  await app.register(multipart);

  reportHealth(app, services);
  serveMetrics(app, config);
  for (const { register } of Object.values(features)) register(app, services);
  serveText(app, "/api/openapi.json", "application/json; charset=utf-8", JSON.stringify(openApi(features)));
  serveText(app, "/api/docs", "text/html; charset=utf-8", openApiPage(features));
  await servePanel(app);
  return app;
}

/** While closing, an answer ends its connection: a client's keep-alive would hold the program up. */
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
