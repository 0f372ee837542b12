import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";

/** Nobody has more proxies than this in front of the server. */
const mostHops = 20;

declare module "fastify" {
  interface FastifyRequest {
    /** Where the call came from, as far as the configured proxies can be trusted; kept after the caller has hung up. */
    address: string;
  }
}

/** Notes each call's address while its connection is still open and can tell it. */
export function noteAddresses(app: FastifyInstance, config: Pick<Config, "trustProxy">) {
  const addressOf = addressesBehind(config);
  app.decorateRequest("address", "");
  app.addHook("onRequest", async (request) => {
    request.address = addressOf(request.raw);
  });
}

/**
 * Returns a request's address: the other end of the connection or, if that is a proxy of TRUST_PROXY, the address in
 * X-Forwarded-For. The header is read from the right, past the trusted proxies, as far as it holds addresses.
 */
export function addressesBehind({ trustProxy }: Pick<Config, "trustProxy">): (request: IncomingMessage) => string {
  const isProxy = trustProxy ? proxiesIn(trustProxy) : () => false;
  return ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress ?? "");
    if (!isProxy(address)) return address;
    const hops = String(headers["x-forwarded-for"] ?? "").split(",");
    for (const hop of hops.slice(-mostHops).reverse().map(withoutPort)) {
      if (!isIP(hop)) break;
      address = plainAddress(hop);
      if (!isProxy(address)) break;
    }
    return address;
  };
}

/** Whether an address is in one of these networks. */
function proxiesIn(networks: string): (address: string) => boolean {
  const proxies = new BlockList();
  const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  for (const [address = "", bits] of networks.split(",").map((network) => network.trim().split("/")))
    if (bits) proxies.addSubnet(address, Number(bits), family(address));
    else proxies.addAddress(address, family(address));
  // An IPv4 address may come in IPv6 form.
  const names = (address: string) => (isIP(address) === 4 ? [address, `::ffff:${address}`] : [address]);
  return (address) => names(address).some((name) => isIP(name) && proxies.check(name, family(name)));
}

/** Proxies also write `203.0.113.7:51234` and `"[2001:db8::5]:443"`. */
function withoutPort(hop: string): string {
  const text = hop.trim().replace(/^"(.*)"$/, "$1");
  return /^\[(.*)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** One spelling for each address: IPv6 shortened and in lower case, IPv4 never in IPv6 form. */
function plainAddress(address: string): string {
  const [bare = ""] = address.split("%");
  if (isIP(bare) !== 6) return bare;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short);
  if (!mapped) return short;
  const halves = mapped.slice(1).map((half) => Number.parseInt(half, 16));
  return halves.flatMap((half) => [half >> 8, half & 255]).join(".");
}

/** The smallest network that one guesser may have: an IPv4 address, or the 64 bits of IPv6 that a household gets. */
export function networkOf(address: string, bits: 48 | 64 = 64): string {
  // The machine itself has two addresses.
  if (address === "::1") return "127.0.0.1";
  if (isIP(address) !== 6) return address;
  const [start = "", end] = address.split("::");
  const groups = (part: string) => part.split(":").filter(Boolean);
  const given = groups(start).length + groups(end ?? "").length;
  const all = [...groups(start), ...Array<string>(8 - given).fill("0"), ...groups(end ?? "")];
  return `${all.slice(0, bits / 16).join(":")}::/${bits}`;
}
