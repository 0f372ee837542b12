import type { FastifyRequest } from "fastify";
import helmet from "helmet";
import type { Config } from "../config.ts";

/** Headers for browsers. They are the same in every answer, so they are worked out once. */
export function headersForBrowsers(config: Config): Record<string, string> {
  const headers = { "permissions-policy": withoutDevices };
  const noteThem = helmet({
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
        // A label fetched by the panel. Only its own scripts can make such addresses.
        frameSrc: ["blob:"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: "deny" },
    referrerPolicy: { policy: "no-referrer" },
  });
  const setHeader = (name: string, value: string) => Object.assign(headers, { [name.toLowerCase()]: value });
  noteThem({} as never, { setHeader, removeHeader() {} } as never, () => {});
  return headers;
}

/** Browser features that the panel never uses; code injected into it could not use them either. */
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

/** For an address that cannot be parsed, which is answered before any plugin runs. */
export const bareHeaders = {
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

export function allowedOrigins(config: Config): (string | RegExp)[] {
  return config.production ? config.panelOrigins : [/^https?:\/\/localhost(:\d+)?$/, ...config.panelOrigins];
}

/**
 * Where the calling panel was opened: on this host, as far as the configured proxies can be trusted, or on an allowed
 * one.
 */
export function panelOrigin({ headers, host }: FastifyRequest, config: Config): string | undefined {
  const origin = headers.origin ?? "";
  if (!URL.canParse(origin)) return undefined;
  const isAllowed = allowedOrigins(config).some((allowed) =>
    typeof allowed === "string" ? allowed === origin : allowed.test(origin),
  );
  return isAllowed || new URL(origin).host === host ? origin : undefined;
}
