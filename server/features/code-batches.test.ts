import { codeBatches } from "@footprint/contract/code-batches.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { website } from "@footprint/contract/website.ts";
import { asc, eq, isNull } from "drizzle-orm";
import { expect, test } from "vitest";
import { files, trackingCodes } from "../db/schema.ts";
import { checkBooks } from "../money/books.ts";
import { withCheckDigit } from "../money/tracking-codes.ts";
import { addCustomer, addLabelType, someAddresses } from "../testing/builders.ts";
import { formWith, pdf, png } from "../testing/multipart.ts";
import { call, db, logRows, send } from "../testing/server.ts";

const first = withCheckDigit("940011120620000000000");
const second = withCheckDigit("940011120630000000000");
const register = async (
  values: { amount?: number; trackRef?: string; type?: "priority" | "express"; note?: string } = {},
) =>
  (
    await call("admin", tracking.create, {
      body: { amount: 5, type: "priority", trackRef: first, template: "evs", ...values },
    })
  ).body;
const batches = async (query: object = {}) => (await call("admin", codeBatches.list, { query })).body.batches;
const batch = async (id: string) => (await call("admin", codeBatches.read, { params: { id } })).body.batch;
const use = async (amount: number) => {
  const rows = await db
    .select()
    .from(trackingCodes)
    .where(isNull(trackingCodes.usedAt))
    .orderBy(asc(trackingCodes.code))
    .limit(amount);
  for (const { id } of rows) await db.update(trackingCodes).set({ usedAt: new Date() }).where(eq(trackingCodes.id, id));
};

test("a registration is a batch: who, when, which range, where it came from, and how much of it is used", async () => {
  const { batch: id } = await register({ note: " Carrier's order 4711 " });
  const other = await register({ trackRef: second, type: "express", amount: 1 });
  await use(2);
  expect(await batches()).toMatchObject([
    { _id: other.batch, type: "express", amount: 1, left: 1, used: 0, note: "", file: null },
    {
      _id: id,
      type: "priority",
      template: "evs",
      first,
      last: "9400111206200000000046",
      amount: 5,
      left: 3,
      used: 2,
      note: "Carrier's order 4711",
      by: { username: "admin", kind: "account" },
    },
  ]);
  expect(await batches({ search: "4711" })).toMatchObject([{ _id: id }]);
  expect(await batches({ type: "express" })).toMatchObject([{ _id: other.batch }]);
  const [code] = (await call("admin", tracking.list, { query: { batch: id, used: "false" } })).body.trackings;
  await call("admin", tracking.delete, { params: { id: code?._id ?? "" } });
  expect(await batch(id)).toMatchObject({ amount: 5, left: 2, used: 2 });
  expect((await logRows())[0]?.after).toMatchObject({ amount: 5, note: "Carrier's order 4711" });
  const csv = await (await send("admin", codeBatches.export)).text();
  expect(csv.split("\r\n").filter(Boolean)).toHaveLength(3);
});

test("a file shows where codes came from: attached at once or later, replaced, downloaded", async () => {
  const form = formWith({
    amount: "5",
    type: "priority",
    template: "evs",
    trackRef: first,
    note: "Bill attached",
    file: new Blob([pdf]),
  });
  const created = await call("admin", tracking.create, { form } as never);
  expect(created.status).toBe(200);
  const id = created.body.batch;
  const before = await batch(id);
  expect(before).toMatchObject({ amount: 5, note: "Bill attached", file: "label.pdf" });
  const download = await send("admin", codeBatches.file, { params: { id } });
  expect(Buffer.from(await download.arrayBuffer())).toEqual(pdf);

  const update = (fields: Record<string, string | Blob>, version: string) =>
    call("admin", codeBatches.update, {
      params: { id },
      form: formWith(fields, "bill.png"),
      headers: { "if-match": `"${version}"` },
    } as never);
  const saved = await update({ note: "Bill 12", file: new Blob([png]) }, before.version);
  expect(saved).toMatchObject({ status: 200, body: { message: "Batch saved" } });
  expect(await batch(id)).toMatchObject({ note: "Bill 12", file: "bill.png", version: saved.body.version });
  expect(await db.$count(files)).toBe(1);
  expect(await update({ note: "Other" }, before.version)).toMatchObject({
    status: 409,
    body: { conflict: { current: { note: "Bill 12", file: "bill.png" }, changedBy: "admin" } },
  });
  expect((await logRows()).at(-1)).toMatchObject({
    action: `Noted where the batch of 5 priority codes from ${first} on came from`,
    before: { note: "Bill attached", file: "label.pdf" },
    after: { note: "Bill 12", file: "bill.png" },
  });
  const wrong = await call("admin", tracking.create, {
    form: formWith({ amount: "many", type: "priority", template: "evs", trackRef: second }),
  } as never);
  expect([wrong.status, wrong.body.issues[0]?.path]).toEqual([400, "body.amount"]);
});

test("a batch's unused codes are withdrawn", async () => {
  const { batch: id } = await register({ amount: 6 });
  await register({ trackRef: second, amount: 3 });
  await use(2);
  const withdraw = () => call("admin", codeBatches.withdraw, { params: { id } });
  expect(await withdraw()).toMatchObject({
    status: 200,
    body: { message: `Withdrew 4 unused codes of the batch of 6 priority codes from ${first} on`, withdrawn: 4 },
  });
  expect(await batch(id)).toMatchObject({ amount: 6, left: 0, used: 2 });
  expect((await call("admin", tracking.stats)).body).toMatchObject({ left: { priority: 3 }, used: { priority: 2 } });
  expect(await withdraw()).toMatchObject({ status: 409, body: { message: "No code of this batch is left unused" } });
  expect((await logRows()).filter(({ action }) => action.startsWith("Withdrew"))).toMatchObject([
    { before: { amount: 4, last: "9400111206200000000053" }, after: null },
  ]);
});

test("codes that are sold while their batch is withdrawn are either sold or withdrawn", async () => {
  const { key } = (await call("admin", website.createApiKey, { body: { name: "Main shop" } })).body;
  const { discordId } = await addCustomer({ balance: 500 });
  await addLabelType({ uid: "any", codes: "priority", tiers: [[0, 5, 7]] });
  const { batch: id } = await register({ amount: 40 });
  const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US", labelType: "any", weight: 1, discordId };
  const buy = (number: number) =>
    call({ token: key }, storefront.createOrder, { body: parcel, headers: { "idempotency-key": `buy-${number}` } });
  const [withdrawn, ...bought] = await Promise.all([
    buy(0).then(() => call("admin", codeBatches.withdraw, { params: { id } })),
    ...Array.from({ length: 15 }, (_, number) => buy(number)),
  ]);
  const sold = new Set(bought.flatMap(({ status, body }) => (status === 201 ? body.order.tracking : [])));
  // A buyer who comes while the last codes are being withdrawn is asked to try again.
  expect(bought.filter(({ status }) => ![201, 409, 503].includes(status))).toEqual([]);
  expect(sold.size + withdrawn.body.withdrawn).toBe(40);
  expect(await batch(id)).toMatchObject({ left: 0, used: sold.size });
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a code tells its batch and the order that carries it", async () => {
  const { key } = (await call("admin", website.createApiKey, { body: { name: "Main shop" } })).body;
  const customer = await addCustomer({ username: "maren", balance: 500 });
  await addLabelType({ uid: "special", codes: "express", tiers: [[0, 5, 7]] });
  const { batch: id } = await register({ type: "express", note: "Carrier's order 4711" });
  const body = { ...someAddresses, fromCountry: "US", toCountry: "US", labelType: "special", weight: 1 };
  const bought = await call({ token: key }, storefront.createOrder, {
    body: { ...body, discordId: customer.discordId },
    headers: { "idempotency-key": "buy" },
  });
  const { trackings } = (await call("admin", tracking.list, { query: { sort: "asc" } })).body;
  const read = async (place: number) =>
    (await call("admin", tracking.read, { params: { id: trackings[place]?._id ?? "" } })).body;
  expect(await read(0)).toMatchObject({
    tracking: { code: first, used: true, usedAt: expect.any(String) },
    batch: { _id: id, note: "Carrier's order 4711", left: 4, used: 1 },
    order: { _id: bought.body.order._id, uuid: bought.body.order.uuid, user: { _id: customer.id, username: "maren" } },
  });
  expect(await read(1)).toMatchObject({ tracking: { used: false, usedAt: null }, order: null });
  const [old] = await db.insert(trackingCodes).values({ code: second, type: "express", template: "evs" }).returning();
  const unknown = (await call("admin", tracking.read, { params: { id: old?.id ?? "" } })).body;
  expect(unknown).toMatchObject({ tracking: { code: second }, batch: null, order: null });
});
