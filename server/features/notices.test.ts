import { approvals } from "@footprint/contract/approvals.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { notices } from "@footprint/contract/notices.ts";
import { users } from "@footprint/contract/users.ts";
import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, events, outbox, settings, unusualEvents, webhooks } from "../db/schema.ts";
import { lookForUnusual } from "../money/unusual-look.ts";
import { addFedexOrder, addInvoice, addLabelType, addOrder } from "../testing/builders.ts";
import { addEvent, addNewcomer, happened } from "../testing/events.ts";
import { follow } from "../testing/follower.ts";
import { addAccount, call, db } from "../testing/server.ts";

let followers: { leave: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(followers.map((follower) => follower.leave()));
  followers = [];
});

const listAs = async (as: Parameters<typeof call>[0]) => (await call(as, notices.list)).body;
const unseenBy = async (as: Parameters<typeof call>[0]) => (await call(as, notices.unseen)).body.unseen;

test("an account sees what happened since it last looked, by kind, each with where it leads", async () => {
  const [alice, bob] = [await addNewcomer({ username: "alice" }), await addNewcomer({ username: "bob" })];
  const invoice = await addInvoice({ customer: alice });
  await happened.newcomer(alice);
  await happened.invoice(invoice, alice);
  await happened.newcomer(bob);

  const { unseen, groups, newest } = await listAs("staff");
  expect(unseen).toBe(3);
  expect(groups).toMatchObject([
    {
      ...{ kind: "newcomers", title: "2 new customers", count: 2, act: "Verify", to: "/new-users" },
      notices: [
        { text: "bob", to: `/new-users?search=${bob.id}`, isNew: true, done: "" },
        { text: "alice", to: `/new-users?search=${alice.id}`, isNew: true, done: "" },
      ],
    },
    {
      ...{ kind: "invoices", title: "A new invoice", count: 1, act: "Look for the deposit" },
      notices: [{ text: "$50.00 of alice by Cash App", to: `/invoices?view=${invoice.id}` }],
    },
  ]);
  expect(await unseenBy("staff")).toBe(3);

  await call("staff", notices.see, { body: { position: newest } });
  expect(await unseenBy("staff")).toBe(0);
  expect(await unseenBy("admin")).toBe(3);
  await happened.newcomer(await addNewcomer({ username: "carol" }));
  const later = await listAs("staff");
  expect(later.groups[0]).toMatchObject({ title: "A new customer", count: 1 });
  expect(later.groups[0]?.notices.map(({ isNew }) => isNew)).toEqual([true, false, false]);
  // Further pages show what was new when the reader began.
  const { body: same } = await call("staff", notices.list, { query: { since: 0 } });
  expect(same.unseen).toBe(4);
  expect((await call("staff", notices.list, { query: { since: -1 } })).status).toBe(400);
});

test("nobody looks back, nor ahead of what has happened", async () => {
  await happened.newcomer(await addNewcomer());
  const newest = await happened.newcomer(await addNewcomer());
  await call("staff", notices.see, { body: { position: Number.MAX_SAFE_INTEGER } });
  expect((await call("staff", notices.unseen)).body).toEqual({ unseen: 0, seen: newest });
  await call("staff", notices.see, { body: { position: 0 } });
  expect(await unseenBy("staff")).toBe(0);
  await happened.newcomer(await addNewcomer());
  expect(await unseenBy("staff")).toBe(1);
});

test("staff are given no notice of what is for administrators", async () => {
  await happened.unbalanced();
  await happened.setting("payment-handle");
  await happened.setting("limits");
  await happened.paused();
  expect(await listAs("staff")).toMatchObject({ unseen: 0, groups: [] });
  const { unseen, groups } = await listAs("admin");
  expect(unseen).toBe(3);
  expect(groups.map(({ kind, title }) => [kind, title])).toEqual([
    ["webhooks", "A webhook was paused"],
    ["payment-handle", "The payment handle was changed"],
    ["books", "The books do not balance"],
  ]);
  expect(groups[1]?.notices[0]?.text).toBe("Customers pay to $mallory");
});

test("what somebody has seen to is shown as done", async () => {
  const verified = await addNewcomer();
  const declined = await addNewcomer({ active: false });
  const order = await addFedexOrder({ customer: verified, status: "Completed" });
  const invoice = await addInvoice({ customer: verified, status: "paid", paidAt: new Date() });
  await db.update(customers).set({ verifiedAt: sql`now()` }).where(eq(customers.id, verified.id));
  await db.update(settings).set({ booksProblems: [] });
  await happened.newcomer(verified);
  await happened.newcomer(declined);
  await happened.fedexOrder(order, verified);
  await happened.invoice(invoice, verified);
  await happened.unbalanced();
  await happened.paused();
  await db.update(webhooks).set({ pausedAt: null });
  const { groups } = await listAs("admin");
  expect(groups.map(({ kind, notices }) => [kind, notices.map(({ done }) => done)])).toEqual([
    ["webhooks", ["Resumed"]],
    ["books", ["Balanced again"]],
    ["invoices", ["Paid"]],
    ["fedex", ["Completed"]],
    ["newcomers", ["Declined", "Verified"]],
  ]);
});

test("many are counted up to a hundred, and five of a kind are told one by one", async () => {
  const customer = await addNewcomer();
  const rows = Array.from({ length: 150 }, () => ({
    type: "customer.created" as const,
    data: { customer: { _id: customer.id, username: "one of many" } },
    createdAt: new Date(),
  }));
  await db.insert(events).values(rows);
  const { unseen, groups } = await listAs("staff");
  expect(unseen).toBe(100);
  expect(groups).toMatchObject([{ count: 100, title: "99+ new customers" }]);
  expect(groups[0]?.notices).toHaveLength(5);
});

test("a new account has seen all that happened before it", async () => {
  await happened.newcomer(await addNewcomer());
  const newcomer = await addAccount("newcomer", "staff");
  expect(await unseenBy(newcomer)).toBe(0);
  expect((await listAs(newcomer)).groups).toHaveLength(1);
});

test("panels that are open are told of new notices, and staff of theirs alone", async () => {
  const [admin, staff] = [await follow("admin"), await follow("staff")];
  followers.push(admin, staff);
  await happened.unbalanced();
  await admin.until(({ data }) => data.adminNotices === true);
  await happened.newcomer(await addNewcomer());
  await admin.until(({ data }) => data.notices === true);
  await staff.until(({ data }) => data.notices === true);
  expect(JSON.stringify(staff.heard)).not.toContain("adminNotices");
});

test("a request for approval and something unusual are told to administrators", async () => {
  await db.update(settings).set({ staffApprovals: true, staffCreditCents: 1_000 });
  const customer = await addNewcomer({ username: "alice" });
  const asked = await call("staff", users.addBalance, {
    params: { id: customer.id },
    body: { balance: 500, reason: "a gift" },
  });
  expect(asked.status).toBe(202);
  const approval = { by: "staff", act: "credit", amount: 500, words: "add $500.00 to alice's balance" };
  // In one snapshot, since numbering moves rows from one table to the other.
  const told = await db.transaction(
    async (tx) => [...(await tx.select().from(outbox)), ...(await tx.select().from(events))],
    { isolationLevel: "repeatable read" },
  );
  const kept = told.filter(({ type }) => type === "approval.asked");
  expect(kept).toMatchObject([{ data: { approval } }]);

  // As they are readable a moment later.
  await db.insert(events).values(kept.map(({ type, data, createdAt }) => ({ id: uuidv7(), type, data, createdAt })));
  const isAsked = ({ kind }: { kind: string }) => kind === "approvals";
  const [group] = (await listAs("admin")).groups.filter(isAsked);
  expect(group?.notices[0]).toMatchObject({
    text: "staff wants to add $500.00 to alice's balance",
    to: `/approvals?view=${asked.body.request?._id}`,
    done: "",
  });
  await call("admin", approvals.decline, { params: { id: asked.body.request?._id ?? "" }, body: { reason: "no" } });
  expect((await listAs("admin")).groups.find(isAsked)?.notices[0]?.done).toBe("Declined by admin");
});

test("the text of a notice begins with a capital, a number or a name", async () => {
  const labelType = await addLabelType({ name: "Parcel", tiers: [[0, 1, 7.45]] });
  const prices = [{ fromWeight: 0, toWeight: 1, price: 17.45 }];
  await call("admin", labelTypes.replaceTiers, { params: { id: labelType.id }, body: { prices } });
  await lookForUnusual(db, { distance: "0" });
  for (const left of [0, 12]) await addEvent({ type: "codes.low", data: { type: "priority", left, alert: 50 } });
  const texts = async () =>
    (await listAs("admin")).groups.flatMap(({ notices }) => notices.map(({ text }) => text)).sort();
  await expect
    .poll(texts)
    .toEqual([
      "12 priority codes left",
      expect.stringMatching(/^A price changed by 134 %: Parcel from 0–1 lb/),
      "No priority codes left",
    ]);
});

test("what is unusual is told of once", async () => {
  await db.update(settings).set({ unusualRules: { address: 1 } });
  await addOrder();
  await lookForUnusual(db, { distance: "0 seconds" });
  await lookForUnusual(db, { distance: "0 seconds" });
  const [unusual] = await db.select().from(unusualEvents);
  const { rows } = await db.execute<{ data: { event: { _id: string } } }>(
    sql`select data from outbox where type = 'unusual.noticed' union all select data from events where type = 'unusual.noticed'`,
  );
  expect(rows.map(({ data }) => data.event._id)).toEqual([unusual?.id]);
});
