import { BlockList, isIP } from "node:net";

/** IPv4 addresses that are not somebody's on the internet, as IANA's registry of special purposes has them. */
const special = new BlockList();
for (const range of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
])
  add(special, range, "ipv4");

/** Of IPv6 only this is given to anybody; but for what leads to IPv4, is for tests or in examples. */
const global = new BlockList();
add(global, "2000::/3", "ipv6");
const notGlobal = new BlockList();
for (const range of ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]) add(notGlobal, range, "ipv6");

function add(list: BlockList, range: string, family: "ipv4" | "ipv6") {
  const [address = "", bits] = range.split("/");
  list.addSubnet(address, Number(bits), family);
}

/** Whether an address is one on the internet: not this machine, not its network, and nothing that leads there. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, "ipv4");
  // One with a zone is of a network next to us.
  if (version !== 6 || address.includes("%")) return false;
  return global.check(address, "ipv6") && !notGlobal.check(address, "ipv6");
}

/** Names that no public name server knows, or should. */
const insideNames = /^(localhost|[^.]+|.*\.(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa))$/;

/** The host of a URL as it is looked up: addresses in whatever spelling have become plain ones. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");

/** Whether a URL says by itself that it leads into the own network. */
export function isInside(url: URL): boolean {
  const host = hostOf(url).toLowerCase();
  return isIP(host) ? !isPublic(host) : insideNames.test(host);
}
