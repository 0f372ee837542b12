import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import multipart from "@fastify/multipart";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from "fastify";
import { compressReplies, serveText } from "./compression.ts";
import type { Config } from "./config.ts";
import { answerError } from "./errors.ts";
import { bulkOrderRoutes } from "./features/bulk-orders.ts";
import { dashboardRoutes } from "./features/dashboard.ts";
import { fedexRoutes } from "./features/fedex.ts";
import { invoiceRoutes } from "./features/invoices.ts";
import { labelTypeRoutes } from "./features/label-types.ts";
import { logRoutes } from "./features/logs.ts";
import { orderRoutes } from "./features/orders.ts";
import { sessionRoutes } from "./features/session.ts";
import { staffRoutes } from "./features/staff.ts";
import { storefrontRoutes } from "./features/storefront.ts";
import { trackingRoutes } from "./features/tracking.ts";
import { userRoutes } from "./features/users.ts";
import { websiteRoutes } from "./features/website.ts";
import type { House } from "./http.ts";
import { uuidv7 } from "./ids.ts";
import { openApi, openApiPage } from "./openapi.ts";
import { servePanel } from "./panel.ts";

/** Every feature of the house, by name. */
export const features = {
  session: sessionRoutes,
  dashboard: dashboardRoutes,
  orders: orderRoutes,
  bulkOrders: bulkOrderRoutes,
  fedex: fedexRoutes,
  users: userRoutes,
  invoices: invoiceRoutes,
  tracking: trackingRoutes,
  labelTypes: labelTypeRoutes,
  logs: logRoutes,
  staff: staffRoutes,
  website: websiteRoutes,
  storefront: storefrontRoutes,
};

export async function buildApp(house: House): Promise<FastifyInstance> {
  const { config } = house;
  const app = Fastify({
    logger: { level: config.logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    trustProxy: config.trustProxy,
    // A client that trickles its request in is cut off.
    requestTimeout: 120_000,
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => answerError(error, request, reply.headers(bareHeaders)),
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.setErrorHandler(answerError);
  app.addHook("onResponse", logResponse);
  finishConnectionsOnClose(app);
  compressReplies(app);
  await app.register(helmet, securityHeaders(config));
  app.addHook("onRequest", async (_, reply) => {
    reply.header("permissions-policy", withoutDevices);
  });
  await app.register(cors, {
    origin: allowedOrigins(config),
    methods: ["GET", "POST", "PUT", "DELETE"],
    allowedHeaders: ["authorization", "content-type", "idempotency-key"],
    exposedHeaders: ["content-disposition", "retry-after"],
    maxAge: 600,
  });
  acceptJsonOnly(app);
  await app.register(multipart);

  for (const { register } of Object.values(features)) register(app, house);
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
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    // Clients that always send the header send it with an empty body too.
    if (body === "") done(null, undefined);
    else parseJson(request, body as string, done);
  });
}

function securityHeaders(config: Config) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // The component library sets inline styles.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", "data:", "blob:", ...apiHosts(config)],
        connectSrc: ["'self'", ...apiHosts(config)],
        fontSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: "deny" as const },
    referrerPolicy: { policy: "no-referrer" as const },
  };
}

/** What the panel never asks a browser for; whatever ran in it could not either. */
const withoutDevices = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "usb",
]
  .map((device) => `${device}=()`)
  .join(", ");

/** For an address that cannot be read: it is answered before any plugin has its turn. */
const bareHeaders = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": withoutDevices,
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Where the panel may call: its own origin, the development address, and the configured host. */
const apiHosts = (config: Config) => ["http://localhost:7400", ...(config.apiHost ? [config.apiHost] : [])];

function allowedOrigins(config: Config): (string | RegExp)[] {
  return config.production ? config.panelOrigins : [/^https?:\/\/localhost(:\d+)?$/, ...config.panelOrigins];
}

/** Changes and refusals are worth a line; reads only when looking closely. The query stays out: it holds names. */
async function logResponse(request: FastifyRequest, reply: FastifyReply) {
  const level = request.method === "GET" && reply.statusCode < 400 ? "debug" : "info";
  const path = request.url.split("?", 1)[0];
  const ms = Math.round(reply.elapsedTime);
  request.log[level]({ method: request.method, path, status: reply.statusCode, ms }, "answered");
}
