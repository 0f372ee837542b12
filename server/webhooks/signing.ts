import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { webhooks } from "../db/schema.ts";

export const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

/** The exact bytes of an event, the same at every try. */
export const bodyOf = (event: { id: string; type: string; createdAt: Date; data: Record<string, unknown> }) =>
  JSON.stringify({ id: event.id, type: event.type, timestamp: event.createdAt.toISOString(), data: event.data });

/** The headers of the Standard Webhooks specification, signed with each of the secrets. */
export function headersOf(secrets: string[], id: string, now: Date, body: string): Record<string, string> {
  return {
    "content-type": "application/json; charset=utf-8",
    "user-agent": "Footprint-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(" "),
  };
}

/** The current secret and, for a day after a change, the previous one. */
export function secretsOf(
  { secret, oldSecret, oldSecretUntil }: Pick<typeof webhooks.$inferSelect, "secret" | "oldSecret" | "oldSecretUntil">,
  now: Date,
): string[] {
  return oldSecret && oldSecretUntil && oldSecretUntil > now ? [secret, oldSecret] : [secret];
}
