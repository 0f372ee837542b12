import { invoices } from "@footprint/contract/invoices.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { type Api, uniqueName } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { openScreen, rowOf, toast } from "./steps.ts";

const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
const marked = (page: Page) => rows(page).and(page.locator("[aria-current]"));
const bar = (page: Page) => page.getByRole("region", { name: "Chosen rows" });

async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key);
}

test("three orders are refunded together, with the reason why one of them was refused", async ({
  adminToken,
  staff: { page, token },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  for (let place = 0; place < 3; place += 1)
    await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who } });
  const { orders: made } = await api.call(token, orders.list, { query: { search: shop.name } });
  await openScreen(page, `/orders?search=${shop.name}`, "Orders");
  await expect(rows(page)).toHaveCount(3);
  await press(page, "j", "x", "j", "j", "x", "x", "K");
  await expect(bar(page)).toContainText("3 selected$26.70");
  await expect(bar(page).getByRole("button", { name: "Refund 3 orders" })).toBeVisible();
  await expect(bar(page).getByRole("button", { name: "Export" })).toHaveCount(0);
  // A colleague is faster with one of them.
  const first = made[0] ?? { _id: "", uuid: "" };
  await api.call(adminToken, orders.refund, { params: { id: first._id } });

  await bar(page).getByRole("button", { name: "Refund 3 orders" }).press("Enter");
  const question = page.getByRole("dialog", { name: "Refund 3 orders?" });
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(question).toContainText("$26.70 in all");
  await expect(question.getByRole("list", { name: "Customers" })).toHaveText(`${shop.name} × 3$26.70`);
  await question.getByLabel("Reason").fill("the carrier lost them");
  await question.getByRole("button", { name: "Refund 3 orders" }).click();

  const result = page.getByRole("dialog", { name: "2 orders refunded" });
  await expect(result.getByRole("list", { name: "Refused" })).toContainText(first.uuid);
  await expect(result.getByRole("list", { name: "Refused" })).toContainText("already refunded");
  await expect(result.getByRole("button", { name: "Close" }).last()).toBeFocused();
  await press(page, "Escape");
  await expect(result).toBeHidden();
  await expect(bar(page)).toContainText("1 selected");
  await expect(bar(page).getByRole("button", { name: /^Refund/ })).toHaveCount(0);
  await expect(rowOf(page, "Refunded")).toHaveCount(3);
  await press(page, "Escape");
  await expect(bar(page)).toBeHidden();

  const { user } = await api.call(token, users.read, { params: shop.params });
  expect(user.balance).toBe(50);
  const story = await api.call(token, orders.read, { params: { id: made[1]?._id ?? "" } });
  expect(story.refund?.reason).toBe("the carrier lost them");
});

testAlone(
  "all that match are chosen, copied and exported, a large refund asks for its sum, and a search chooses none",
  async ({ admin: { page, token }, context, server: { api } }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openScreen(page, "/orders?search=paging-customer", "Orders");
    const boxes = rows(page).getByRole("checkbox");
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ["Shift"] });
    await expect(bar(page)).toContainText("4 selected");
    await page.getByRole("checkbox", { name: "Choose this page" }).click();
    await expect(bar(page)).toContainText("10 selected");
    await bar(page).getByRole("button", { name: "Choose all 25 that match" }).click();
    await expect(bar(page)).toContainText("25 selected");
    const sum = /\$[\d,.]+/.exec((await bar(page).textContent()) ?? "")?.[0] ?? "";

    await bar(page).getByRole("button", { name: "Copy tracking" }).click();
    await expect(toast(page, "25 tracking codes copied")).toBeVisible();
    expect((await page.evaluate(() => navigator.clipboard.readText())).split("\n")).toHaveLength(25);

    const saving = page.waitForEvent("download");
    await bar(page).getByRole("button", { name: "Export" }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toMatch(/^orders-.*\.csv$/);
    const lines = (await new Response((await file.createReadStream()) as unknown as BodyInit).text())
      .trim()
      .split("\r\n");
    expect(lines).toHaveLength(26);
    expect(lines[0]).toMatch(/^Id,Order,Created,Customer/);
    expect(lines[0]).toMatch(/,Refunded at,/);
    await expect(toast(page, "Exported 25 rows")).toBeVisible();
    const { logs: entries } = await api.call(token, logs.list, { query: { search: "chosen rows of orders" } });
    expect(entries[0]?.action).toBe("Exported 25 chosen rows of orders (search paging-customer)");

    await bar(page).getByRole("button", { name: "Refund 25 orders" }).click();
    const question = page.getByRole("dialog", { name: "Refund 25 orders?" });
    const refund = question.getByRole("button", { name: "Refund 25 orders" });
    await question.getByLabel(`Type the sum, ${sum}`).fill("1");
    await refund.click();
    await expect(question).toContainText(`This is not ${sum}`);
    await question.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Next", exact: true }).click();
    await expect(page.getByText("11–20 of 25")).toBeVisible();
    await expect(bar(page)).toContainText("25 selected");
    await page.getByRole("searchbox").fill("Paging 03");
    await expect(bar(page)).toBeHidden();
  },
);

test("a page whose rows are on their way can be chosen once they are there", async ({ staff: { page } }) => {
  const looked = Promise.withResolvers<void>();
  await page.route(`**${orders.list.path}?*`, async (route) => {
    await looked.promise;
    await route.continue();
  });
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  const choosePage = page.getByRole("checkbox", { name: "Choose this page" });
  await expect(choosePage).toBeDisabled();
  looked.resolve();
  await choosePage.click();
  await expect(bar(page)).toContainText("10 selected");
  await page.unrouteAll({ behavior: "wait" });
});

test("a row that is unchosen while all that match are being chosen stays unchosen", async ({ staff: { page } }) => {
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await page.getByRole("checkbox", { name: "Choose this page" }).click();
  const unchosen = Promise.withResolvers<void>();
  await page.route(`**${orders.list.path}?*limit=100*`, async (route) => {
    await unchosen.promise;
    await route.continue();
  });
  await bar(page).getByRole("button", { name: "Choose all 25 that match" }).click();
  await expect(bar(page)).toContainText("Choosing…");
  await rows(page).getByRole("checkbox").nth(3).click();
  await expect(bar(page)).toContainText("9 selected");
  unchosen.resolve();
  await expect(bar(page)).toContainText("24 selected");
  await expect(rows(page).getByRole("checkbox").nth(3)).not.toBeChecked();
  await page.unrouteAll({ behavior: "wait" });
});

test("on a phone rows are chosen by touching their cards", async ({ staff: { page } }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openScreen(page, "/users?search=customer&verified=true", "Users");
  await page.getByRole("button", { name: "Choose", exact: true }).click();
  const card = page.getByRole("list", { name: "Users" }).getByRole("listitem").first();
  await card.getByRole("link").first().click();
  await expect(bar(page)).toContainText("1 selected");
  await expect(bar(page).getByRole("button", { name: "Disable 1 customer" })).toBeVisible();
  await bar(page).getByRole("button", { name: "This page" }).click();
  await expect(bar(page)).toContainText("10 selected");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(bar(page)).toBeHidden();
  await expect(page.getByRole("checkbox")).toHaveCount(0);
});

/** New customers of their own shop, in the order in which they joined. */
async function addNewcomers(api: Api, adminToken: string, amount: number) {
  const shop = uniqueName("queue");
  const { key } = await api.call(adminToken, website.createApiKey, { body: { name: shop } });
  const names = Array.from({ length: amount }, (_, place) => `${shop}-${String(place + 1).padStart(2, "0")}`);
  for (const username of names)
    await api.call(key, storefront.putCustomer, { params: { discordId: username }, body: { username } });
  return { shop, names, key };
}

test("twelve new customers are judged with thirteen key presses, the longest waiting first", async ({
  adminToken,
  staff: { page, token },
  server: { api },
}) => {
  const { shop, names } = await addNewcomers(api, adminToken, 12);
  await openScreen(page, `/new-users?search=${shop}`, "New Users");
  await expect(rows(page)).toHaveCount(10);
  await expect(rows(page).first()).toContainText(shop);
  await press(page, "j");
  for (const name of names) {
    await expect(marked(page)).toContainText(name);
    await expect(marked(page)).toBeFocused();
    await press(page, "v");
  }
  await expect(page.getByText("Nothing found")).toBeVisible();
  const { users: waiting } = await api.call(token, users.listNew, { query: { search: shop } });
  expect(waiting).toEqual([]);
});

test("a declined new customer is disabled with a reason, makes way for the next, and can be restored", async ({
  adminToken,
  staff: { page },
  server: { api },
}) => {
  const { shop, names, key } = await addNewcomers(api, adminToken, 2);
  const [first = "", second = ""] = names;
  const tried = { discordId: first, amount: 25, payment_method: "cashapp" } as const;
  await api.call(key, storefront.createInvoice, { body: tried });
  await openScreen(page, `/new-users?search=${shop}`, "New Users");
  await expect(rows(page)).toHaveCount(2);
  await expect(rowOf(page, first)).toContainText("$25.00Cashapp, pending");
  await press(page, "j", "d");
  await expect(page.getByRole("dialog", { name: `Decline ${first}?` }).getByLabel("Reason")).toBeFocused();
  await page.keyboard.type("a second account");
  await press(page, "Enter");
  await expect(toast(page, `${first} is disabled`)).toBeVisible();
  await expect(rowOf(page, first)).toHaveCount(0);
  await expect(marked(page)).toContainText(second);
  await expect(marked(page)).toBeFocused();
  const { logs: told } = await api.call(adminToken, logs.list, { query: { search: first } });
  expect(told[0]?.action).toContain("a second account");

  await page.getByLabel("Status").selectOption("Declined");
  await expect(rowOf(page, first)).toBeVisible();
  await expect(rowOf(page, second)).toHaveCount(0);
  await page.getByRole("button", { name: `Enable User ${first}` }).click();
  await expect(toast(page, `${first} is enabled`)).toBeVisible();
  await expect(rowOf(page, first)).toHaveCount(0);
});

test("customers are disabled together with a reason and enabled again, leaving out those who already are", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { shop } = await addNewcomers(api, token, 3);
  const listed = async () => (await api.call(token, users.list, { query: { search: shop } })).users;
  const [first] = await listed();
  await api.call(token, users.setStatus, { params: { id: first?._id ?? "" }, body: { status: false } });
  await openScreen(page, `/users?search=${shop}`, "Users");
  await expect(rows(page)).toHaveCount(3);
  await press(page, "j", "x", "J", "J");
  await expect(bar(page)).toContainText("3 selected");
  await bar(page).getByRole("button", { name: "Disable 2 customers" }).press("Enter");
  const question = page.getByRole("dialog", { name: "Disable 2 customers?" });
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(question).toContainText("1 of the chosen is left out: disabled already.");
  await press(page, "Shift+Tab");
  await page.keyboard.type("two of one family");
  await press(page, "Tab", "Tab", "Enter");
  await expect(toast(page, "2 customers disabled")).toBeVisible();
  await expect(question).toBeHidden();
  await expect(bar(page)).toContainText("1 selected");
  await expect(rows(page).filter({ hasText: "Inactive" })).toHaveCount(3);
  const { logs: told } = await api.call(token, logs.list, { query: { search: "two of one family" } });
  expect(told.filter(({ action }) => action.includes(shop))).toHaveLength(2);

  await press(page, "K", "K");
  await expect(bar(page)).toContainText("3 selected");
  await bar(page).getByRole("button", { name: "Enable 3 customers" }).press("Enter");
  await expect(page.getByRole("dialog").getByRole("button", { name: "Cancel" })).toBeFocused();
  await press(page, "Tab", "Enter");
  await expect(toast(page, "3 customers enabled")).toBeVisible();
  await expect(bar(page)).toBeHidden();
  expect((await listed()).map(({ status }) => status)).toEqual([true, true, true]);
});

test("invoices of more than the threshold are marked as paid together once their sum is typed", async ({
  adminToken,
  staff: { page, token },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  for (const amount of [200, 200.1, 200.2])
    await api.call(shop.key, storefront.createInvoice, { body: { ...shop.who, amount, payment_method: "cashapp" } });
  await openScreen(page, `/invoices?search=${shop.name}`, "Invoices");
  await expect(rows(page)).toHaveCount(3);
  await press(page, "j", "x", "J", "J");
  await expect(bar(page)).toContainText("3 selected$600.30");
  await bar(page).getByRole("button", { name: "Mark 3 invoices as Paid" }).press("Enter");
  const question = page.getByRole("dialog", { name: "Mark 3 invoices as Paid?" });
  const sum = question.getByLabel("Type the sum, $600.30, to confirm");
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(question.getByRole("list", { name: "Customers" })).toHaveText(`${shop.name} × 3$600.30`);
  await press(page, "Tab", "Enter");
  await expect(question).toContainText("This is not $600.30");
  await expect(sum).toBeFocused();
  await page.keyboard.type("$600.30");
  await press(page, "Tab", "Tab", "Enter");
  await expect(toast(page, "3 invoices marked as paid")).toBeVisible();
  await expect(bar(page)).toBeHidden();
  const { invoices: paid } = await api.call(token, invoices.list, { query: { search: shop.name } });
  expect(paid.map(({ status }) => status)).toEqual(["paid", "paid", "paid"]);
  expect((await api.call(token, users.read, { params: shop.params })).user.balance).toBe(650.3);
});

test("new customers are verified together, and one that a colleague verified meanwhile is listed with the reason", async ({
  adminToken,
  staff: { page, token },
  server: { api },
}) => {
  const { shop, names } = await addNewcomers(api, adminToken, 3);
  const [first = ""] = names;
  const { users: found } = await api.call(token, users.listNew, { query: { search: first } });
  await openScreen(page, `/new-users?search=${shop}`, "New Users");
  await expect(rows(page)).toHaveCount(3);
  await press(page, "j", "x", "J", "J");
  await expect(bar(page)).toContainText("3 selected");
  await api.call(adminToken, users.verify, { params: { id: found[0]?._id ?? "" } });
  await bar(page).getByRole("button", { name: "Verify 3 customers" }).press("Enter");
  await expect(page.getByRole("dialog").getByRole("button", { name: "Cancel" })).toBeFocused();
  await press(page, "Tab", "Enter");
  const result = page.getByRole("dialog", { name: "2 customers verified" });
  await expect(result.getByRole("list", { name: "Refused" })).toHaveText(`${first} ${first} is already verified`);
  await expect(result.getByRole("button", { name: "Close" }).last()).toBeFocused();
  await press(page, "Enter");
  await expect(page.getByText("Nothing found")).toBeVisible();
  // Verified customers leave this list.
  await expect(bar(page)).toBeHidden();
});

/** The carrier's mod-10: weights 3, 1, 3, 1 … from the right. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 ? 1 : 3), 0);
  return digits + ((10 - (sum % 10)) % 10);
}

test("unused codes are deleted by choosing them, and a mistyped range by its first and last code", async ({
  admin: { page, token },
  server: { api },
}) => {
  const start = `98${String(Date.now()).padStart(14, "0")}`;
  const code = (place: number) => withCheckDigit(start + String(place).padStart(5, "0"));
  const body = { amount: 8, type: "priority", template: "evs", trackRef: code(1) } as const;
  await api.call(token, tracking.create, { body });
  await openScreen(page, `/usps?search=${start}`, "USPS Tracking");
  await expect(rows(page)).toHaveCount(8);
  await page.getByRole("checkbox", { name: `Choose ${code(1)}` }).click();
  await page.getByRole("checkbox", { name: `Choose ${code(2)}` }).click();
  await bar(page).getByRole("button", { name: "Delete 2 unused codes" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete 2 unused codes" }).click();
  await expect(toast(page, "2 unused codes deleted")).toBeVisible();
  await expect(bar(page)).toBeHidden();
  await expect(rows(page)).toHaveCount(6);

  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete a range" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("First code").fill(code(3));
  await dialog.getByLabel("Last code").fill(code(7));
  await dialog.getByRole("button", { name: "Delete 5 codes" }).click();
  await expect(dialog).toContainText("Deleted 5 unused codes");
  await expect(rows(page)).toHaveCount(1);
});

test("work in several calls continues where it failed, stops when told to, and says what is left", async ({
  admin: { page, token },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/503|Not now/);
  const start = `97${String(Date.now()).padStart(14, "0")}`;
  const code = (place: number) => withCheckDigit(start + String(place).padStart(5, "0"));
  const body = { amount: 202, type: "priority", template: "evs", trackRef: code(1) } as const;
  await api.call(token, tracking.create, { body });
  await openScreen(page, `/usps?search=${start}`, "USPS Tracking");
  await expect(rows(page)).toHaveCount(10);
  await page.getByRole("checkbox", { name: "Choose this page" }).press("Space");
  await bar(page).getByRole("button", { name: "Choose all 202 that match" }).press("Enter");
  await expect(bar(page)).toContainText("202 selected");

  // The second call fails; so does the next try, which is told to stop before; the last one waits until it is told.
  const calls: string[] = [];
  const told = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  await page.route(`**${tracking.deleteSeveral.path}`, async (route) => {
    calls.push(route.request().postData() ?? "");
    if (calls.length === 3) await told[0].promise;
    if (calls.length === 4) await told[1].promise;
    if (calls.length === 2 || calls.length === 3) return route.fulfill({ status: 503, json: { message: "Not now" } });
    await route.continue();
  });
  await bar(page).getByRole("button", { name: "Delete 202 unused codes" }).press("Enter");
  const question = page.getByRole("dialog", { name: "Delete 202 unused codes?" });
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await press(page, "Tab", "Enter");
  await expect(question.getByRole("alert")).toContainText("Not now");
  await expect(question.getByRole("status")).toHaveText("100 of 202");
  for (const { resolve } of told) {
    await question.getByRole("button", { name: "Try again" }).press("Enter");
    await question.getByRole("button", { name: "Stop" }).press("Enter");
    resolve();
  }

  const result = page.getByRole("dialog", { name: "200 unused codes deleted" });
  await expect(result).toContainText("Stopped: 2 were not tried, and are still chosen.");
  expect(calls).toEqual([calls[0], calls[1], calls[1], calls[1]]);
  await expect(result.getByRole("button", { name: "Close" }).last()).toBeFocused();
  await press(page, "Enter");
  await expect(rows(page)).toHaveCount(2);
  await bar(page).getByRole("button", { name: "Delete 2 unused codes" }).press("Enter");
  await expect(page.getByRole("dialog").getByRole("button", { name: "Cancel" })).toBeFocused();
  await press(page, "Tab", "Enter");
  await expect(toast(page, "2 unused codes deleted")).toBeVisible();
  await expect(page.getByText("Nothing found")).toBeVisible();
});
