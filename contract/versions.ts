import * as z from "zod";
import { message, timestamp } from "./schemas.ts";

/**
 * Stands beside whatever can be edited: another text once something that an edit can change has changed. Sent back as
 * `If-Match: "…"`, it lets the edit through only while nobody else has changed it.
 */
export const version = z.string();

/** The answer to an edit, with the version that it made. */
export const saved = message.extend({ version });

/** What an edit is refused with where somebody else's came first: how it is now, and since when. */
export type Conflict = z.input<typeof Conflict>;
export const Conflict = z.object({
  version,
  /** The fields that the edit can change. */
  current: z.record(z.string(), z.json()),
  /** From the log; null where it does not say. */
  changedBy: z.string().nullable(),
  changedAt: timestamp.nullable(),
});
