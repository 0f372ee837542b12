import { setTimeout } from "node:timers/promises";
import { Gauge, type Registry } from "prom-client";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { lastBackup } from "../lists/last-backup.ts";
import { booksFigures } from "../money/books.ts";
import { outboxFigures } from "../outbox/numbering.ts";
import { webhookFigures } from "../webhooks/deliveries.ts";
import { expectReady } from "./health.ts";

type Asked = Pick<Config, "backups" | "timeouts">;

/** Figures from the database, the same on every server. One after the other, since its connections are for calls. */
async function figuresOf(db: Database, { backups }: Asked) {
  return {
    webhooks: await webhookFigures(db),
    outbox: await outboxFigures(db),
    books: await booksFigures(db),
    backup: backups && (await lastBackup(db, backups, new Date())),
  };
}
type Figures = Awaited<ReturnType<typeof figuresOf>>;

async function ask(db: Database, asked: Asked): Promise<{ isReady: boolean; figures?: Figures }> {
  try {
    await expectReady(db);
  } catch {
    return { isReady: false };
  }
  try {
    return { isReady: true, figures: await figuresOf(db, asked) };
  } catch {
    return { isReady: true };
  }
}

/** Adds these to the metrics. Returns a function that refreshes them. */
export function watchDatabase(db: Database, config: Asked, registry: Registry): () => Promise<void> {
  const registers = [registry];
  const ready = new Gauge({
    name: "footprint_ready",
    help: "1 where this server is ready for calls, as /readyz tells; 0 while the database is away or takes no changes",
    registers,
  });
  const each = [
    figure("outbox_waiting", "Events that wait to be numbered, at most 1,000 counted", (f) => f.outbox.waiting),
    figure("outbox_oldest_seconds", "How long what waits longest has waited to be numbered", (f) => f.outbox.seconds),
    figure(
      "webhook_waiting",
      "Events that wait to be sent to webhooks that are not paused, at most 1,000 counted of each webhook",
      (f) => f.webhooks.waiting,
    ),
    figure(
      "webhook_oldest_seconds",
      "How long what waits longest has waited to be sent to a webhook that is not paused",
      (f) => f.webhooks.seconds,
    ),
    figure("books_problems", "What the last check of the books found wrong", (f) => f.books.problems),
    figure("books_checked_timestamp_seconds", "When the books were last checked", (f) => inSeconds(f.books.checkedAt)),
  ];
  const every = config.backups?.every;
  if (every)
    each.push(
      figure("backup_every_seconds", "How often a backup is to be made", () => every),
      figure(
        "backup_taken_timestamp_seconds",
        "When the last backup was begun that was restored for a check; 0 where there is none",
        (f) => inSeconds(f.backup?.takenAt ?? new Date(0)),
      ),
      figure("backup_failed", "1 where the newest backup failed, or its check did", (f) => (f.backup?.problem ? 1 : 0)),
    );
  const shown = each.map(({ name, help, read }) => ({ gauge: new Gauge({ name, help, registers }), read }));
  const paused = new Gauge({
    name: "footprint_webhooks_paused",
    help: "Webhooks that are paused: by themselves after three days of failures, or by hand",
    labelNames: ["by"],
    registers,
  });

  let asking: ReturnType<typeof ask> | undefined;
  return async () => {
    asking ??= ask(db, config).finally(() => {
      asking = undefined;
    });
    // While the database is away these are unknown, and all other metrics are reported.
    const answer = await Promise.race([asking, setTimeout(config.timeouts.ready, undefined, { ref: false })]);
    ready.set(answer?.isReady ? 1 : 0);
    const figures = answer?.figures;
    for (const { gauge, read } of shown) gauge.set(figures ? read(figures) : Number.NaN);
    paused.set({ by: "itself" }, figures?.webhooks.pausedByItself ?? Number.NaN);
    paused.set({ by: "hand" }, figures?.webhooks.pausedByHand ?? Number.NaN);
  };
}

const figure = (name: string, help: string, read: (figures: Figures) => number) => ({
  name: `footprint_${name}`,
  help,
  read,
});

const inSeconds = (moment: Date | null) => (moment ? moment.getTime() / 1000 : Number.NaN);
