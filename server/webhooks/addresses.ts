import { BlockList, isIP } from "node:net";

/** IPv4 addresses that are not on the public internet, by IANA's registry of special purposes. */
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

/** Only these IPv6 addresses are given out, except ranges that lead to IPv4, are for tests or for examples. */
const global = new BlockList();
add(global, "2000::/3", "ipv6");
const notGlobal = new BlockList();
for (const range of ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]) add(notGlobal, range, "ipv6");

function add(list: BlockList, range: string, family: "ipv4" | "ipv6") {
  const [address = "", bits] = range.split("/");
  list.addSubnet(address, Number(bits), family);
}

/** Whether an address is on the public internet: not this machine or its network, and nothing that leads there. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, "ipv4");
  // An address with a zone belongs to a neighbouring network.
  if (version !== 6 || address.includes("%")) return false;
  return global.check(address, "ipv6") && !notGlobal.check(address, "ipv6");
}

/** Names that no public name server knows, or should know. */
const insideNames = /^(localhost|[^.]+|.*\.(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa))$/;

/** A URL's host as it is looked up; URL has normalised the spelling of addresses. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");

/** Whether a URL itself shows that it leads into the server's own network. */
export function isInside(url: URL): boolean {
  const host = hostOf(url).toLowerCase();
  return isIP(host) ? !isPublic(host) : insideNames.test(host);
}
