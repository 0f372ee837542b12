import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";

/** Nobody has more proxies before the server; the last of them wrote last. */
const mostHops = 20;

/**
 * Leaves of X-Forwarded-For what can be an address, as far as it can be read back from the last proxy. Fastify then
 * goes through it from the right, past the proxies of TRUST_PROXY, and `request.ip` is an address in any case.
 */
export function readForwardedAddresses(app: FastifyInstance) {
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    const hops = String(headers["x-forwarded-for"] ?? "")
      .split(",")
      .slice(-mostHops);
    const addresses = hops.map(withoutPort);
    const known = addresses.slice(addresses.findLastIndex((address) => !isIP(address)) + 1);
    headers["x-forwarded-for"] = known.join(", ") || undefined;
  });
}

/** Proxies also write `203.0.113.7:51234` and `"[2001:db8::5]:443"`. */
function withoutPort(hop: string): string {
  const text = hop.trim().replace(/^"(.*)"$/, "$1");
  return /^\[(.*)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** One way to write an address: IPv6 short and in lower case, IPv4 as IPv4 also where it comes as IPv6. */
export function plainAddress(address: string): string {
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
