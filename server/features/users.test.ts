import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { expect, inject, test as onBothEngines } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, shops } from "../db/schema.ts";
import { addCustomer, addInvoice, addLabelType, balanceOf, transfersOf } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { call, db, logRows } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

const list = async (query: object) => (await call("staff", users.list, { query })).body;
const listNew = async (query: object) => (await call("staff", users.listNew, { query })).body;
const read = async (id: string) => (await call("staff", users.read, { params: { id } })).body.user;
const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];

test("the list carries the specification's fields, custom prices included", async () => {
  const customer = await addCustomer({
    username: "maren",
    discordId: "4711",
    email: "maren@example.com",
    balance: 17.4,
  });
  const labelType = await addLabelType({ name: "USPS Priority" });
  await call("staff", users.addCustomPrice, {
    params: { id: customer.id },
    body: { labelType: labelType.id, fromWeight: 0, toWeight: 2.5, price: 4.2 },
  });
  const { status, body } = await call("staff", users.list);
  const maren = {
    _id: customer.id,
    username: "maren",
    discordId: "4711",
    email: "maren@example.com",
    balance: 17.4,
    status: true,
    isVerified: true,
    customPricingEnabled: false,
    customPricing: [
      {
        _id: expect.any(String),
        labelType: { _id: labelType.id, name: "USPS Priority" },
        fromWeight: 0,
        toWeight: 2.5,
        price: 4.2,
        version: expect.any(String),
      },
    ],
    createdAt: customer.createdAt.toISOString(),
  };
  expect([status, body]).toEqual([200, { users: [maren], total: 1, totalPages: 1 }]);
  // Custom prices on the customer's own page have the label type's price beside them.
  const customPricing = maren.customPricing.map((price) => ({ ...price, standard: null }));
  expect(await read(customer.id)).toEqual({ ...maren, customPricing });
});

test("every customer of a page comes with their own prices, in the order they were added", async () => {
  const labelType = await addLabelType();
  const [first, second, third] = [await addCustomer(), await addCustomer(), await addCustomer()];
  const add = (customer: { id: string }, fromWeight: number) =>
    call("staff", users.addCustomPrice, {
      params: { id: customer.id },
      body: { labelType: labelType.id, fromWeight, toWeight: fromWeight + 1, price: 1 },
    });
  for (const fromWeight of [5, 1, 3]) await add(first, fromWeight);
  await add(third, 8);
  const page = await list({ sort: "asc" });
  expect(page.users.map((user) => [user._id, user.customPricing.map((price) => price.fromWeight)])).toEqual([
    [first.id, [5, 1, 3]],
    [second.id, []],
    [third.id, [8]],
  ]);
});

test("the list pages in both directions, with true totals", async () => {
  for (let number = 10; number < 22; number++) await addCustomer({ username: `member${number}` });
  const names = async (query: object) => (await list(query)).users.map((user) => user.username);
  expect(await names({ page: 2 })).toEqual(["member11", "member10"]);
  expect(await names({ page: 2, limit: 3, sort: "asc" })).toEqual(["member13", "member14", "member15"]);
  expect(await list({ page: 9 })).toEqual({ users: [], total: 12, totalPages: 2 });
});

onBothEngines("a search finds username, discord id and email, in any case, and nothing else", async () => {
  const customer = await addCustomer({ username: "Maren_K", discordId: "80351110224678912", email: "m@Example.com" });
  await addCustomer({ username: "other" });
  const found = async (search: string) => (await list({ search })).users.map((user) => user._id);
  for (const search of ["maren_k", "REN_", "M@EXAMPLE", customer.id])
    expect(await found(search), search).toEqual([customer.id]);
  for (const search of ["mare%k", "marenxk", "kexample"]) expect(await found(search), search).toEqual([]);
  expect(await list({ search: "maren" })).toMatchObject({ total: 1, totalPages: 1 });
});

test("new customers are those who wait for verification", async () => {
  const waiting = await addCustomer({ username: "newcomer", verifiedAt: null });
  await addCustomer({ username: "newlywed" });
  const page = await listNew({});
  expect(page).toMatchObject({ users: [{ _id: waiting.id, isVerified: false }], total: 1, totalPages: 1 });
  expect(await listNew({ search: "new" })).toMatchObject({ users: [{ _id: waiting.id }], total: 1 });
  expect(await list({ search: "new" })).toMatchObject({ total: 2 });
});

test("newcomers who were declined are listed apart, with the reason in the log", async () => {
  const waiting = await addCustomer({ username: "anna", verifiedAt: null });
  const declined = await addCustomer({ username: "boris", verifiedAt: null });
  await addCustomer({ active: false });
  const params = { id: declined.id };
  await call("staff", users.setStatus, { params, body: { status: false, reason: "Same address as anna" } });
  expect(await logRows()).toMatchObject([
    {
      action: "Disabled customer boris: Same address as anna",
      after: { status: false, reason: "Same address as anna" },
    },
  ]);
  const found = async (query: object) => {
    const { users, total } = await listNew(query);
    return [users.map(({ username }) => username), total];
  };
  expect(await found({ declined: "true" })).toEqual([["boris"], 1]);
  expect(await found({ declined: "false" })).toEqual([["anna"], 1]);
  expect(await found({})).toEqual([["boris", "anna"], 2]);
  expect(await found({ declined: "false", search: "boris" })).toEqual([[], 0]);

  await call("staff", users.setStatus, { params, body: { status: true } });
  await call("staff", users.verify, { params: { id: waiting.id } });
  expect(await found({ declined: "false" })).toEqual([["boris"], 1]);
  expect(await found({ declined: "true" })).toEqual([[], 0]);
});

test("a newcomer comes with what there is to judge by: shop, paid deposits, and the first one tried", async () => {
  await call("admin", website.createApiKey, { body: { name: "Harbor shop" } });
  const [shop] = await db.select().from(shops);
  const customer = await addCustomer({ username: "anna", verifiedAt: null, shopId: shop?.id ?? null });
  const first = await addInvoice({ customer, amount: 15, createdAt: new Date("2026-03-01T10:00:00Z") });
  const second = await addInvoice({ customer, amount: 20, createdAt: new Date("2026-03-02T10:00:00Z") });
  await call("staff", invoices.markPaid, { params: { id: second.id } });
  await addCustomer({ username: "boris", verifiedAt: null });
  expect((await listNew({ sort: "asc" })).users).toMatchObject([
    {
      username: "anna",
      shop: { _id: shop?.id, name: "Harbor shop" },
      deposits: 1,
      firstInvoice: {
        _id: first.id,
        amount: 15,
        payment_method: "cashapp",
        status: "pending",
        createdAt: "2026-03-01T10:00:00.000Z",
      },
    },
    { username: "boris", shop: null, deposits: 0, firstInvoice: null },
  ]);
});

test("a customer is verified once", async () => {
  const customer = await addCustomer({ username: "maren", verifiedAt: null });
  const params = { id: customer.id };
  expect(answerOf(await call("staff", users.verify, { params }))).toEqual([200, "maren is verified"]);
  expect(await read(customer.id)).toMatchObject({ isVerified: true });
  expect(await listNew({})).toMatchObject({ users: [], total: 0 });
  expect(answerOf(await call("staff", users.verify, { params }))).toEqual([409, "maren is already verified"]);
  expect(await logRows()).toEqual([
    {
      admin: "staff",
      type: "user",
      action: "Verified customer maren",
      before: { isVerified: false },
      after: { isVerified: true },
    },
  ]);
});

onBothEngines("of several who verify one customer at once, one does", async () => {
  const customer = await addCustomer({ verifiedAt: null });
  const verify = () => call("staff", users.verify, { params: { id: customer.id } });
  const answers = await meetAt(customers, customer, () => Array.from({ length: 5 }, verify));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect(await logRows()).toHaveLength(1);
});

test("a misspelt field turns nothing the other way", async () => {
  const customer = await addCustomer();
  const labelType = await addLabelType();
  const misspelt = { stauts: true, customPricingEnabeld: true } as never;
  const answers = [
    await call("staff", users.setStatus, { params: { id: customer.id }, body: misspelt }),
    await call("staff", users.setCustomPricing, { params: { id: customer.id }, body: misspelt }),
    await call("admin", labelTypes.setStatus, { params: { id: labelType.id }, body: misspelt }),
  ];
  const refused = [400, "Nothing is called stauts, customPricingEnabeld here"];
  expect(answers.map(answerOf)).toEqual([refused, refused, refused]);
  expect(await logRows()).toEqual([]);
});

test("the status is set to the wanted value, or flips; what already is leaves no log row", async () => {
  const { id } = await addCustomer({ username: "maren" });
  const set = async (body?: { status?: boolean }) =>
    answerOf(await call("staff", users.setStatus, { params: { id }, ...(body && { body }) }));
  expect(await set({ status: false })).toEqual([200, "maren is disabled"]);
  expect(await set({ status: false })).toEqual([200, "maren is already disabled"]);
  expect(await read(id)).toMatchObject({ status: false });
  expect(await set()).toEqual([200, "maren is enabled"]);
  expect(await read(id)).toMatchObject({ status: true });
  expect(await logRows()).toEqual([
    {
      admin: "staff",
      type: "user",
      action: "Disabled customer maren",
      before: { status: true },
      after: { status: false },
    },
    {
      admin: "staff",
      type: "user",
      action: "Enabled customer maren",
      before: { status: false },
      after: { status: true },
    },
  ]);
});

test("custom pricing is set to the wanted value, or flips; what already is leaves no log row", async () => {
  const { id } = await addCustomer({ username: "maren" });
  const set = async (body?: { customPricingEnabled?: boolean }) =>
    answerOf(await call("staff", users.setCustomPricing, { params: { id }, ...(body && { body }) }));
  expect(await set({ customPricingEnabled: true })).toEqual([200, "Custom pricing is enabled for maren"]);
  expect(await set({ customPricingEnabled: true })).toEqual([200, "Custom pricing is already enabled for maren"]);
  expect(await read(id)).toMatchObject({ customPricingEnabled: true });
  expect(await set()).toEqual([200, "Custom pricing is disabled for maren"]);
  expect(await read(id)).toMatchObject({ customPricingEnabled: false });
  expect((await logRows()).map(({ type, action, before, after }) => [type, action, before, after])).toEqual([
    ["pricing", "Enabled custom pricing for maren", { customPricingEnabled: false }, { customPricingEnabled: true }],
    ["pricing", "Disabled custom pricing for maren", { customPricingEnabled: true }, { customPricingEnabled: false }],
  ]);
});

onBothEngines("two who click Disable at the same moment do not cancel each other out", async () => {
  const customer = await addCustomer();
  const click = () => call("staff", users.setStatus, { params: { id: customer.id }, body: { status: false } });
  await meetAt(customers, customer, () => Array.from({ length: 6 }, click));
  expect(await read(customer.id)).toMatchObject({ status: false });
  expect(await logRows()).toHaveLength(1);
});

const addBalance = (id: string, balance: number, key?: string) =>
  call("staff", users.addBalance, {
    params: { id },
    body: { balance },
    ...(key && { headers: { "idempotency-key": key } }),
  });

test("a customer is listed as having a balance from the first cent to the last", async () => {
  const maren = await addCustomer({ username: "maren", balance: 5 });
  await addCustomer({ username: "noor" });
  const named = async (withBalance: boolean) => {
    const { users, total } = await list({ withBalance, sort: "asc" });
    expect(total).toBe(users.length);
    return users.map(({ username }) => username);
  };
  expect([await named(true), await named(false)]).toEqual([["maren"], ["noor"]]);
  await addBalance(maren.id, -5);
  expect([await named(true), await named(false)]).toEqual([[], ["maren", "noor"]]);
  await addBalance(maren.id, 0.01);
  expect([await named(true), await named(false)]).toEqual([["maren"], ["noor"]]);
});

test("a balance is added to, and corrected, each with its transfer and its log row", async () => {
  const customer = await addCustomer({ username: "maren", balance: 5 });
  expect(answerOf(await addBalance(customer.id, 25))).toEqual([
    200,
    "Added $25.00 to maren's balance, which is now $30.00",
  ]);
  expect(answerOf(await addBalance(customer.id, -4.99))).toEqual([
    200,
    "Took $4.99 from maren's balance, which is now $25.01",
  ]);
  expect(await balanceOf(customer)).toBe(25.01);
  expect(await transfersOf(customer)).toEqual([
    { kind: "adjustment", amount: 25, balanceAfter: 30, reference: null, actor: "staff" },
    { kind: "adjustment", amount: -4.99, balanceAfter: 25.01, reference: null, actor: "staff" },
  ]);
  const logged = { admin: "staff", type: "balance" };
  expect(await logRows()).toEqual([
    { ...logged, action: "Added $25.00 to maren's balance", before: { balance: 5 }, after: { balance: 30 } },
    { ...logged, action: "Took $4.99 from maren's balance", before: { balance: 30 }, after: { balance: 25.01 } },
  ]);
});

test("a balance never goes below zero, nor beyond what can be", async () => {
  const customer = await addCustomer({ username: "maren", balance: 5 });
  expect(answerOf(await addBalance(customer.id, -5.01))).toEqual([402, "maren has $5.00, $0.01 short of $5.01"]);
  for (const [amount, message] of [
    [0, "Enter an amount other than zero"],
    [1_000_000.01, "An amount is at most 1,000,000.00"],
    [-1_000_000.01, "An amount is at most 1,000,000.00"],
    [12_345_678_901, "This amount is too large"],
    [-12_345_678_901, "This amount is too large"],
    [1.005, "An amount has at most two decimals"],
    [1.000001, "An amount has at most two decimals"],
    ["5", "balance must be a number"],
  ] as [number, string][])
    expect(answerOf(await addBalance(customer.id, amount))).toEqual([400, message]);
  expect(await balanceOf(customer)).toBe(5);
  expect(await transfersOf(customer)).toEqual([]);
  expect(await logRows()).toEqual([]);
  expect((await addBalance(customer.id, -5)).status).toBe(200);
  expect(await balanceOf(customer)).toBe(0);
});

onBothEngines("twenty times the same key at once: one credit, and twenty times the same answer", async () => {
  const customer = await addCustomer({ username: "maren" });
  const answers = await meetAt(customers, customer, () =>
    Array.from({ length: 20 }, () => addBalance(customer.id, 25, "form-1")),
  );
  const first = [200, "Added $25.00 to maren's balance, which is now $25.00"];
  expect(answers.map(answerOf)).toEqual(Array(20).fill(first));
  expect(await balanceOf(customer)).toBe(25);
  expect(await transfersOf(customer)).toHaveLength(1);
  expect(await logRows()).toHaveLength(1);

  const other = await addBalance(customer.id, 26, "form-1");
  expect(answerOf(other)).toEqual([409, "This Idempotency-Key was used for another request"]);
  expect(other.body).toMatchObject({ alreadyDone: first[1] });
});

test("a hundred credits at once add up exactly, and every transfer knows the balance it left", async () => {
  const customer = await addCustomer();
  const amounts = Array.from({ length: 100 }, (_, number) => (number + 1) / 100);
  const answers = await Promise.all(amounts.map((amount) => addBalance(customer.id, amount)));
  expect(answers.every((answer) => answer.status === 200)).toBe(true);
  expect(await balanceOf(customer)).toBe(50.5);
  const transfers = await transfersOf(customer);
  expect(transfers.map((transfer) => transfer.amount).sort((a, b) => a - b)).toEqual(amounts);
  expect(new Set(transfers.map((transfer) => transfer.balanceAfter)).size).toBe(100);
  expect(await logRows()).toHaveLength(100);
});

onBothEngines("ten who take the last five dollars at once: one does", async () => {
  const customer = await addCustomer({ balance: 5 });
  const answers = await meetAt(customers, customer, () =>
    Array.from({ length: 10 }, () => addBalance(customer.id, -5)),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => answer.status === 402)).toHaveLength(9);
  expect(await balanceOf(customer)).toBe(0);
});

test("a malformed id is 400 and an unknown one 404, in every call", async () => {
  const tier = { labelType: (await addLabelType()).id, fromWeight: 0, toWeight: 1, price: 1 };
  const calls = [
    (id: string) => call("staff", users.read, { params: { id } }),
    (id: string) => call("staff", users.verify, { params: { id } }),
    (id: string) => call("staff", users.setStatus, { params: { id } }),
    (id: string) => call("staff", users.setCustomPricing, { params: { id } }),
    (id: string) => addBalance(id, 5),
    (id: string) => call("staff", users.addCustomPrice, { params: { id }, body: tier }),
    (id: string) => call("staff", users.deleteCustomPrice, { params: { id }, body: { index: 0 } }),
  ];
  for (const make of calls) {
    expect((await make("7")).status).toBe(400);
    expect(answerOf(await make(uuidv7()))).toEqual([404, "This customer does not exist"]);
  }
  expect(await logRows()).toEqual([]);
});
