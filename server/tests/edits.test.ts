import { randomUUID } from "node:crypto";
import { codeBatches } from "@footprint/contract/code-batches.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { staff } from "@footprint/contract/staff.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import type { Conflict } from "@footprint/contract/versions.ts";
import { website } from "@footprint/contract/website.ts";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import * as tables from "../db/schema.ts";
import { addCustomer, addFedexOrder, addLabelType } from "../testing/builders.ts";
import { formWith, pdf, png } from "../testing/multipart.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db, logRows } from "../testing/server.ts";

type Answer = { status: number; body: { message: string; version?: string; conflict?: Conflict } };
type Caller = Parameters<typeof call>[0];

/** A thing that can be edited. */
type Thing = {
  read: () => Promise<{ version: string } & Record<string, unknown>>;
  /** Two edits of different fields, and the result of each, in the form of `current`. */
  edits: [Edit, Edit];
  row: { table: Parameters<typeof meetAt>[0]; id: string | boolean };
  gone?: (headers?: Record<string, string>) => Promise<Answer>;
};
type Edit = { send: (as: Caller, headers?: Record<string, string>) => Promise<Answer>; makes: Record<string, unknown> };

const sent = (as: Caller, endpoint: Endpoint, input: object): Promise<Answer> =>
  call(as, endpoint, input as never) as never;
const seen = (version: string) => ({ "if-match": `"${version}"` });
const thePrice = async (id: string) => {
  const { prices } = (await call("admin", labelTypes.read, { params: { id } })).body.labelType;
  if (!prices[0]) throw new Error("there is one");
  return prices[0];
};

const things = {
  async "a label type"(): Promise<Thing> {
    const { id } = await addLabelType({ name: "Ground", uid: "ground", maxWeight: 70 });
    const params = { id };
    const was = { name: "Ground", uid: "ground", maxWeight: 70, type: "usps", codes: null };
    const edit = (change: object): Edit => ({
      send: (as, headers) => sent(as, labelTypes.update, { params, body: { ...was, ...change }, headers }),
      makes: { ...was, ...change },
    });
    return {
      read: async () => (await call("admin", labelTypes.read, { params })).body.labelType,
      edits: [edit({ name: "Ground Plus" }), edit({ maxWeight: 50 })],
      row: { table: tables.labelTypes, id },
    };
  },

  async "a price of a label type"(): Promise<Thing> {
    const { id } = await addLabelType({ maxWeight: 70, tiers: [[0, 5, 4.2]] });
    const params = { id };
    const { _id: price_id } = await thePrice(id);
    const was = { fromWeight: 0, toWeight: 5, price: 4.2 };
    const edit = (change: object): Edit => ({
      send: (as, headers) =>
        sent(as, labelTypes.updateTier, { params, body: { price_id, ...was, ...change }, headers }),
      makes: { ...was, ...change },
    });
    return {
      read: () => thePrice(id),
      edits: [edit({ price: 4.5 }), edit({ toWeight: 6 })],
      row: { table: tables.labelTypes, id },
      gone: (headers) =>
        sent("admin", labelTypes.deleteTier, { params, body: { price_id, fromWeight: 0, toWeight: 5 }, headers }),
    };
  },

  async "a staff account"(): Promise<Thing> {
    const { id } = await addAccount("maria", "staff");
    const was = { username: "maria", chatId: "", notificationAccess: false, messageKinds: null, quietHours: null };
    const edit = (body: object): Edit => ({
      send: (as, headers) => sent(as, staff.update, { params: { id }, body, headers }),
      makes: { ...was, ...body },
    });
    return {
      read: async () => {
        const found = (await call("admin", staff.list)).body.staff.find(({ _id }) => _id === id);
        if (!found) throw new Error("there is one");
        return found;
      },
      edits: [edit({ chatId: "4711" }), edit({ notificationAccess: true })],
      row: { table: tables.accounts, id },
      gone: (headers) => sent("admin", staff.delete, { params: { id }, headers }),
    };
  },

  async "a Fedex order"(): Promise<Thing> {
    const { id } = await addFedexOrder({ note: "fragile" });
    const params = { id };
    const was = { status: "Pending", note: "fragile", price: null, file: null };
    return {
      read: async () => (await call("admin", fedex.read, { params })).body.order,
      edits: [
        {
          send: (as, headers) => sent(as, fedex.update, { params, body: { price: 12.5, note: "" }, headers }),
          makes: { ...was, note: "", price: 12.5 },
        },
        {
          send: (as, headers) =>
            sent(as, fedex.update, {
              ...{ params, headers },
              form: formWith({ status: "Completed", file: new Blob([pdf]) }, "label.pdf"),
            }),
          makes: {
            ...was,
            status: "Completed",
            file: { _id: expect.any(String), name: "label.pdf", size: pdf.length },
          },
        },
      ],
      row: { table: tables.fedexOrders, id },
    };
  },

  async "the payment settings"(): Promise<Thing> {
    return {
      read: async () => {
        const { cashappId, image, version } = (await call("admin", website.getCashapp)).body.cashapp;
        return { cashappId, image, version };
      },
      edits: [
        {
          send: (as, headers) => sent(as, website.updateCashapp, { body: { cashappId: "$footprint" }, headers }),
          makes: { cashappId: "$footprint", image: null },
        },
        {
          send: (as, headers) =>
            sent(as, website.updateCashapp, { form: formWith({ image: new Blob([png]) }, "qr.png"), headers }),
          makes: { cashappId: "", image: expect.stringContaining("/website/image/") },
        },
      ],
      row: { table: tables.settings, id: true },
    };
  },

  async "a batch of codes"(): Promise<Thing> {
    const range = { type: "priority", template: "evs", first: "9001", last: "9002", amount: 2 } as const;
    const [{ id } = { id: "" }] = await db.insert(tables.codeBatches).values(range).returning();
    const params = { id };
    return {
      read: async () => (await call("admin", codeBatches.read, { params })).body.batch,
      edits: [
        {
          send: (as, headers) => sent(as, codeBatches.update, { params, body: { note: "Bill 12" }, headers }),
          makes: { note: "Bill 12", file: null },
        },
        {
          send: (as, headers) =>
            sent(as, codeBatches.update, { params, form: formWith({ file: new Blob([pdf]) }), headers }),
          makes: { note: "", file: "label.pdf" },
        },
      ],
      row: { table: tables.codeBatches, id },
    };
  },

  async "when codes are low"(): Promise<Thing> {
    const was = { days: 7, leadDays: 3, codes: 100 };
    const params = { type: "express" };
    const edit = (change: object): Edit => ({
      send: (as, headers) => sent(as, tracking.updateAlert, { params, body: { ...was, ...change }, headers }),
      makes: { ...was, ...change },
    });
    return {
      read: async () => {
        const { runways } = (await call("admin", tracking.runway)).body;
        const { alert, version = "" } = runways.find(({ type }) => type === "express") ?? {};
        return { ...alert, version };
      },
      edits: [edit({ days: 14 }), edit({ codes: null })],
      row: { table: tables.settings, id: true },
    };
  },

  async "the limits of staff"(): Promise<Thing> {
    const was = {
      ...{ staffCredit: null, staffCreditPerDay: null, staffRefund: null, staffRefundPerDay: null },
      approvals: false,
    };
    const edit = (body: object): Edit => ({
      send: (as, headers) => sent(as, website.updateLimits, { body, headers }),
      makes: { ...was, ...body },
    });
    return {
      read: async () => {
        const { limits, version } = (await call("admin", website.limits)).body;
        return { ...limits, version };
      },
      edits: [edit({ staffCredit: 50 }), edit({ staffRefundPerDay: 200.5, approvals: true })],
      row: { table: tables.settings, id: true },
    };
  },
};

for (const [name, make] of Object.entries(things)) {
  test(`no edit of ${name} overwrites one that was not seen: 409 tells how it is, since when, and by whom`, async () => {
    const { read, edits } = await make();
    const [first, second] = edits;
    const other = await addAccount("otto", "admin");
    const { version } = await read();
    const done = await first.send(other, seen(version));
    expect(done).toMatchObject({ status: 200, body: { version: (await read()).version } });
    expect(done.body.version).not.toBe(version);

    const before = await logRows();
    const late = await second.send("admin", seen(version));
    expect(late).toMatchObject({ status: 409, body: { message: "otto changed this meanwhile: look at it again" } });
    expect(late.body.conflict).toEqual({
      version: done.body.version,
      current: first.makes,
      changedBy: "otto",
      changedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await logRows()).toEqual(before);

    const now = await second.send("admin", seen(late.body.conflict?.version ?? ""));
    expect(now.status).toBe(200);
    expect(now.body.version).toBe((await read()).version);
    // Without a version the last edit wins, and also with *.
    for (const headers of [{}, { "if-match": "*" }]) expect((await first.send("admin", headers)).status).toBe(200);
  });

  test(`of two who edit ${name} at the same moment exactly one does`, async () => {
    const { read, edits, row } = await make();
    const { version } = await read();
    const answers = await meetAt(row.table, { id: row.id }, () =>
      edits.map(({ send }) => send("admin", seen(version))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const { conflict } = answers[1 - winner]?.body ?? {};
    expect(conflict?.current).toEqual(edits[winner]?.makes);
    expect(conflict?.version).toBe((await read()).version);
    expect(await logRows()).toHaveLength(1);
  });
}

for (const [name, make] of Object.entries(things)) {
  test(`an edit of ${name} that is sent again with its key is answered as the first was, and done once`, async () => {
    const { read, edits } = await make();
    const headers = { ...seen((await read()).version), "idempotency-key": "once" };
    const sendFirst = () => edits[1].send("admin", headers);
    const first = await sendFirst();
    expect(first.status).toBe(200);
    const { version } = await read();
    expect(await sendFirst()).toMatchObject({ status: 200, body: first.body });
    expect((await read()).version).toBe(version);
    expect(await logRows()).toHaveLength(1);
    expect(await db.$count(tables.files, eq(tables.files.size, 0))).toBe(0);
    // Another body or file is another request.
    expect((await edits[0].send("admin", headers)).status).toBe(409);
  });
}

test("a change that was taken back is no change", async () => {
  const { id } = await addLabelType({ name: "Ground", uid: "ground", maxWeight: 70 });
  const version = async () => (await call("admin", labelTypes.read, { params: { id } })).body.labelType.version;
  const rename = (name: string, headers = {}) =>
    sent("admin", labelTypes.update, {
      ...{ params: { id }, headers },
      body: { name, uid: "ground", maxWeight: 70, type: "usps" },
    });
  const was = await version();
  await rename("Air");
  await rename("Ground");
  expect(await version()).toBe(was);
  expect((await rename("Sea", seen(was))).status).toBe(200);
});

test("a staff account or price that changed since it was seen is not deleted", async () => {
  for (const name of ["a staff account", "a price of a label type"] as const) {
    const { read, edits, gone } = await things[name]();
    const { version } = await read();
    await edits[0].send("admin");
    const refused = await gone?.(seen(version));
    expect(refused).toMatchObject({ status: 409, body: { conflict: { current: edits[0].makes, changedBy: "admin" } } });
    expect((await gone?.(seen((await read()).version)))?.status).toBe(200);
    // A deleted thing is 404, whatever version was seen.
    expect((await edits[0].send("admin", seen(version))).status).toBe(404);
    expect((await gone?.(seen(version)))?.status).toBe(404);
  }
});

test("a refused deletion leaves the account's sessions open", async () => {
  const { id, token } = await addAccount("maria", "staff");
  await call("admin", staff.update, { params: { id }, body: { chatId: "1" } });
  const refused = await sent("admin", staff.delete, { params: { id }, headers: seen("older") });
  expect(refused.status).toBe(409);
  expect((await call({ token }, labelTypes.list)).status).toBe(200);
});

test("a price whose weights have changed is not deleted by its id and the old weights", async () => {
  const { id } = await addLabelType({ maxWeight: 70, tiers: [[0, 5, 4.2]] });
  const price_id = (await thePrice(id))._id;
  const remove = (toWeight: number) =>
    call("admin", labelTypes.deleteTier, { params: { id }, body: { fromWeight: 0, toWeight, price_id } });
  const body = { price_id, fromWeight: 0, toWeight: 6, price: 4.2 };
  await call("admin", labelTypes.updateTier, { params: { id }, body });
  expect(await remove(5)).toMatchObject({ status: 409, body: { message: expect.stringContaining("0–6 lb by now") } });
  expect((await remove(6)).status).toBe(200);
});

test("a custom price is deleted with the version that was seen, and not with another", async () => {
  const customer = await addCustomer();
  const labelType = await addLabelType({ maxWeight: 70 });
  const params = { id: customer.id };
  const price = { labelType: labelType.id, fromWeight: 0, toWeight: 5, price: 3 };
  await call("staff", users.addCustomPrice, { params, body: price });
  const [listed] = (await call("staff", users.read, { params })).body.user.customPricing;
  const remove = (version: string) =>
    sent("staff", users.deleteCustomPrice, { params, body: { index: 0, _id: listed?._id }, headers: seen(version) });
  expect(await remove("another")).toMatchObject({
    status: 409,
    body: {
      conflict: { version: listed?.version, current: { fromWeight: 0, toWeight: 5, price: 3 }, changedBy: null },
    },
  });
  expect((await remove(listed?.version ?? "")).status).toBe(200);
});

test("a claim, a charge and a switch are no changes of what is edited", async () => {
  const order = await addFedexOrder({ customer: await addCustomer({ balance: 50 }), price: 12 });
  const params = { id: order.id };
  const version = async () => (await call("staff", fedex.read, { params })).body.order.version;
  const was = await version();
  expect((await call("staff", fedex.claim, { params })).status).toBe(200);
  expect(await version()).toBe(was);
  expect((await call("staff", fedex.charge, { params, body: {} })).status).toBe(200);
  expect(await version()).toBe(was);
  const other = await addAccount("otto", "staff");
  await call(other, fedex.update, { params, body: { note: "by otto" } });
  await call("staff", fedex.release, { params });
  const late = await sent("admin", fedex.update, { params, body: { note: "mine" }, headers: seen(was) });
  expect(late.body.conflict).toMatchObject({ changedBy: "otto", current: { status: "Pending", note: "by otto" } });

  const { id } = await addLabelType();
  const read = async () => (await call("staff", labelTypes.read, { params: { id } })).body.labelType;
  const { version: ofType } = await read();
  await call("admin", labelTypes.setStatus, { params: { id }, body: { status: false } });
  await call("admin", labelTypes.addTier, { params: { id }, body: { fromWeight: 0, toWeight: 1, price: 1 } });
  expect((await read()).version).toBe(ofType);
});

test("If-Match is read as RFC 9110 has it", async () => {
  const { id } = await addLabelType({ name: "Ground", uid: "ground", maxWeight: 70 });
  const { version } = (await call("admin", labelTypes.read, { params: { id } })).body.labelType;
  const body = { name: "Ground", uid: "ground", maxWeight: 70, type: "usps" };
  const statusOf = async (header: string) =>
    (await sent("admin", labelTypes.update, { params: { id }, body, headers: { "if-match": header } })).status;
  for (const matching of ["*", ` "${version}" `, `"other", "${version}"`, `W/"x" ,, "${version}",`])
    expect([matching, await statusOf(matching)]).toEqual([matching, 200]);
  // A weak version never equals another.
  for (const other of ['"other"', '""', `W/"${version}"`, `"${version} "`.replace(" ", "!"), '"a", "b"'])
    expect([other, await statusOf(other)]).toEqual([other, 409]);
  for (const malformed of [version, `"${version}`, "", ",", "* , *", `"a" "b"`, `w/"${version}"`, '"a b"'])
    expect([malformed, await statusOf(malformed)]).toEqual([malformed, 400]);
  // For an unknown thing the answer is 404, whatever version was seen.
  const unknown = { params: { id: randomUUID() }, body, headers: seen(version) };
  expect((await sent("admin", labelTypes.update, unknown)).status).toBe(404);
});
