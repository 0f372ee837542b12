import { pathOf } from "@footprint/contract/endpoint.ts";
import { settingsId } from "@footprint/contract/logs.ts";
import { confirmationFor, inWords, isConfirmed, strangersIn } from "@footprint/contract/payment-qr.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { website } from "@footprint/contract/website.ts";
import { and, count, desc, gt, isNotNull, lte, max, min, sql } from "drizzle-orm";
import { toBeLogged, wasRefused } from "../accounts/attempts.ts";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import { refuseIfChanged, type Seen, versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { paymentHandles, settings } from "../db/schema.ts";
import type { ImageRead } from "./payment-image.ts";

type Settings = Pick<typeof settings.$inferSelect, "cashappId" | "imageFileId">;

/** The payment app's handle and the address of its QR image. */
const cashappOf = ({ cashappId, imageFileId }: Settings) => ({
  cashappId,
  image: imageFileId ? pathOf(website.image, { id: imageFileId }) : null,
});

export const handleVersion = (current: Settings) => versionOf(cashappOf(current));

/** The current handle, for the panel and for shops. */
export async function readCashapp(db: Database) {
  const [current] = await db.select().from(settings);
  return cashappOf(current ?? nothing);
}

const nothing: Settings = { cashappId: "", imageFileId: null };

/** The current handle with its entry in the history; undefined if a server of an earlier version changed it. */
export async function newestHandle(db: Database | Transaction, current: Settings) {
  const [newest] = await db.select().from(paymentHandles).orderBy(desc(paymentHandles.number)).limit(1);
  const isCurrent = newest?.handle === current.cashappId && newest.imageFileId === current.imageFileId;
  return isCurrent ? newest : undefined;
}

/** Locks the settings' row, so that changes of the handle take turns. */
export async function lockHandle(tx: Transaction, seen: Seen) {
  const [current] = await tx.select().from(settings).for("update");
  if (!current) throw new Error("the settings row is missing");
  await refuseIfChanged(tx, seen, settingsId, cashappOf(current));
  return current;
}

type Change = Settings & {
  /** What was read from the image; undefined without an image. */
  image: ImageRead | undefined;
  imageIsOlder: boolean;
  confirmation?: string | undefined;
  /** For the log: the sentence, and the images' names. */
  words: string;
  names: { before: string | null; after: string | null };
};

/** Changes the payment handle, if its QR code pays nobody else or that was confirmed in words; returns the warnings. */
export async function changeHandle(tx: Transaction, actor: Actor, before: Settings, change: Change): Promise<string[]> {
  const { cashappId, imageFileId, image, imageIsOlder, words, names } = change;
  const warnings = image ? warningsOf(actor, cashappId, image, imageIsOlder, change.confirmation) : [];
  await tx.update(settings).set({ cashappId, imageFileId });
  const [last] = await tx.select().from(paymentHandles).orderBy(desc(paymentHandles.number)).limit(1);
  await tx.insert(paymentHandles).values({
    id: uuidv7(),
    number: (last?.number ?? 0) + 1,
    handle: cashappId,
    previous: before.cashappId,
    imageFileId,
    qr: image?.qr ?? [],
    imageIsOlder: imageFileId !== null && imageIsOlder,
    warnings,
    actor: actor.username,
    actorKind: actor.kind,
    actorId: actor.id,
    createdAt: sql`clock_timestamp()`,
  });
  const told = warnings.length > 0 ? `. ${warnings.join(". ")}` : "";
  await record(tx, actor, "website", `Updated the payment settings: ${words}${told}`, {
    before: { cashappId: before.cashappId, image: names.before },
    after: { cashappId, image: names.after, ...(warnings.length > 0 && { warnings }) },
    about: { kind: "payment handle", id: settingsId },
    events: [
      { type: "settings.changed", data: { setting: "payment-handle", cashapp: cashappOf({ cashappId, imageFileId }) } },
    ],
  });
  return warnings;
}

function warningsOf(
  actor: Actor,
  handle: string,
  { qr, drawn }: ImageRead,
  imageIsOlder: boolean,
  said: string | undefined,
) {
  const strangers = strangersIn(qr, handle);
  if (strangers.length > 0 && !isConfirmed(strangers, said)) {
    const confirmWith = confirmationFor(strangers);
    const words = `The image's QR code ${inWords(strangers)}, not ${handle || "a handle: there is none"}`;
    const refused = refusal(409, `${words}. If that is meant, confirm it with the words: ${confirmWith}`, {
      confirmWith,
    });
    const action = `${wasRefused}change the payment settings: ${words}`;
    throw toBeLogged(refused, actor, [
      "website",
      action,
      { after: { cashappId: handle, qr }, about: settingsThemselves },
    ]);
  }
  const isProven = qr.length > 0 && strangers.length === 0;
  return [
    ...(strangers.length > 0 ? [`The image's QR code ${inWords(strangers)}`] : []),
    ...(qr.length === 0 ? ["No QR code could be read in the image"] : []),
    ...(drawn ? [] : ["The image could not be opened here and is shown as it was sent"]),
    ...(imageIsOlder && !isProven ? ["The image is older than the handle"] : []),
  ];
}

/** The settings instead of the handle, which did not change, so that nobody is told of a new one. */
const settingsThemselves = { kind: "settings" as const, id: settingsId };

/** The number of the newest handle that is older than a week. */
const newestBeforeTheWeek = (db: Database) =>
  db
    .select({ number: paymentHandles.number })
    .from(paymentHandles)
    .where(lte(paymentHandles.createdAt, sql`now() - interval '7 days'`))
    .orderBy(desc(paymentHandles.number))
    .limit(1);

/**
 * All changes of the payment handle in the last week, so that somebody who was away misses none and later ones hide
 * none.
 */
export async function recentHandleChanges(db: Database) {
  const { number, handle, previous, actor, warnings, createdAt } = paymentHandles;
  const byActor = await prepared(db, "recent handles", () =>
    db
      .select({
        actor,
        changes: count(),
        warnings: sql`sum(cardinality(${warnings}))`.mapWith(Number),
        first: min(number),
        from: sql<string>`(array_agg(${previous} order by ${number}))[1]`,
        to: sql<string>`(array_agg(${handle} order by ${number} desc))[1]`,
        createdAt: max(createdAt),
      })
      .from(paymentHandles)
      // Found by their numbers, so that only the last week's are read.
      .where(and(isNotNull(actor), gt(number, sql`coalesce((${newestBeforeTheWeek(db)}), 0)`)))
      .groupBy(actor)
      .orderBy(desc(max(number)))
      .prepare(""),
  ).execute();
  const [newest] = byActor;
  const [oldest] = byActor.toSorted((a, b) => (a.first ?? 0) - (b.first ?? 0));
  if (!newest?.createdAt || !oldest) return null;
  return {
    from: oldest.from,
    to: newest.to,
    by: byActor.map(({ actor }) => actor ?? ""),
    changes: byActor.reduce((sum, { changes }) => sum + changes, 0),
    warnings: byActor.reduce((sum, { warnings }) => sum + warnings, 0),
    createdAt: newest.createdAt,
  };
}
