import { approvalStatuses, approvals } from "@footprint/contract/approvals.ts";
import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { codeBatches } from "@footprint/contract/code-batches.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { fedex, fedexStatuses, openStatuses } from "@footprint/contract/fedex.ts";
import { invoiceStatuses, invoices } from "@footprint/contract/invoices.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { staff } from "@footprint/contract/staff.ts";
import { tracking, trackingTemplates, trackingTypes } from "@footprint/contract/tracking.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { unusual, unusualRules } from "@footprint/contract/unusual.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import * as schema from "../db/schema.ts";
import { seededRandom } from "../demo/random.ts";
import { addCustomer, addLabelType, addOrder, someAddresses } from "../testing/builders.ts";
import { call, db, moveBusinessTo } from "../testing/server.ts";
import { today } from "./counters.ts";

const timezone = "America/New_York";
/** Includes both changes of the clocks: on the first of November one hour came twice. */
const days = ["2026-03-07", "2026-03-08", "2026-03-09", "2026-10-31", "2026-11-01", "2026-11-02"];
const people = ["anna.k", "boris", "annabel", "chidi", "dora"];

type Row = { id: string; createdAt: Date; found: string } & Record<string, unknown>;
type Counted = { total: number; totalPages: number; totalCapped?: boolean };
type Filter = { values: string[]; fits: (row: Row, value: string) => boolean };

const oneOf = (field: string, values: readonly string[], none?: string): Filter => ({
  values: [...values, ...(none ? [none] : [])],
  fits: (row, value) => value === none || row[field] === value,
});
const whether = (fits: (row: Row) => boolean): Filter => ({
  values: ["true", "false"],
  fits: (row, value) => String(fits(row)) === value,
});

/** Ids that a test knows beforehand; one of each belongs to nobody. */
const ids = (amount: number) => Array.from({ length: amount }, () => uuidv7());
const customerIds = ids(people.length);
const labelTypeIds = ids(2);
const shopIds = ids(2);
const accountIds = ids(2);
const subjectIds = ids(3);
const batchIds = ids(2);
const customer = oneOf("customerId", [...customerIds, uuidv7()]);

type Listed = { list: Endpoint; rows: () => Promise<Row[]>; filters: Record<string, Filter>; searches: string[] };

const usernameOf = (id: unknown) => people[customerIds.indexOf(id as string)] ?? "";
const named = (row: { customerId: string; fromName?: string; toName?: string }) =>
  [usernameOf(row.customerId), row.fromName, row.toName].join("\n").toLowerCase();

const lists: Record<string, Listed> = {
  orders: {
    list: orders.list,
    rows: async () => {
      const joined = new Map((await db.select().from(schema.customers)).map((row) => [row.id, row.createdAt]));
      return (await db.select().from(schema.orders)).map((row) => ({
        ...row,
        joined: joined.get(row.customerId),
        found: named(row),
      }));
    },
    filters: {
      customer,
      shop: {
        values: [...shopIds, uuidv7(), "unknown"],
        fits: (row, value) => row.shopId === (value === "unknown" ? null : value),
      },
      customers: {
        values: ["new", "returning"],
        fits: ({ createdAt, joined }, value) =>
          createdAt.getTime() - (joined as Date).getTime() < 30 * 86_400_000 === (value === "new"),
      },
      labelType: oneOf("labelTypeId", [...labelTypeIds, uuidv7()]),
      status: {
        values: ["All", "Active", "Refunded"],
        fits: (row, value) => value === "All" || (row.refundedAt !== null) === (value === "Refunded"),
      },
    },
    searches: ["anna", "okafor", "olu", "nobody"],
  },
  "bulk orders": {
    list: bulkOrders.list,
    rows: async () => (await db.select().from(schema.bulkOrders)).map((row) => ({ ...row, found: named(row) })),
    filters: { customer },
    searches: ["anna", "chidi"],
  },
  "fedex orders": {
    list: fedex.list,
    rows: async () => (await db.select().from(schema.fedexOrders)).map((row) => ({ ...row, found: named(row) })),
    filters: {
      customer,
      filter: {
        values: ["All", "Open", ...fedexStatuses],
        fits: (row, value) =>
          value === "All" ||
          row.status === value ||
          (value === "Open" && openStatuses.some((one) => one === row.status)),
      },
    },
    searches: ["anna", "okafor", "boris"],
  },
  users: {
    list: users.list,
    rows: async () => (await db.select().from(schema.customers)).map((row) => ({ ...row, found: row.username })),
    filters: {
      verified: whether((row) => row.verifiedAt !== null),
      customPricing: whether((row) => row.customPricingEnabled === true),
      withBalance: whether((row) => row.balanceCents !== 0),
    },
    searches: ["anna", "dora"],
  },
  "new users": {
    list: users.listNew,
    rows: async () => {
      const rows = (await db.select().from(schema.customers)).filter((row) => row.verifiedAt === null);
      return rows.map((row) => ({ ...row, found: row.username }));
    },
    filters: { declined: whether((row) => row.active === false) },
    searches: ["anna", "dora"],
  },
  invoices: {
    list: invoices.list,
    rows: async () => (await db.select().from(schema.invoices)).map((row) => ({ ...row, found: named(row) })),
    filters: {
      customer,
      method: oneOf("paymentMethod", ["cashapp", "paypal"]),
      status: oneOf("status", invoiceStatuses, "All"),
    },
    searches: ["anna", "boris"],
  },
  "tracking codes": {
    list: tracking.list,
    rows: async () => (await db.select().from(schema.trackingCodes)).map((row) => ({ ...row, found: row.code })),
    filters: {
      type: oneOf("type", trackingTypes),
      template: oneOf("template", trackingTemplates),
      batch: oneOf("batchId", [...batchIds, uuidv7()]),
      used: whether((row) => row.usedAt !== null),
    },
    searches: ["9400", "9500", "9600"],
  },
  "batches of codes": {
    list: codeBatches.list,
    rows: async () =>
      (await db.select().from(schema.codeBatches)).map((row) => ({
        ...row,
        found: `${row.note}\n${row.first}`.toLowerCase(),
      })),
    filters: { type: oneOf("type", trackingTypes) },
    searches: ["carrier", "9400"],
  },
  logs: {
    list: logs.list,
    rows: async () =>
      (await db.select().from(schema.logs)).map((row) => ({
        ...row,
        found: `${row.admin}\n${row.action}`.toLowerCase(),
      })),
    filters: {
      by: oneOf("actorId", [...accountIds, uuidv7()]),
      subject: oneOf("subjectId", subjectIds),
      customer,
      status: oneOf("type", ["refund", "user", "label"], "All"),
    },
    searches: ["maren", "refunded", "label"],
  },
  approvals: {
    list: approvals.list,
    rows: async () =>
      (await db.select().from(schema.approvals)).map((row) => ({
        ...row,
        found: `${row.askedName}\n${usernameOf(row.customerId)}`.toLowerCase(),
      })),
    filters: {
      customer,
      by: oneOf("askedBy", [...accountIds, uuidv7()]),
      status: oneOf("status", approvalStatuses, "All"),
    },
    searches: ["anna", "support"],
  },
  "unusual events": {
    list: unusual.list,
    rows: async () =>
      (await db.select().from(schema.unusualEvents)).map((row) => ({
        ...row,
        found: `${row.name}\n${usernameOf(row.customerId)}`.toLowerCase(),
      })),
    filters: {
      customer,
      rule: oneOf("rule", unusualRules),
      status: {
        values: ["All", "open", "dismissed"],
        fits: (row, value) => value === "All" || (row.dismissedAt !== null) === (value === "dismissed"),
      },
    },
    searches: ["anna", "wharf"],
  },
};

const random = seededRandom(40);
const { pick, chance, between } = random;
/** On one of the days, often at its very beginning or end. */
const moment = () => {
  const start = Date.parse(`${pick(days)}T${pick(["04", "05"])}:00:00Z`);
  return new Date(start + pick([-1, 0, 1, between(0, 86_400_000)]));
};
const some = <T>(amount: number, make: (number: number) => T) =>
  Array.from({ length: amount }, (_, number) => make(number));

async function furnish() {
  await moveBusinessTo(timezone);
  await db.insert(schema.customers).values(
    people.map((username, number) => ({
      id: customerIds[number] as string,
      username,
      discordId: `${number}`,
      createdAt: moment(),
      verifiedAt: chance(0.5) ? new Date() : null,
      customPricingEnabled: chance(0.5),
      active: chance(0.5),
      balanceCents: pick([0, 100]),
    })),
  );
  for (const id of labelTypeIds) await addLabelType({ id });
  const belonging = () => ({ id: uuidv7(), customerId: pick(customerIds), createdAt: moment() });
  const addresses = () => ({
    ...someAddresses,
    fromCountry: "US",
    toCountry: "US",
    fromName: pick(["Olu", "Ida"]),
    toName: pick(["L. Okafor", "Ann"]),
  });
  const order = () => ({ ...belonging(), ...addresses(), labelTypeId: pick(labelTypeIds), weight: 1, priceCents: 5 });
  await db.insert(schema.orders).values(
    some(60, () => ({
      ...order(),
      shopId: pick([...shopIds, null]),
      refundedAt: chance(0.3) ? new Date() : null,
    })),
  );
  await db.insert(schema.bulkOrders).values(some(30, belonging));
  const parcel = { weight: 1, length: 1, width: 1, height: 1, dimensionUnit: "in", weightUnit: "lb" };
  await db
    .insert(schema.fedexOrders)
    .values(some(40, () => ({ ...belonging(), ...addresses(), ...parcel, status: pick(fedexStatuses) })));
  await db.insert(schema.invoices).values(
    some(50, () => {
      const status = pick(invoiceStatuses);
      const paidAt = status === "paid" ? new Date() : null;
      const paymentMethod = pick(["cashapp", "paypal"] as const);
      return { ...belonging(), amountCents: 100, paymentMethod, status, paidAt };
    }),
  );
  await db.insert(schema.trackingCodes).values(
    some(60, (number) => ({
      code: `${pick(["94", "95"])}00${number}`,
      type: pick(trackingTypes),
      template: pick(trackingTemplates),
      batchId: pick([...batchIds, null]),
      usedAt: chance(0.5) ? new Date() : null,
      createdAt: moment(),
    })),
  );
  const dismissal = { dismissedAt: new Date(), dismissedBy: uuidv7(), dismissedName: "maren", dismissedBecause: "No" };
  await db.insert(schema.unusualEvents).values(
    some(40, () => ({
      rule: pick(unusualRules),
      subject: uuidv7(),
      day: pick(days),
      name: pick(["88 Wharf Rd, Portland", "annabel"]),
      customerId: pick([...customerIds, null]),
      seen: 5,
      createdAt: moment(),
      ...(chance(0.4) && dismissal),
    })),
  );
  await db.insert(schema.approvals).values(
    some(40, (number) => {
      const status = pick(approvalStatuses);
      const decision = { decidedBy: uuidv7(), decidedName: "tobias", decidedAt: new Date() };
      return {
        ...belonging(),
        ...{ act: "credit" as const, thing: `${number}`, customerActive: true, amountCents: 5, reason: "Lost" },
        ...{ askedBy: pick(accountIds), askedName: pick(["support.day", "ida"]), status },
        ...(status !== "waiting" && status !== "expired" && decision),
      };
    }),
  );
  await db.insert(schema.codeBatches).values(
    some(30, (number) => ({
      type: pick(trackingTypes),
      template: "evs" as const,
      first: `${pick(["94", "95"])}00${number}`,
      last: "9600",
      amount: 1,
      note: pick(["Carrier's order", "Old stock"]),
      createdAt: moment(),
    })),
  );
  await db.insert(schema.logs).values(
    some(60, () => ({
      admin: pick(["maren", "tobias"]),
      actorId: pick([...accountIds, null]),
      type: pick(["refund", "user", "label"] as const),
      action: pick(["Refunded an order", "Created a label type"]),
      subjectKind: "order" as const,
      subjectId: pick(subjectIds),
      customerId: pick([...customerIds, null]),
      createdAt: moment(),
    })),
  );
}

function expected(rows: Row[], { filters }: Listed, query: Record<string, string>) {
  const { search = "", from = "", to = "9", sort, ...asked } = query;
  const fitting = rows.filter((row) => {
    const day = today({ timezone }, row.createdAt);
    const isAsked = Object.entries(asked).every(([name, value]) => filters[name]?.fits(row, value));
    return isAsked && day >= from && day <= to && row.found.includes(search);
  });
  const key = (row: Row) => row.createdAt.toISOString() + row.id;
  const inOrder = fitting.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return (sort === "asc" ? inOrder : inOrder.reverse()).map(({ id }) => id);
}

/** A random combination of some of the filters. */
function someQuery({ filters, searches }: Listed): Record<string, string> {
  const query: Record<string, string> = { sort: pick(["asc", "des"]) };
  for (const [name, { values }] of Object.entries(filters)) if (chance(0.35)) query[name] = pick(values);
  if (chance(0.4)) query.from = pick(days);
  if (chance(0.4)) query.to = pick(days);
  if (chance(0.3)) query.search = pick(searches);
  return query;
}

type Reply = Counted & Record<string, unknown>;
const page = async (list: Endpoint, query: object) =>
  (await call("admin", list, { query } as never)).body as unknown as Reply;
const idsIn = (reply: Reply) => (Object.values(reply).find(Array.isArray) as { _id: string }[]).map(({ _id }) => _id);

async function everyPage(list: Endpoint, query: object) {
  const first = await page(list, query);
  const found = idsIn(first);
  for (let number = 2; number <= first.totalPages; number++)
    found.push(...idsIn(await page(list, { ...query, page: number })));
  return { ids: found, total: first.total, isCapped: first.totalCapped ?? false };
}

// A few lists are enough to show that the engines agree.
test.for(Object.entries(lists).slice(0, inject("embeddedDump") ? 3 : undefined))(
  "%s: any filters together leave the rows that meet them all",
  async ([, listed]) => {
    await furnish();
    const rows = await listed.rows();
    // Each filter by itself, then several at once.
    const mixed = inject("embeddedDump") ? 8 : 25;
    const alone = Object.entries(listed.filters).flatMap(([name, { values }]) =>
      values.map((value) => ({ [name]: value })),
    );
    for (const query of [{}, ...alone, ...some(mixed, () => someQuery(listed))]) {
      const wanted = expected(rows, listed, query);
      const answer = await everyPage(listed.list, { ...query, limit: 15 });
      expect(answer, JSON.stringify(query)).toEqual({ ids: wanted, total: wanted.length, isCapped: false });
    }
    const all = expected(rows, listed, {});
    const few = all.slice(0, 12);
    const beside = { search: "nobody", page: 2, limit: 1 };
    const named = await page(listed.list, { ids: [uuidv7(), ...few.toReversed()].join(), ...beside });
    expect([idsIn(named), named.total, named.totalPages]).toEqual([few, few.length, 1]);
  },
);

test("customers, transfers and accounts that are asked for by their ids are those of the list alone", async () => {
  const [patron, other] = [await addCustomer({ verifiedAt: null }), await addCustomer()];
  for (const { id } of [patron, other]) await call("staff", users.addBalance, { params: { id }, body: { balance: 5 } });
  const moved = await db.select().from(schema.transfers);
  const people = await db.select().from(schema.accounts);
  const idsOfRows = (rows: { id: string }[]) => rows.map(({ id }) => id).join();
  const found = async (list: Endpoint, ids: string, params = {}) => {
    const { body } = await call("admin", list, { params, query: { ids, limit: 1 } } as never);
    return idsIn(body as unknown as Reply).sort();
  };
  expect(await found(users.listNew, idsOfRows([patron, other]))).toEqual([patron.id]);
  expect(await found(transfers.list, idsOfRows(moved))).toEqual(moved.map(({ id }) => id).sort());
  const own = moved.filter(({ customerId }) => customerId === patron.id).map(({ id }) => id);
  expect(await found(transfers.history, idsOfRows(moved), { id: patron.id })).toEqual(own);
  expect(await found(staff.list, idsOfRows(people))).toEqual(people.map(({ id }) => id).sort());
  for (const ids of ["", "all", `${patron.id},${patron.id}`, Array.from({ length: 101 }, uuidv7).join()])
    expect((await call("admin", staff.list, { query: { ids } as never })).status, ids).toBe(400);
});

test("customers who wait for verification can be narrowed to a period", async () => {
  await moveBusinessTo(timezone);
  const waiting = await addCustomer({ verifiedAt: null, createdAt: new Date("2026-11-01T12:00:00Z") });
  await addCustomer({ createdAt: new Date("2026-11-01T12:00:00Z") });
  const found = async (day: string) => everyPage(users.listNew, { from: day, to: day });
  expect(await found("2026-11-01")).toEqual({ ids: [waiting.id], total: 1, isCapped: false });
  expect(await found("2026-11-02")).toEqual({ ids: [], total: 0, isCapped: false });
});

test("a business day begins and ends by the business's clocks, also when these change", async () => {
  // Havana's clocks went back from one o'clock to midnight: the hour after midnight came twice.
  await moveBusinessTo("America/Havana");
  const at = async (time: string) => (await addOrder({ createdAt: new Date(time) })).id;
  const before = await at("2025-11-02T03:59:59.999Z");
  const within = [
    await at("2025-11-02T04:00:00Z"),
    await at("2025-11-02T05:30:00Z"),
    await at("2025-11-03T04:59:59.999Z"),
  ];
  const after = await at("2025-11-03T05:00:00Z");
  const found = async (query: object) => everyPage(orders.list, { sort: "asc", ...query });
  const exactly = (rows: string[]) => ({ ids: rows, total: rows.length, isCapped: false });
  expect(await found({ from: "2025-11-02", to: "2025-11-02" })).toEqual(exactly(within));
  expect(await found({ to: "2025-11-01" })).toEqual(exactly([before]));
  expect(await found({ from: "2025-11-03" })).toEqual(exactly([after]));
});

test("a period that ends before it begins is empty, and a day that never was is refused", async () => {
  await addOrder();
  for (const query of [{}, { search: "len" }, { customer: uuidv7() }])
    expect(await page(orders.list, { ...query, from: "2026-02-02", to: "2026-02-01" })).toMatchObject({
      orders: [],
      total: 0,
      totalPages: 1,
    });
  expect(await page(orders.list, { from: "0001-01-01", to: "9999-12-31" })).toMatchObject({ total: 1 });
  for (const from of ["0000-01-01", "2026-02-30", "2026-2-1", "today", "infinity"])
    expect((await call("admin", orders.list, { query: { from } })).status, from).toBe(400);
});

/** Four at every moment, around the hour that Havana's clocks show twice, and within two months before. */
const scattered = sql`timestamptz '2025-11-01 20:00Z' + n / 4 * interval '1 minute' - n / 4 % 3 * interval '32 days'`;

const combinations = [
  { sort: "asc", from: "2025-09-30" },
  { sort: "asc", from: "2025-08-30", to: "2025-11-02" },
  { sort: "des", to: "2025-11-01" },
  { sort: "des", from: "2025-08-30", to: "2025-11-02" },
];

/** The ids of rows in order, by the database alone. */
async function idsOf(table: string, { sort, from, to }: { sort: string; from?: string; to?: string }, where: string) {
  const direction = sort === "asc" ? "asc" : "desc";
  const { rows } = await db.execute<{ id: string }>(
    sql.raw(`select id from ${table} where ${where} and business_day(created_at) between '${from ?? "-infinity"}' and
      '${to ?? "infinity"}' order by created_at ${direction}, id ${direction}`),
  );
  return rows.map(({ id }) => id);
}

/** Compares the first pages, the last ones, and half of those in between with the wanted rows. */
async function expectFarPages(list: Endpoint, query: object, wanted: string[]) {
  const size = 100;
  const last = Math.max(1, Math.ceil(wanted.length / size));
  for (let number = 1; number <= last + 1; number++) {
    if (number % 4 > 1 && number < last - 1) continue;
    const answer = await page(list, { ...query, limit: size, page: number });
    expect([idsIn(answer), answer.total, answer.totalCapped ?? false], JSON.stringify([query, number])).toEqual([
      wanted.slice((number - 1) * size, number * size),
      wanted.length,
      false,
    ]);
  }
}

/** Both engines have the same planner, and many rows take long. */
const onOneEngine = test.skipIf(inject("embeddedDump"));

onOneEngine("far pages of a period: every row once and in order", async () => {
  await moveBusinessTo("America/Havana");
  await db.execute(sql`insert into logs (id, admin, type, action, created_at)
    select gen_random_uuid(), 'admin', (array['user', 'label'])[1 + n % 2], 'Row ' || n, ${scattered}
    from generate_series(1, 2800) n`);
  for (const settle of [sql`select`, sql`call fold_counters()`]) {
    await db.execute(settle);
    for (const query of combinations)
      for (const status of ["All", "user"]) {
        const wanted = await idsOf("logs", query, status === "All" ? "true" : `type = '${status}'`);
        await expectFarPages(logs.list, { ...query, status }, wanted);
      }
  }
});

onOneEngine("far pages of one type of codes, used or not", async () => {
  await moveBusinessTo("America/Havana");
  await db.execute(sql`insert into tracking_codes (id, code, type, template, used_at, created_at)
    select gen_random_uuid(), 'code' || n, (array['priority', 'express'])[1 + n / 2 % 2], 'evs',
      case when n % 2 = 0 then now() end, ${scattered} from generate_series(1, 4400) n`);
  for (const query of combinations)
    for (const [filter, where] of [
      [{ type: "priority" }, "type = 'priority'"],
      [{ used: "true" }, "used_at is not null"],
      [{ type: "express", used: "false" }, "type = 'express' and used_at is null"],
    ] as const) {
      const wanted = await idsOf("tracking_codes", query, where);
      await expectFarPages(tracking.list, { ...query, ...filter }, wanted);
    }
});

/** Orders of one customer and label type, refunded every tenth, a minute apart. */
async function addOrders(amount: number) {
  const [customer, labelType] = [await addCustomer({ username: "busy" }), await addLabelType()];
  await db.execute(sql`insert into orders (id, customer_id, label_type_id, price_cents, weight, from_name, from_street,
      from_city, from_state, from_zip, from_country, to_name, to_street, to_city, to_state, to_zip, to_country,
      refunded_at, created_at)
    select gen_random_uuid(), ${customer.id}, ${labelType.id}, 100, 1, 'Sender', '', '', '', '', '', 'Receiver', '', '',
      '', '', '', case when n % 10 = 0 then now() end, timestamptz '2026-01-01' + n * interval '1 minute'
    from generate_series(1, ${amount}::int) n`);
  return { customer: customer.id, labelType: labelType.id };
}

onOneEngine(
  "a label type is counted exactly, however many orders it has; a customer's orders up to a thousand",
  async () => {
    const { customer, labelType } = await addOrders(2_500);
    await addOrder();
    expect(await page(orders.list, { labelType: labelType.toUpperCase() })).toMatchObject({ total: 2_500 });
    expect(await page(orders.list, { labelType, from: "2026-01-02", to: "2026-01-02" })).toMatchObject({
      total: 1_061,
    });
    const wanted = await idsOf("orders", { sort: "des" }, `label_type_id = '${labelType}'`);
    await expectFarPages(orders.list, { labelType }, wanted);
    for (const query of [
      { customer },
      { customer, labelType },
      { labelType, status: "Active" },
      { customer, search: "rece" },
    ]) {
      expect(await page(orders.list, query), JSON.stringify(query)).toMatchObject({ total: 1_000, totalCapped: true });
      expect(idsIn(await page(orders.list, { ...query, page: 100 }))).toHaveLength(10);
      expect(idsIn(await page(orders.list, { ...query, page: 101 }))).toEqual([]);
    }
    expect(await page(orders.list, { customer, status: "Refunded" })).toMatchObject({ total: 250, totalCapped: false });
    expect(await page(orders.list, { customer, to: "2026-01-01" })).toMatchObject({ total: 1_000, totalCapped: true });
    expect(await page(orders.list, { customer, from: "2026-01-02" })).toMatchObject({
      total: 1_000,
      totalCapped: true,
    });
    expect(await page(orders.list, { customer, from: "2026-01-02", status: "Refunded", sort: "asc" })).toMatchObject({
      total: 107,
      totalCapped: false,
    });
  },
);

onOneEngine("what is rare is found among very many rows of a customer, by its name and by its code", async () => {
  const { customer, labelType } = await addOrders(3_000);
  const rare = await addOrder({
    customer: { id: customer },
    labelType: { id: labelType },
    toName: "Xaver Quist",
    tracking: "9400111899223344556677",
    createdAt: new Date("2025-12-31T12:00:00Z"),
  });
  await addOrder({ toName: "Xaver Quist" });
  for (const query of [{ search: "quist" }, { search: "94001118" }, { search: "busy", to: "2025-12-31" }])
    for (const filter of [{ customer }, { customer, status: "Active" }, { labelType }])
      expect(await everyPage(orders.list, { ...query, ...filter }), JSON.stringify([query, filter])).toEqual({
        ids: [rare.id],
        total: 1,
        isCapped: false,
      });
  expect(await page(orders.list, { search: "quist", customer, status: "Refunded" })).toMatchObject({ total: 0 });
});
