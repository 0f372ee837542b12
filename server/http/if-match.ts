import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyRequest } from "fastify";
import type { Seen } from "../accounts/versions.ts";

/** RFC 9110: `*`, or quoted versions separated by commas. */
const tag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/;
const list = new RegExp(`^[\\s,]*${tag.source}(\\s*,[\\s,]*${tag.source})*[\\s,]*$`);

/** The versions that an edit started from. A weak one never equals another, so it matches nothing. */
export function seenVersions(call: Endpoint, { headers }: FastifyRequest): Seen {
  const given = headers["if-match"]?.trim();
  if (!call.versioned || given === undefined || given === "*") return undefined;
  if (given.length > 2000 || !list.test(given))
    throw refusal(400, 'If-Match names the version that was read, in quotes: "…"');
  return [...given.matchAll(new RegExp(tag, "g"))].flatMap(([, weak, version]) => (weak ? [] : [version as string]));
}
