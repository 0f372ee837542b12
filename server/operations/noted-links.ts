import type { NotedLink } from "../accounts/log-verification.ts";
import { StartError } from "../config.ts";

/** Parses a link in the form that the books print. */
export function notedLink(text: string, usage: string): NotedLink {
  const [, number, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!number || !hash) throw new StartError(usage);
  return { number: Number(number), hash };
}
