import * as z from "zod";
import { message, timestamp } from "./schemas.ts";

/**
 * Part of everything that can be edited: a text that changes with any field that an edit can change. Sent back as
 * `If-Match: "…"`, it allows the edit only while nobody else has changed it.
 */
export const version = z.string();

/** The answer to an edit, with the new version. */
export const saved = message.extend({ version });

/** The refusal of an edit that came second: the current state, and since when. */
export type Conflict = z.input<typeof Conflict>;
export const Conflict = z.object({
  version,
  /** The fields that the edit can change. */
  current: z.record(z.string(), z.json()),
  /** From the log; null if it does not say. */
  changedBy: z.string().nullable(),
  changedAt: timestamp.nullable(),
});
