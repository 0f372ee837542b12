import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { type Found, search } from "@footprint/contract/search.ts";
import { staff } from "@footprint/contract/staff.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, inject, test as onBothEngines } from "vitest";
import { trackingCodes } from "../db/schema.ts";
import { addBulkOrder, addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder } from "../testing/builders.ts";
import { addAccount, call, db } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

type Role = "admin" | "staff";

const find = async (q: string, as: Role = "admin") => (await call(as, search.find, { query: { q } })).body;
const none = { rows: [], total: 0, totalCapped: false };
const one = <Row>(row: Row) => ({ rows: [row], total: 1, totalCapped: false });
const code = "9400111206200000000008";

/** One row of everything, all found by the customer's name or their own. */
async function addBusiness() {
  const customer = await addCustomer({
    username: "kaya83",
    email: "k@inbox.example",
    discordId: "555001",
    balance: 7.5,
  });
  const labelType = await addLabelType({ name: "USPS Ground" });
  const bulkOrder = await addBulkOrder({ customer });
  const order = await addOrder({ customer, labelType, price: 4.2, weight: 6, bulkOrderId: bulkOrder.id });
  const fedexOrder = await addFedexOrder({ customer, price: 30 });
  const invoice = await addInvoice({ customer, amount: 200 });
  const [trackingCode] = await db.insert(trackingCodes).values({ code, type: "express", template: "evs" }).returning();
  const account = await addAccount("kaya.desk", "staff");
  const user = { _id: customer.id, username: "kaya83" };
  const at = ({ createdAt }: { createdAt: Date }) => ({ createdAt: createdAt.toISOString() });
  return {
    customer,
    rows: {
      customers: { ...user, email: "k@inbox.example", status: true, isVerified: true, balance: 7.5, ...at(customer) },
      orders: {
        ...{ _id: order.id, uuid: order.uuid, user, labelType: { name: "USPS Ground" } },
        ...{ weight: 6, price: 4.2, isRefunded: false, ...at(order) },
      },
      bulkOrders: { _id: bulkOrder.id, uuid: bulkOrder.uuid, user, orderCount: 1, ...at(bulkOrder) },
      fedexOrders: {
        ...{ _id: fedexOrder.id, uuid: fedexOrder.uuid, user, status: "Pending", price: 30, ...at(fedexOrder) },
        to: { name: "Lena Okafor", city: "Portland" },
      },
      invoices: {
        ...{ _id: invoice.id, user, amount: 200, payment_method: "cashapp", status: "pending", ...at(invoice) },
      },
      trackings: {
        _id: trackingCode?.id,
        code,
        used: false,
        type: "express",
        template: "evs",
        createdAt: expect.any(String),
      },
      staff: { _id: account.id, username: "kaya.desk", role: "staff", ...at(account) },
    },
  };
}

onBothEngines("one search finds customers, everything of theirs, codes and staff, in short form", async () => {
  const { rows } = await addBusiness();
  const { trackings, ...named } = rows;
  const groups = Object.fromEntries(Object.entries(named).map(([name, row]) => [name, one(row)]));
  expect(await find("kaya")).toEqual({ ...groups, trackings: none });
  expect(await find(code)).toMatchObject({ trackings: one(trackings), customers: none, staff: none });
});

test("what an account may not see, it does not find", async () => {
  const { customer } = await addBusiness();
  expect(await find("kaya", "staff")).toMatchObject({ customers: { total: 1 }, orders: { total: 1 }, staff: none });
  expect(await find(code, "staff")).toMatchObject({ trackings: none });
  expect(await find(customer.discordId)).toMatchObject({ orders: { total: 1 }, fedexOrders: { total: 1 } });
  expect(await find(customer.discordId, "staff")).toMatchObject({ orders: { total: 1 }, fedexOrders: none });
});

test("nothing is searched for by less than two letters", async () => {
  await addBusiness();
  for (const q of ["", "k", " k ", "👩"])
    expect(Object.values(await find(q)), q).toEqual(Array.from({ length: 7 }, () => none));
  expect((await call("staff", search.find)).status).toBe(200);
  expect((await call("staff", search.find, { query: { q: "k".repeat(201) } })).status).toBe(400);
});

test.for<[typed: string, trackings: string[]]>([
  [code, [code, `42012345${code}`]],
  ["9400 1112 0620 0000 0000 08", [code, `42012345${code}`]],
  [code.slice(0, 15), [code, `42012345${code}`, "9400-1112-0620-0000-0000-15"]],
  [code.slice(-15), [code, `42012345${code}`]],
  [`42012345${code}`, [`42012345${code}`]],
  [`42012345${code}`.slice(0, 14), [`42012345${code}`]],
  ["9400111206299", []],
  ["9".repeat(22), ["9".repeat(22)]],
])("more digits than a key has, %s, find the orders with %j", async ([typed, trackings]) => {
  const labelType = await addLabelType({ name: "USPS Ground" });
  const all = [code, `42012345${code}`, "9400-1112-0620-0000-0000-15", "9".repeat(22), "1Z9400111206200000"];
  for (const tracking of all) await addOrder({ labelType, tracking });
  const { body } = await call("staff", orders.list, { query: { search: typed } });
  expect(body.orders.map(({ tracking }) => tracking).sort()).toEqual(trackings.sort());
  expect((await find(typed)).orders.total).toBe(trackings.length);
});

test("what has an id or a code is found by it as the panel shortens it", async () => {
  const { rows } = await addBusiness();
  const other = await addOrder();
  const short = (id: string, between = "…") => `${id.slice(0, 6)}${between}${id.slice(-6)}`;
  for (const [group, id] of [
    ["orders", rows.orders.uuid],
    ["bulkOrders", rows.bulkOrders.uuid],
    ["fedexOrders", rows.fedexOrders.uuid],
    ["trackings", code],
  ] as const) {
    for (const typed of [short(id), short(id, "...")])
      expect((await find(typed))[group], `${group} by ${typed}`).toEqual(one(rows[group]));
    expect((await find(`${id.slice(0, 6)}…${other.id.slice(-6)}`))[group]).toEqual(none);
  }
});

type Counts = { total: number; totalCapped?: boolean };

const lists: [group: keyof Found, list: Endpoint, rows: string][] = [
  ["customers", users.list, "users"],
  ["orders", orders.list, "orders"],
  ["bulkOrders", bulkOrders.list, "orders"],
  ["fedexOrders", fedex.list, "docs"],
  ["invoices", invoices.list, "invoices"],
  ["trackings", tracking.list, "trackings"],
  ["staff", staff.list, "staff"],
];

onBothEngines(
  "the search over everything finds what each list finds: the newest five, and how many there are",
  async () => {
    const { customer, rows } = await addBusiness();
    for (let number = 0; number < 6; number++) {
      await addOrder({ customer, fromName: "Ida%Lens", tracking: `9405${number}1` });
      await addCustomer({ username: `kayak${number}` });
      await addFedexOrder({ customer });
    }
    const terms = ["ka", "kaya", "kayak", "lens", "a%l", "inbox.exa", "9405", "desk", "okafor", "nobody", "..", "9400"];
    terms.push(rows.orders._id, rows.orders.uuid.slice(0, 6), rows.invoices._id, customer.discordId, code.slice(-6));
    for (const term of terms) {
      const found: Found = await find(term);
      for (const [group, list, name] of lists) {
        const { body } = await call("admin", list, { query: { search: term, limit: 5 } } as never);
        const { [name]: listed = [], ...counts } = body as unknown as Record<string, { _id: string }[]>;
        const { total, totalCapped = false } = counts as unknown as Counts;
        const ids = (page: { _id: string }[]) => page.map(({ _id }) => _id);
        expect({ ...found[group], rows: ids(found[group].rows) }, `${group} by ${term}`).toEqual({
          rows: ids(listed),
          total,
          totalCapped,
        });
      }
    }
  },
);

test.for<[typed: string, newest: string[], counts: Counts]>([
  ["many", ["many2600", "many2599", "many2598", "many2597", "many2596"], { total: 100, totalCapped: true }],
  ["some", ["some2500", "some2400", "some2300", "some2200", "some2100"], { total: 24, totalCapped: false }],
  ["past", ["past150", "past149", "past148", "past147", "past146"], { total: 100, totalCapped: true }],
  ["once", ["once3", "once2", "once1"], { total: 3, totalCapped: false }],
  ["none", [], { total: 0, totalCapped: false }],
])("among thousands of rows, %s finds the newest, and counts to a hundred", async ([typed, newest, counts]) => {
  await db.execute(sql`insert into tracking_codes (id, code, type, template, created_at)
    select gen_random_uuid(),
      case when n <= 3 then 'once' when n <= 150 then 'past' when n % 100 = 0 and n < 2600 then 'some' else 'many' end || n,
      'priority', 'evs', now() - interval '1 day' + n * interval '1 second'
    from generate_series(1, 2600) n`);
  const { rows, ...counted } = (await find(typed)).trackings;
  expect({ codes: rows.map((row) => row.code), ...counted }).toEqual({ codes: newest, ...counts });
});
