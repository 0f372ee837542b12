import { sql } from "drizzle-orm";
import { createKey } from "../accounts/api-keys.ts";
import { uuidv7 } from "../db/ids.ts";
import {
  approvals,
  codeBatches,
  events,
  paymentHandles,
  savedViews,
  scheduledPrices,
  statementLines,
  statements,
  trackingCodes,
  unusualEvents,
  webhooks,
} from "../db/schema.ts";
import { tiersUpTo } from "../demo/catalogue.ts";
import { addDeliveries } from "../webhooks/deliveries.ts";
import { newSecret } from "../webhooks/signing.ts";
import { addBulkOrder, addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder } from "./builders.ts";
import { addAccount, db } from "./server.ts";
import type { Known } from "./valid-input.ts";

/** Where a feature's calls get their ids from; features without a line try all ids one after another. */
const idsOf: Record<string, string[]> = {
  orders: ["orders"],
  fedex: ["fedex_orders"],
  users: ["customers"],
  transfers: ["customers", "transfers"],
  invoices: ["invoices"],
  statements: ["statements", "statement_lines"],
  tracking: ["tracking_codes"],
  codeBatches: ["code_batches"],
  labelTypes: ["label_types", "scheduled_prices"],
  staff: ["accounts"],
  views: ["saved_views"],
  passkeys: ["passkeys"],
  unusual: ["unusual_events"],
  approvals: ["approvals"],
  webhooks: ["webhooks", "webhook_deliveries"],
  website: ["api_keys", "files", "payment_handles"],
  storefront: ["orders", "fedex_orders", "invoices"],
};

/** First codes of ranges, as a carrier would issue them. */
const ranges = ["9400000000000000000100", "9400000000000000100008"];

/**
 * Adds a little of everything, so that input can go far; returns for each feature the values that its calls may use.
 */
export async function addSomeOfEverything(): Promise<(feature: string) => Known> {
  const customer = await addCustomer({ balance: 500, customPricingEnabled: true });
  await addCustomer({ verifiedAt: null });
  const tiers = tiersUpTo({ 10: 4, 50: 8.5 });
  const labelType = await addLabelType({ uid: "priority", name: "Priority", tiers });
  const other = await addLabelType({ uid: "other", kind: "shipv2", tiers });
  const codes = Array.from({ length: 20 }, (_, place) => `94000000000000000000${10 + place}`);
  const registered = { type: "priority" as const, template: "evs" as const, createdAt: new Date() };
  const [first = "", last = ""] = [codes[0], codes.at(-1)];
  const [batch] = await db
    .insert(codeBatches)
    .values({ ...registered, first, last, amount: codes.length, actor: "admin" })
    .returning();
  await db.insert(trackingCodes).values(codes.map((code) => ({ code, ...registered, batchId: batch?.id ?? null })));
  await addBulkOrder({ customer });
  for (let number = 0; number < 3; number++) {
    await addOrder({ customer, labelType: other });
    await addFedexOrder({ customer });
    await addInvoice({ customer });
    const { id } = await addAccount(`colleague${number}`, "staff");
    await db
      .insert(savedViews)
      .values({ accountId: id, screen: "orders", name: "Theirs", query: "status=Active", shared: number > 0 });
  }
  await db.insert(scheduledPrices).values({
    labelTypeId: other.id,
    at: new Date(Date.now() + 86_400_000),
    wholeTable: true,
    unit: "lb",
    was: [],
    prices: [],
    actor: "admin",
    actorId: uuidv7(),
  });
  const { id: subject, username: name } = customer;
  const event = { rule: "spend" as const, subject, customerId: subject, name, seen: 90_000, usual: 4_000 };
  await db.insert(unusualEvents).values(["2026-01-01", "2026-01-02", "2026-01-03"].map((day) => ({ ...event, day })));
  const asked = { act: "credit" as const, customerId: subject, customerActive: true, amountCents: 500, reason: "Lost" };
  await db
    .insert(approvals)
    .values(["one", "two", "three"].map((thing) => ({ ...asked, thing, askedBy: subject, askedName: "colleague0" })));
  await db.insert(paymentHandles).values([1, 2].map((number) => ({ number, handle: `$shop${number}`, previous: "" })));
  await addStatement();
  await addWebhooks();
  await db.transaction((tx) => createKey(tx, { name: "Corner shop" }));
  const ids = await idsByTable([...new Set(Object.values(idsOf).flat()), "price_tiers", "shops", "invoices"]);
  return (feature) => ({
    id: (idsOf[feature] ?? Object.keys(ids)).flatMap((table) => ids[table] ?? []),
    price_id: ids.price_tiers ?? [],
    invoice: ids.invoices ?? [],
    shop: ids.shops ?? [],
    labelType: [labelType.id, labelType.uid, other.uid],
    discordId: [customer.discordId],
    trackRef: ranges,
    first: ranges,
    last: ranges,
    // Nothing is sent there, since it leads to this machine.
    url: ["http://127.0.0.1:9/hooks"],
  });
}

/** Three webhooks to which nobody may send, with deliveries. */
async function addWebhooks() {
  const made = await db
    .insert(webhooks)
    .values([1, 2, 3].map((place) => ({ url: `http://127.0.0.1:9/${place}`, secret: newSecret(), position: 0 })))
    .returning();
  const [event] = await db
    .insert(events)
    .values({ id: uuidv7(), type: "codes.low", customerId: null, shopId: null, data: {}, createdAt: new Date() })
    .returning();
  if (event) for (const { id } of made) await db.transaction((tx) => addDeliveries(tx, id, [event]));
}

/** A statement that was read, with three payments that fit nothing. */
async function addStatement() {
  const columns = { date: 0, time: null, zone: null, amount: 1, currency: null, name: 2, email: null, note: null };
  const mapping = {
    source: "cashapp" as const,
    columns: { ...columns, invoice: null, transaction: null, reference: null, type: null, status: null },
    dateOrder: "month first" as const,
    decimal: "." as const,
  };
  const at = new Date("2026-01-31T12:00:00Z");
  const [statement] = await db
    .insert(statements)
    .values({
      file: "january.csv",
      contentHash: "january",
      state: "ready",
      mapping,
      lines: 3,
      read: 3,
      firstAt: at,
      lastAt: at,
      actor: "admin",
    })
    .returning();
  if (!statement) throw new Error("not inserted");
  const payment = { statementId: statement.id, source: mapping.source, content: "the same", at, hasTime: true };
  const said = { amountCents: 2_000, name: "Lena Okafor", email: "", note: "" };
  await db
    .insert(statementLines)
    .values([1, 2, 3].map((place) => ({ ...payment, ...said, line: place + 1, occurrence: place })));
}

async function idsByTable(tables: string[]): Promise<Record<string, string[]>> {
  const read = async (table: string): Promise<[string, string[]]> => {
    const { rows } = await db.execute<{ id: string }>(sql`select id from ${sql.identifier(table)}`);
    return [table, rows.map(({ id }) => id)];
  };
  return Object.fromEntries(await Promise.all(tables.map(read)));
}
