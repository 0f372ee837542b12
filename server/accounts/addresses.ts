import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";

/** Nobody has more proxies before the server; the last of them wrote last. */
const mostHops = 20;

declare module "fastify" {
  interface FastifyRequest {
    /** Where the call came from, as far as the configured proxies can be trusted; also when the caller has hung up. */
    address: string;
  }
}

/** Notes where each call comes from, as long as there is a connection that tells it. */
export function noteAddresses(app: FastifyInstance, { trustProxy }: Pick<Config, "trustProxy">) {
  app.decorateRequest("address", "");
  app.addHook("onRequest", async (request) => {
    if (trustProxy) leaveAddresses(request.raw.headers);
    request.address = plainAddress(request.ip ?? "");
  });
}

/**
 * Leaves of X-Forwarded-For what can be an address, as far as it can be read back from the last proxy. Fastify then
 * goes through it from the right, past the proxies of TRUST_PROXY, and `request.ip` is an address in any case.
 */
function leaveAddresses(headers: IncomingHttpHeaders) {
  const hops = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .slice(-mostHops);
  const addresses = hops.map(withoutPort);
  const known = addresses.slice(addresses.findLastIndex((address) => !isIP(address)) + 1);
  headers["x-forwarded-for"] = known.join(", ") || undefined;
}

/** Proxies also write `203.0.113.7:51234` and `"[2001:db8::5]:443"`. */
function withoutPort(hop: string): string {
  const text = hop.trim().replace(/^"(.*)"$/, "$1");
  return /^\[(.*)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** One way to write an address: IPv6 short and in lower case, IPv4 as IPv4 also where it comes as IPv6. */
function plainAddress(address: string): string {
  const [bare = ""] = address.split("%");
  if (isIP(bare) !== 6) return bare;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short);
  if (!mapped) return short;
  const halves = mapped.slice(1).map((half) => Number.parseInt(half, 16));
  return halves.flatMap((half) => [half >> 8, half & 255]).join(".");
}

/** What one guesser has at the least: an IPv4 address, or the 64 bits of IPv6 that a household gets. */
export function networkOf(address: string, bits: 48 | 64 = 64): string {
  if (isIP(address) !== 6) return address;
  const [start = "", end] = address.split("::");
  const groups = (part: string) => part.split(":").filter(Boolean);
  const given = groups(start).length + groups(end ?? "").length;
  const all = [...groups(start), ...Array<string>(8 - given).fill("0"), ...groups(end ?? "")];
  return `${all.slice(0, bits / 16).join(":")}::/${bits}`;
}
