import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import type { Page } from "@playwright/test";
import type { Api } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { customer, drawerOf, goByKeys, openScreen, toast } from "./steps.ts";

// The seed's orders of refund-customer go to "Refund 1" … "Refund 8": each is for one test.

const rows = (page: Page) => page.locator("table[aria-busy=false] tbody tr");
const details = (page: Page) => drawerOf(page, "Order");
/** Waits for what to check, since the buttons move until it has arrived. */
const question = (page: Page) =>
  page.getByRole("dialog", { name: "Refund this order?" }).filter({ hasNot: page.locator("[aria-busy=true]") });
const money = (amount: number) => amount.toLocaleString("en-US", { style: "currency", currency: "USD" });
const short = (id: string) => `${id.slice(0, 6)}…${id.slice(-6)}`;

async function orderTo(api: Api, token: string, receiver: string) {
  const found = (await api.call(token, orders.list, { query: { search: receiver } })).orders;
  const order = found.find(({ toName }) => toName === receiver);
  if (!order) throw new Error(`no order to ${receiver}`);
  return order;
}

const balance = async (api: Api, token: string) => (await customer(api, token, "refund-customer")).balance;

/** Opens the one order to this receiver. */
async function view(page: Page, receiver: string) {
  await openScreen(page, `/orders?search=${encodeURIComponent(receiver)}`, "Orders");
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: /^View/ }).click();
  await expect(details(page)).toBeVisible();
}

async function askToRefund(page: Page, receiver: string) {
  await view(page, receiver);
  await details(page).getByRole("button", { name: "Refund Order" }).click();
  await expect(question(page)).toBeVisible();
}

test("hovering a shortened id tells all of it, and so does focusing its button", async ({
  staff: { page, token },
  server,
}) => {
  const { uuid } = await orderTo(server.api, token, "Refund 1");
  await openScreen(page, "/orders?search=Refund+1", "Orders");
  const shown = rows(page)
    .locator("[data-id]")
    .filter({ hasText: short(uuid) });
  const told = page.getByRole("tooltip").filter({ hasText: uuid });
  await shown.hover();
  await expect(told).toBeVisible();
  await expect(shown).toHaveAccessibleDescription(uuid);
  await page.keyboard.press("Escape");
  await expect(told).toBeHidden();
  await page.getByRole("heading", { level: 1 }).hover();
  await shown.hover();
  await expect(told).toBeVisible();
  await page.getByRole("heading", { level: 1 }).hover();
  await expect(told).toBeHidden();

  await page.getByRole("button", { name: `Copy order id ${uuid}` }).focus();
  await expect(told).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(told).toBeHidden();
});

test("a row shows order, age, customer with balance, label type, receiver, tracking, price and status", async ({
  staff: { page, token },
  server,
}) => {
  const order = await orderTo(server.api, token, "Refund 1");
  await openScreen(page, "/orders?search=Refund+1", "Orders");
  await expect(page.getByRole("columnheader")).toHaveText([
    "Order",
    "Customer",
    "Label type",
    "To",
    "Tracking",
    "Price",
    "Status",
    "Actions",
  ]);
  for (const text of [
    short(order.uuid),
    // Other tests refund it meanwhile.
    /refund-customer\$[\d,]+\.\d\d/,
    "USPS First Class",
    "8 oz",
    `Refund 1${order.toCity}, ${order.toState} ${order.toZip}`,
    short(order.tracking),
    "Active",
  ])
    await expect(rows(page)).toContainText(text);
  await expect(rows(page).getByRole("cell", { name: "$13.40" })).toHaveCSS("text-align", "right");
  await expect(rows(page).getByRole("button", { name: `Copy tracking code ${order.tracking}` })).toBeVisible();
  await expect(rows(page).getByRole("time")).toBeVisible();
});

test("an order shows both addresses whole, and its weight in the unit of its label type", async ({
  staff: { page, token },
  server,
}) => {
  const order = await orderTo(server.api, token, "Refund 1");
  await view(page, "Refund 1");
  const from = details(page).getByRole("region", { name: "From" });
  for (const line of [order.fromName, "Brandt & Daughters", order.fromStreet, "Suite 5", "United States"])
    await expect(from).toContainText(line);
  await expect(from).toContainText(`${order.fromCity}, ${order.fromState} ${order.fromZip}`);
  const to = details(page).getByRole("region", { name: "To" });
  for (const line of ["Refund 1", "Harbor Goods LLC", order.toStreet, "Unit 4", "United States"])
    await expect(to).toContainText(line);
  await expect(to).toContainText(`${order.toCity}, ${order.toState} ${order.toZip}`);
  await expect(details(page)).toContainText("Label typeUSPS First Class");
  await expect(details(page)).toContainText("Weight8 oz");
  await expect(details(page).getByRole("region", { name: "Price" })).toContainText("Charged $13.40");
  await expect(details(page).getByRole("link", { name: "refund-customer" })).toHaveAttribute(
    "href",
    `/users/${order.user._id}?tab=balance`,
  );

  await view(page, "Refund 2");
  await expect(details(page)).toContainText("Label typeWWBiz Ground");
  await expect(details(page)).toContainText("Weight2.5 lb");
});

test("a refund asks first, returns the price to the customer's balance and shows in the row", async ({
  staff: { page, token },
  server,
}) => {
  const before = await balance(server.api, token);
  await askToRefund(page, "Refund 3");
  await expect(question(page)).toContainText("$15.40 returns to the balance of refund-customer");
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await expect(question(page)).toBeHidden();
  expect(await balance(server.api, token)).toBe(before);

  await details(page).getByRole("button", { name: "Refund Order" }).click();
  await question(page).getByRole("button", { name: "Refund $15.40" }).click();
  await expect(toast(page, "$15.40 refunded to refund-customer")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(rows(page)).toContainText("Refunded");
  expect(await balance(server.api, token)).toBeCloseTo(before + 15.4, 5);

  await expect(details(page)).toContainText("Refunded: $15.40 went back to refund-customer's balance.");
  await expect(page.getByRole("button", { name: "Refund Order" })).toHaveCount(0);
  await openScreen(page, "/users?search=refund-customer", "Users");
  await expect(rows(page)).toContainText(money(before + 15.4));
});

test("double clicks ask once and refund once", async ({ staff: { page, token }, server }) => {
  const before = await balance(server.api, token);
  const keys: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/orders/refund/")) keys.push(request.headers()["idempotency-key"]);
  });
  await view(page, "Refund 4");
  await details(page).getByRole("button", { name: "Refund Order" }).dblclick();
  await expect(question(page)).toBeVisible();
  await question(page).getByRole("button", { name: "Refund $16.40" }).dblclick();
  await expect(toast(page, "$16.40 refunded to refund-customer")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(await balance(server.api, token)).toBeCloseTo(before + 16.4, 5);
});

test("a refund whose answer got lost is said to have failed, and trying again does not refund twice", async ({
  staff: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/Failed to load resource|Cannot reach the server|The first try went through/);
  const before = await balance(server.api, token);
  const address = "**/api/v1/admin/orders/refund/*";
  await page.route(address, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await askToRefund(page, "Refund 5");
  await question(page).getByRole("button", { name: "Refund $17.40" }).click();
  await expect(toast(page, "Cannot reach the server.")).toBeVisible();
  await expect(question(page)).toContainText("Cannot reach the server.");

  await page.unroute(address);
  const reason = question(page).getByRole("textbox", { name: "Reason" });
  await reason.fill("Bought twice");
  await question(page).getByRole("button", { name: "Refund $17.40" }).click();
  await expect(question(page)).toContainText(
    /The first try went through.*\$17\.40 refunded.*Nothing was done this time/,
  );
  await reason.fill("");
  await question(page).getByRole("button", { name: "Refund $17.40" }).click();
  await expect(toast(page, /^\$17\.40 refunded to refund-customer/)).toBeVisible();
  await expect(rows(page)).toContainText("Refunded");
  expect(await balance(server.api, token)).toBeCloseTo(before + 17.4, 5);
});

test("an order that a colleague has just refunded is not refunded again", async ({
  staff: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/409|already refunded/);
  await askToRefund(page, "Refund 6");
  const order = await orderTo(server.api, token, "Refund 6");
  await server.api.call(token, orders.refund, { params: { id: order._id } });
  const before = await balance(server.api, token);
  await question(page).getByRole("button", { name: "Refund $18.40" }).click();
  await expect(toast(page, "This order is already refunded")).toBeVisible();
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await expect(details(page)).toContainText("Refunded: $18.40");
  await expect(details(page).getByRole("button", { name: "Refund Order" })).toHaveCount(0);
  expect(await balance(server.api, token)).toBe(before);
});

test("by keyboard: Escape closes the question, then the order, and the focus returns to its row", async ({
  staff: { page },
}) => {
  await openScreen(page, "/orders?search=Refund+7", "Orders");
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: /^View/ }).focus();
  await page.keyboard.press("Enter");
  await expect(details(page)).toBeFocused();
  await details(page).getByRole("button", { name: "Refund Order" }).focus();
  await page.keyboard.press("Enter");
  await expect(question(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question(page)).toBeHidden();
  await expect(details(page)).toBeVisible();
  await expect(details(page).getByRole("button", { name: "Refund Order" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(details(page)).toBeHidden();
  await expect(rows(page)).toBeFocused();
});

test("an order shows who bought it with which key, the reason for its price, and who refunded it and why", async ({
  adminToken,
  staff: { page, account },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  await api.call(adminToken, users.setCustomPricing, { params: shop.params, body: { customPricingEnabled: true } });
  await api.call(adminToken, users.addCustomPrice, {
    params: shop.params,
    body: { labelType: shop.labelType, fromWeight: 0, toWeight: 3, price: 8.4 },
  });
  await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who } });

  await view(page, shop.name);
  await expect(details(page)).toContainText(`${shop.name}Custom pricing, 1 order since just now$41.60Balance`);
  const price = details(page).getByRole("region", { name: "Price" });
  await expect(price).toContainText("Standard price for 2.4 lb$8.90");
  await expect(price).toContainText(`Custom price of ${shop.name}, tier 0–3 lb$8.40`);
  await expect(price).toContainText("Charged $0.50 below standard$8.40");
  const events = details(page).getByRole("region", { name: "Timeline" }).getByRole("listitem");
  await expect(events).toHaveCount(1);
  await expect(events).toContainText(`Bought through ${shop.name} shop`);
  await expect(events).toContainText("Balance $50.00 → $41.60");

  await details(page).getByRole("textbox", { name: "Note" }).fill("Asked for a photo of both labels.");
  await details(page).getByRole("button", { name: "Save note" }).click();
  await expect(events).toHaveCount(2);
  await expect(events.last()).toContainText(`${account.username} noted`);
  await expect(events.last()).toContainText("Asked for a photo of both labels.");
  await expect(details(page).getByRole("textbox", { name: "Note" })).toHaveValue("");

  await details(page).getByRole("button", { name: "Refund Order" }).click();
  await expect(question(page)).toContainText("Current balance$41.60");
  await expect(question(page)).toContainText("New balance$50.00");
  await question(page).getByRole("textbox", { name: "Reason" }).fill("Printed twice");
  await question(page).getByRole("button", { name: "Refund $8.40" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(events.last()).toContainText(`Refunded by ${account.username} +$8.40`);
  await expect(events.last()).toContainText("“Printed twice”");

  await details(page).getByRole("link", { name: shop.name }).click();
  await expect(page).toHaveURL(new RegExp(`/users/${shop.params.id}\\?tab=balance$`));
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a second refund of the same amount within ten minutes says who made the first", async ({
  adminToken,
  staff: { page, token: staffToken, account },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  const { order } = await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who } });
  const label = { ...shop.label, toName: `${shop.name} again` };
  await api.call(shop.key, storefront.createOrder, { body: { ...label, ...shop.who } });
  await api.call(staffToken, orders.refund, { params: { id: order._id } });
  await askToRefund(page, label.toName);
  await expect(question(page).getByRole("status")).toHaveText(
    `$8.90 was credited to ${shop.name} already, just now by ${account.username}.`,
  );
});

test("an order with a prepaid code tells which batch it came from; one from before says that its price is not explained", async ({
  staff: { page },
}) => {
  await page.route("**/api/v1/admin/orders/read/*", async (route) => {
    const story = await (await route.fetch()).json();
    const codes = { amount: 500, first: "9200190255140000000103", last: "9200190255140000005092" };
    const by = { username: "maren", kind: "account", _id: story.order._id };
    await route.fulfill({ json: { ...story, batch: { ...codes, by, createdAt: "2026-01-31T12:00:00.000Z" } } });
  });
  await view(page, "Refund 7");
  await expect(details(page).getByRole("region", { name: "Price" })).toContainText(
    "Which price applied was not recorded yet",
  );
  const events = details(page).getByRole("region", { name: "Timeline" }).getByRole("listitem");
  await expect(events).toContainText(["Tracking code registered by maren", "Bought"]);
  await expect(events.first()).toContainText("In a batch of 500: 920019…000103 to 920019…005092");
});

test("an order whose story cannot be loaded shows what the list knows, and offers Retry", async ({
  staff: { page },
  watch,
}) => {
  watch.expectProblem(/503|does not answer/);
  const story = "**/api/v1/admin/orders/read/*";
  await page.route(story, (route) =>
    route.fulfill({ status: 503, json: { message: "The database does not answer at the moment. Try again shortly." } }),
  );
  await view(page, "Refund 7");
  await expect(details(page).getByRole("region", { name: "To" })).toContainText("Refund 7");
  await expect(details(page).getByText("The order's story could not be loaded")).toBeVisible();
  await page.unroute(story);
  await details(page).getByRole("button", { name: "Retry" }).click();
  await expect(details(page).getByRole("region", { name: "Timeline" })).toContainText("Bought");
});

test("the status filter shows all, active or refunded orders", async ({ staff: { page, token }, server }) => {
  await openScreen(page, "/orders?search=Lena+Okafor", "Orders");
  const filter = page.getByRole("combobox", { name: "Status" });
  await expect(filter.getByRole("option")).toHaveText(["All", "Active", "Refunded"]);
  for (const status of ["Refunded", "Active"] as const) {
    await filter.selectOption(status);
    await expect(page).toHaveURL(new RegExp(`status=${status}`));
    const { total } = await server.api.call(token, orders.list, { query: { search: "Lena Okafor", status } });
    expect(total).toBeGreaterThan(0);
    await expect(rows(page)).toHaveCount(total);
    await expect(rows(page).filter({ hasText: status })).toHaveCount(total);
  }
  await filter.selectOption("All");
  await expect(page).not.toHaveURL(/status=/);
  await expect(rows(page)).toHaveCount(10);
});

test("orders are sorted by date, newest first until turned around", async ({ staff: { page, token }, server }) => {
  const newest = await orderTo(server.api, token, "Paging 01");
  const oldest = await orderTo(server.api, token, "Paging 25");
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await expect(rows(page).first()).toContainText(short(newest.uuid));
  await page.getByRole("button", { name: "Newest first" }).click();
  await expect(page).toHaveURL(/sort=asc/);
  await expect(rows(page).first()).toContainText(short(oldest.uuid));
});

test("an order is found by its id, tracking and customer", async ({ staff: { page, token }, server }) => {
  const order = await orderTo(server.api, token, "Refund 8");
  await openScreen(page, "/orders", "Orders");
  for (const search of [order.uuid, order.tracking, "refund 8"]) {
    await page.getByRole("searchbox").fill(search);
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText(short(order.uuid));
  }
  await page.getByRole("searchbox").fill("refund-customer");
  await expect(rows(page)).toHaveCount(8);
  await page.getByRole("searchbox").fill("no-such-order");
  await expect(page.getByText("Nothing found")).toBeVisible();
});

test("Back from another screen returns to page 3 of the filtered list", async ({ staff: { page } }) => {
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await page.getByRole("combobox", { name: "Status" }).selectOption("Active");
  await expect(page.getByText("1–10 of 25")).toBeVisible();
  await expect(page.getByRole("button", { name: "Prev" })).toBeDisabled();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("11–20 of 25")).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("21–25 of 25")).toBeVisible();
  await expect(page.getByText("Page 3 of 3")).toBeVisible();
  await expect(page.getByRole("button", { name: "Next" })).toBeDisabled();

  await page.getByRole("button", { name: /^View/ }).first().click();
  await expect(details(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(details(page)).toBeHidden();
  await page.getByRole("link", { name: "Invoices" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Invoices");
  await page.goBack();
  await expect(page.getByText("21–25 of 25")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Status" })).toHaveValue("Active");
  await expect(page.getByRole("searchbox")).toHaveValue("paging-customer");
  await page.getByRole("button", { name: "Prev" }).click();
  await expect(page.getByText("11–20 of 25")).toBeVisible();
});

test("a page that was fetched ahead is not fetched again when it is opened, and one that was seen is", async ({
  staff: { page },
}) => {
  const fetched: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === orders.list.path) fetched.push(searchParams.get("page") ?? "");
  });
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await expect.poll(() => fetched).toEqual(["1", "2"]);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("11–20 of 25")).toBeVisible();
  await expect.poll(() => fetched).toEqual(["1", "2", "3"]);
  await page.getByRole("button", { name: "Prev" }).click();
  await expect(page.getByText("1–10 of 25")).toBeVisible();
  await expect.poll(() => fetched).toEqual(["1", "2", "3", "1"]);
});

test("an answer that arrives late never overwrites a newer one", async ({ staff: { page } }) => {
  const asked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await page.route(`**${orders.list.path}?*status=Refunded*`, async (route) => {
    const response = await route.fetch();
    asked.resolve();
    await late.promise;
    // The panel may have cancelled the request by now.
    await route.fulfill({ response }).catch(() => {});
    answered.resolve();
  });
  await openScreen(page, "/orders?search=Lena+Okafor", "Orders");
  await page.getByRole("combobox", { name: "Status" }).selectOption("Refunded");
  // The address does not tell: it changes before the list is asked for, and another status now would skip that.
  await asked.promise;
  await page.getByRole("combobox", { name: "Status" }).selectOption("Active");
  await expect(rows(page)).toHaveCount(9);
  late.resolve();
  await answered.promise;
  // Time in which it could do harm.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
  await expect(rows(page)).toHaveCount(9);
  await expect(rows(page).filter({ hasText: "Refunded" })).toHaveCount(0);
});

test("a question stays in front of the details that it is about while the window becomes narrow, and wide", async ({
  staff: { page },
}) => {
  await openScreen(page, "/orders?status=Active", "Orders");
  await rows(page).first().getByRole("button", { name: /^View/ }).click();
  await details(page).getByRole("button", { name: "Refund Order" }).click();
  const reason = question(page).getByRole("textbox");
  await reason.fill("Bought twi");
  for (const width of [1000, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(reason).toBeFocused();
    await page.keyboard.type("ce");
  }
  await expect(reason).toHaveValue("Bought twicece");
  await page.setViewportSize({ width: 1000, height: 800 });
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("dialog", { name: "Order" })).toBeVisible();
  await expect(details(page)).toHaveCount(0);
});

test("a search that did not look at everything does not say that nothing matches", async ({ staff: { page } }) => {
  await page.route(`**${orders.list.path}?*`, (route) =>
    route.fulfill({ json: { orders: [], total: 0, totalPages: 0, totalCapped: true } }),
  );
  await openScreen(page, "/orders?search=e+or", "Orders");
  await expect(page.getByText("Nothing found so far")).toBeVisible();
  await expect(page.getByText("among the rows that were looked at, and there are more. Type more of it")).toBeVisible();
  await page.unroute(`**${orders.list.path}?*`);
  await page.getByText("Clear search").click();
  await expect(rows(page)).toHaveCount(10);
});

test("while the server is down the list says so and offers Retry", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/Failed to load resource|Cannot reach the server/);
  await page.route(`**${orders.list.path}*`, (route) => route.abort());
  await openScreen(page, "/orders", "Orders");
  await expect(page.getByRole("alert")).toContainText("Cannot reach the server.");
  await page.unroute(`**${orders.list.path}*`);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(rows(page)).toHaveCount(10);
});

test("a refund of several tells customers of one name apart and stays despite Back, and another search chooses none", async ({
  adminToken,
  staff: { page, token },
  server: { api },
}) => {
  const [one, other] = [await newShop(api, adminToken), await newShop(api, adminToken)];
  await api.call(other.key, storefront.putCustomer, { params: other.who, body: { username: one.name } });
  for (const { key, label, who } of [one, other])
    await api.call(key, storefront.createOrder, { body: { ...label, ...who, toName: one.name } });
  const bar = page.getByRole("region", { name: "Chosen rows" });
  const choosePage = page.getByRole("checkbox", { name: "Choose this page" });
  await openScreen(page, "/invoices", "Invoices");
  await goByKeys(page, "o");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  await page.getByRole("searchbox").fill(one.name);
  await expect(rows(page)).toHaveCount(2);
  await choosePage.click();
  await expect(bar).toContainText("2 selected");
  await page.getByRole("searchbox").fill("");
  await expect(rows(page)).toHaveCount(10);
  await page.getByRole("searchbox").fill(one.name);
  await expect(rows(page)).toHaveCount(2);
  await expect(bar).toBeHidden();

  await choosePage.click();
  await bar.getByRole("button", { name: "Refund 2 orders" }).click();
  const asked = page.getByRole("dialog", { name: "Refund 2 orders?" });
  await expect(asked.getByRole("listitem")).toHaveText([`${one.name} $8.90`, `${one.name} $8.90`]);
  const held = Promise.withResolvers<void>();
  await page.route(`**${orders.refundSeveral.path}`, async (route) => {
    await held.promise;
    await route.continue();
  });
  // As soon as it says that it is under way.
  const wentBack = page.evaluate(
    () =>
      new Promise((done) => {
        const observer = new MutationObserver(() => {
          if (!document.body.textContent.includes("Refunding…")) return;
          observer.disconnect();
          window.addEventListener("popstate", () => setTimeout(done), { once: true });
          window.history.back();
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
  );
  const sent = page.waitForRequest(`**${orders.refundSeveral.path}`);
  await asked.getByRole("button", { name: "Refund 2 orders" }).click();
  await Promise.all([sent, wentBack]);
  await expect(asked).toContainText("Refunding…");
  held.resolve();
  await expect(toast(page, "2 orders refunded")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  await expect(rows(page).filter({ hasText: "Refunded" })).toHaveCount(2);
  for (const { params } of [one, other]) {
    const { user } = await api.call(token, users.read, { params });
    expect(user.balance).toBe(50);
  }
});
