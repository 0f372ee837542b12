import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import decodeQR from "qr/decode.js";
import { expectAccessible, expectColours } from "./accessibility.ts";
import { uniqueName } from "./api.ts";
import { expect, startExampleShop, test } from "./exampleShop.ts";
import { startProxy } from "./proxy.ts";
import {
  askForFedex,
  buyButton,
  chooseFile,
  columns,
  expectBalance,
  fileOf,
  fillAddress,
  fillLabel,
  labelOf,
  pdf,
  said,
  sender,
  signUp,
  to,
  topUp,
} from "./shopSteps.ts";

const summary = (page: Page) => page.getByRole("complementary", { name: "What you buy" });

/** The text of a QR code on the page. */
async function readQr(page: Page): Promise<string> {
  const picture = page.getByRole("img", { name: /^QR code/ });
  const side = Number((await picture.getAttribute("viewBox"))?.split(" ")[2]);
  const squares = (await picture.locator("path").getAttribute("d")) ?? "";
  const scale = 4;
  const width = side * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of squares.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < scale; row++)
      for (let column = 0; column < scale; column++) {
        const at = ((Number(y) * scale + row) * width + Number(x) * scale + column) * 4;
        data.fill(0, at, at + 3);
      }
  return decodeQR({ width, height: width, data });
}

test("a new customer sees prices at once, and can buy as soon as staff verify them", async ({
  page,
  server: { api },
  adminToken,
  shop,
  watch,
}) => {
  watch.expectProblem(/400|401/);
  const username = uniqueName("newcomer");
  await page.goto("/sign-up");
  await page.getByLabel("Your name or company").fill(username);
  await page.getByLabel("E-mail").fill("not an address");
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Create the account" }).click();
  await expect(page.getByLabel("E-mail")).toHaveAccessibleDescription("This does not look like an e-mail address");
  await expect(page.getByLabel("E-mail")).toBeFocused();
  await page.getByLabel("E-mail").fill(`${username}@example.com`);
  await page.getByLabel("Password").fill("a password of theirs");
  await page.getByRole("button", { name: "Create the account" }).click();

  await expect(page.getByRole("heading", { name: `Hello, ${username}` })).toBeVisible();
  await expect(said(page, "We are verifying your account")).toBeVisible();
  await page.getByRole("link", { name: "Ship" }).click();
  await expect(page.getByRole("radio", { name: shop.pounds })).toBeVisible();
  await expect(buyButton(page)).toBeDisabled();

  const { users: waiting } = await api.call(adminToken, users.listNew, { query: { search: username } });
  await api.call(adminToken, users.verify, { params: { id: waiting[0]?._id ?? "" } });
  await expect(said(page, "You are verified")).toBeVisible();
  await expect(said(page, "We are verifying your account")).toBeHidden();
  await expect(buyButton(page)).toBeEnabled();

  // They come back, with their own password only.
  await page.getByRole("button", { name: `Account of ${username}` }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("E-mail").fill(`${username}@EXAMPLE.com`);
  await page.getByLabel("Password").fill("a password of others");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(said(page, "E-mail and password do not match.")).toBeVisible();
  await page.getByLabel("Password").fill("a password of theirs");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: `Hello, ${username}` })).toBeVisible();
});

test("a top-up shows handle, QR code and amount, and is paid as soon as the panel marks it", async ({
  visit,
  newCustomer,
  server: { api },
  lasting,
}) => {
  const admin = await lasting.confirmed();
  await api.call(admin, website.updateCashapp, { body: { cashappId: "$larkpost" } });
  const customer = await newCustomer();
  const page = await visit(customer, "/balance");
  await topUp(page, "12,345");
  await expect(page.getByLabel("Amount")).toHaveAccessibleDescription(/between \$1 and \$10,000/);
  await page.getByRole("button", { name: "$100" }).click();
  await topUp(page, "62.50");

  await expect(page.getByRole("heading", { name: "Pay $62.50" })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("$larkpost");
  expect(await readQr(page)).toBe("https://cash.app/$larkpost/62.50");
  // The handle changes while somebody looks at it.
  await api.call(admin, website.updateCashapp, { body: { cashappId: "$larkpost-new" } });
  await expect(page.getByRole("main")).toContainText("$larkpost-new");
  expect(await readQr(page)).toBe("https://cash.app/$larkpost-new/62.50");

  const id = page.url().split("/").at(-1) ?? "";
  await api.call(admin, invoices.markPaid, { params: { id }, body: {} });
  await expect(page.getByRole("heading", { name: "Paid, thank you" })).toBeVisible();
  await expectBalance(page, "$62.50");
});

test("the calculator knows units and the customer's own prices, which follow the panel", async ({
  visit,
  newCustomer,
  server: { api },
  adminToken,
  shop,
}) => {
  const customer = await newCustomer();
  const { labelTypes: all } = await api.call(adminToken, labelTypes.list, {});
  const labelType = all.find(({ name }) => name === shop.pounds)?._id ?? "";
  const params = { id: customer._id };
  await api.call(adminToken, users.addCustomPrice, {
    params,
    body: { labelType, fromWeight: 0, toWeight: 1, price: 5.5 },
  });
  const page = await visit(customer, "/prices");
  const row = (name: string) => page.getByRole("table", { name: /What it costs/ }).getByRole("row", { name });
  await expect(row(shop.pounds)).toContainText("$8.90");
  await expect(row(shop.ounces)).toContainText("not for this weight");
  await api.call(adminToken, users.setCustomPricing, { params, body: { customPricingEnabled: true } });
  await expect(row(shop.pounds)).toContainText("Your price $5.50");
  await page.getByLabel("Unit").selectOption("oz");
  await page.getByLabel("It weighs").fill("6");
  await expect(row(shop.ounces)).toContainText("$4.10");
  await expect(row(shop.ounces)).toContainText("6 oz");
  // 6 ounces are 0.375 pounds.
  await expect(row(shop.pounds)).toContainText("0.375 lb");
  await page.getByRole("link", { name: `Buy ${shop.ounces}` }).click();
  await expect(page.getByRole("radio", { name: shop.ounces })).toBeChecked();
  await expect(page.getByLabel("Weight")).toHaveValue("6");
  await expect(summary(page)).toContainText("$4.10");
});

test("a label is priced before it is bought, and an address that looks wrong is only remarked on", async ({
  visit,
  newCustomer,
  server: { api },
  shop,
}) => {
  const customer = await newCustomer({ balance: 50 });
  const page = await visit(customer, "/ship");
  await buyButton(page).click();
  await expect(page.getByText("Choose a kind of label")).toBeVisible();
  await expect(page.getByRole("radio").first()).toBeFocused();
  await fillLabel(page, shop.pounds, "11");
  await buyButton(page).click();
  await expect(page.getByLabel("Weight")).toHaveAccessibleDescription(/carries at most 10 lb/);
  await page.getByLabel("Weight").fill("2.4");
  await expect(summary(page)).toContainText("$8.90");
  await expect(summary(page)).toContainText("$41.10");
  const zip = page.getByRole("region", { name: "To", exact: true }).getByLabel("ZIP code");
  await zip.fill("99207");
  await expect(zip).toHaveAccessibleDescription("ZIP code 99207 is in Washington, not in Maine");

  await buyButton(page).dblclick();
  await expect(page.getByRole("heading", { name: "Label for Lena Okafor" })).toBeVisible();
  await expect(said(page, "Bought for $8.90")).toBeVisible();
  await expect(said(page, "ZIP code 99207 is in Washington")).toBeVisible();
  await expectBalance(page, "$41.10");
  const { discordId } = customer;
  expect((await api.call(shop.key, storefront.orders, { query: { discordId } })).total).toBe(1);
  // The next form has the same sender and a new key.
  await page.getByRole("link", { name: "Ship" }).click();
  await expect(page.getByRole("region", { name: "From", exact: true }).getByLabel("Name")).toHaveValue("Tidewater");
  await page.getByRole("radio", { name: shop.pounds }).check();
  await page.getByLabel("Weight").fill("2.4");
  await fillAddress(page, "To", to);
  await buyButton(page).click();
  await expectBalance(page, "$32.20");
  expect((await api.call(shop.key, storefront.orders, { query: { discordId } })).total).toBe(2);
});

test("an answer that gets lost, a reload and another try buy once", async ({
  visit,
  newCustomer,
  server: { api },
  shop,
  watch,
}) => {
  watch.expectProblem(/ERR_FAILED|Failed to load resource/);
  const customer = await newCustomer({ balance: 50 });
  const page = await visit(customer, "/ship");
  await fillLabel(page, shop.pounds, "2.4");
  const keys: unknown[] = [];
  await page.route("**/api/orders", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().postDataJSON().key);
    await route.fetch();
    await route.abort();
  });
  await buyButton(page).click();
  await expect(said(page, "We did not hear back")).toBeVisible();
  await expect(page.getByLabel("Weight")).toBeDisabled();
  await page.reload();
  await expect(said(page, "We did not hear back")).toBeVisible();
  await expect(page.getByLabel("Weight")).toHaveValue("2.4");
  await page.getByRole("button", { name: "Send it again" }).click();
  await expect.poll(() => keys.length).toBe(2);
  await expect(said(page, "We did not hear back")).toBeVisible();
  await page.unroute("**/api/orders");
  await page.getByRole("button", { name: "Send it again" }).click();
  await expect(said(page, "Bought for $8.90")).toBeVisible();
  expect(new Set(keys).size).toBe(1);
  const { discordId } = customer;
  expect((await api.call(shop.key, storefront.orders, { query: { discordId } })).total).toBe(1);
  const { customer: after } = await api.call(shop.key, storefront.getCustomer, { params: { discordId } });
  expect(after.balance).toBe(41.1);
});

test("what cannot be bought is said in words that help: balance, price, disabled", async ({
  visit,
  newCustomer,
  server: { api },
  adminToken,
  shop,
  watch,
}) => {
  watch.expectProblem(/402|403|409/);
  const customer = await newCustomer({ balance: 10 });
  const page = await visit(customer, "/ship");
  await fillLabel(page, shop.pounds, "4");
  await buyButton(page).click();
  await expect(said(page, "Your balance is too small for this. Nothing was bought.")).toBeVisible();

  // The price has changed without the page's knowledge, and the server says so.
  await page.getByLabel("Weight").fill("2.4");
  await page.route("**/api/orders", (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), price: 8.5 }) }),
  );
  await buyButton(page).click();
  await expect(said(page, "The price changed just now: it is $8.90. Nothing was bought yet.")).toBeVisible();
  await page.unroute("**/api/orders");

  await page.getByLabel("Weight").fill("4");
  await buyButton(page).click();
  await page.getByRole("link", { name: "Top up" }).click();
  await expect(page.getByLabel("Amount")).toHaveValue("5");

  const status = (isActive: boolean) =>
    api.call(adminToken, users.setStatus, { params: { id: customer._id }, body: { status: isActive } });
  await status(false);
  await expect(said(page, "Your account is disabled")).toBeVisible();
  await page.getByRole("link", { name: "Ship" }).click();
  await expect(buyButton(page)).toBeDisabled();
  // The server does not trust the browser with the price.
  const body = {
    key: `${customer.discordId}:00000000-0000-4000-8000-000000000001`,
    price: 8.9,
    label: labelOf(shop.pounds),
  };
  const refused = await page.request.post(`${shop.url}/api/orders`, { data: body });
  expect([refused.status(), (await refused.json()).code]).toEqual([403, "disabled"]);
  await status(true);
  await expect(buyButton(page)).toBeEnabled();
});

test("a file is looked at first, each bad line is named, and all is bought or nothing", async ({
  visit,
  newCustomer,
  server: { api },
  shop,
  watch,
}) => {
  watch.expectProblem(/409/);
  const customer = await newCustomer({ balance: 200 });
  const page = await visit(customer, "/ship/bulk");
  const choose = (text: string) => chooseFile(page, text);
  const line = (remark: string) => page.getByRole("listitem").filter({ hasText: remark });

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Sample file" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("larkpost-sample.csv");

  await choose("name;weight\nLena;2");
  await expect(line("Line 1")).toContainText("Columns are missing: label_type, from_name");

  // In a European spreadsheet's format: byte order mark, semicolons, CRLF, quotes, and decimal commas.
  const uid = shop.pounds.replaceAll(" ", "-");
  const row = (...cells: string[]) => `${cells.join(";")}\r\n`;
  const office = sender.replaceAll(",", ";");
  await choose(
    `\ufeff${row(columns.replaceAll(",", ";"))}` +
      row(uid, "2,4", office, '"Okafor; ""Lena"""', "88 Wharf Rd", "Portland", "ME", "04101") +
      row("teleport", "1", office, "Ann", "1 Elm St", "Portland", "ME", "04101") +
      "\r\n" +
      row(uid, "heavy", office, "", '"1 Elm St\r\nBack door"', "Portland", "ME", "04101") +
      row(uid, "12", office, "Ann", "1 Elm St", "Portland", "ME", "99207"),
  );
  await expect(line("Line 3")).toContainText("label_type there is no “teleport”");
  await expect(line("Line 5").filter({ hasText: "weight" })).toContainText("“heavy” is not a number");
  await expect(line("Line 5").filter({ hasText: "to_name" })).toContainText("is missing");
  await expect(line("Line 7").filter({ hasText: "weight" })).toContainText("carries at most 10 lb");
  await expect(line("Line 7").filter({ hasText: "to_zip" })).toContainText("99207 is in Washington, not in Maine");
  await expect(page.getByRole("listitem").filter({ hasText: 'Okafor; "Lena"' })).toContainText("$8.90");
  await expect(page.getByRole("button", { name: /^Buy/ })).toBeDisabled();

  // There are too few codes, so nothing at all is bought.
  await choose(fileOf(501, shop.pounds));
  await expect(line("Line 1")).toContainText("The file has 501 labels; at most 500 can be bought at once");
  await choose(fileOf(500, shop.scarce));
  await expect(page.getByText("All 500 lines can be bought")).toBeVisible();
  await page.getByRole("button", { name: "Buy 500 labels" }).click();
  await expect(said(page, "sold out at the moment. Nothing was charged")).toBeVisible();

  await choose(fileOf(21, shop.pounds));
  await expect(page.getByText("$186.90")).toBeVisible();
  await expect(page.getByText("$13.10")).toBeVisible();
  await page.getByRole("button", { name: "Buy 21 labels" }).dblclick();
  await expect(said(page, "21 labels bought for $186.90")).toBeVisible();
  await expectBalance(page, "$13.10");
  const { discordId } = customer;
  const { total } = await api.call(shop.key, storefront.orders, { query: { discordId } });
  expect(total).toBe(21);

  await test.step("the history has pages and is searched", async () => {
    await page.getByRole("link", { name: "See your orders" }).click();
    const found = page.getByRole("region", { name: "Your orders" }).getByRole("listitem");
    await expect(found).toHaveCount(20);
    await page.getByRole("button", { name: "Next" }).click();
    await expect(found).toHaveCount(1);
    await expect(page).toHaveURL(/page=2/);
    // With a pause after the space.
    await page.getByRole("searchbox").pressSequentially("Person ");
    await expect(page).toHaveURL(/search=Person/);
    await page.keyboard.type("17");
    await expect(page.getByRole("searchbox")).toHaveValue("Person 17");
    await expect(found).toHaveCount(1);
    await expect(found).toContainText("Person 17");
    await expect(page).toHaveURL(/search=Person/);
    await page.getByRole("searchbox").fill("nobody at all");
    await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
  });
});

test("a refund is seen where it happens, in the list and on the order", async ({
  visit,
  newCustomer,
  server: { api },
  adminToken,
  shop,
}) => {
  const customer = await newCustomer({ balance: 20 });
  const { order } = await api.call(shop.key, storefront.createOrder, {
    body: { ...labelOf(shop.pounds), tracking: "1Z 999 AA1", discordId: customer.discordId },
  });
  const page = await visit(customer, "/orders");
  const row = page.getByRole("link", { name: /Lena Okafor/ });
  await expect(row).toContainText("1Z 999 AA1");
  await expect(row).not.toContainText("Refunded");
  await api.call(adminToken, orders.refund, { params: { id: order._id }, body: { reason: "Never scanned" } });
  await expect(row).toContainText("Refunded");
  await expectBalance(page, "$20.00");
  await page.getByRole("button", { name: "Active" }).click();
  await expect(page.getByRole("heading", { name: "Nothing found" })).toBeVisible();
  await page.getByRole("button", { name: "Refunded" }).click();
  await row.click();
  await expect(said(page, /Refunded \$8\.90/)).toContainText("Never scanned");
  await page.getByRole("link", { name: "Balance", exact: true }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Refund" })).toContainText("+$8.90");
});

test("a Fedex label is asked for, quoted, explained, and downloaded when it is ready", async ({
  visit,
  newCustomer,
  server,
  adminToken,
}) => {
  const customer = await newCustomer();
  const page = await visit(customer, "/ship/fedex");
  await page.getByRole("button", { name: "Ask for this label" }).click();
  await expect(page.getByLabel("Weight", { exact: true })).toHaveAccessibleDescription("Enter a number above 0");
  await askForFedex(page);
  await expect(said(page, "We have your request")).toBeVisible();
  const row = page.getByRole("region", { name: "Your Fedex orders" }).getByRole("listitem");
  await expect(row).toHaveCount(1);
  await expect(row).toContainText("Waiting for us");
  await expect(row).toContainText("12.5 lb");

  const { docs } = await server.api.call(adminToken, fedex.list, { query: { customer: customer._id } });
  const params = { id: docs[0]?._id ?? "" };
  const note = "Which day may it be picked up?";
  await server.api.call(adminToken, fedex.update, {
    params,
    body: { status: "Awaiting User Input", note, price: 42.6 },
  });
  await expect(row).toContainText("We need something from you");
  await expect(row).toContainText(note);
  await expect(row).toContainText("$42.60");

  const form = new FormData();
  form.set("status", "Completed");
  form.set("file", new Blob([pdf], { type: "application/pdf" }), "Ätikett 1.pdf");
  const sent = await fetch(server.url + fedex.update.path.replace(":id", params.id), {
    method: "POST",
    headers: { authorization: `Bearer ${adminToken}` },
    body: form,
  });
  expect(sent.status).toBe(200);
  await expect(row).toContainText("Ready");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    row.getByRole("link", { name: "Download the label" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Ätikett 1.pdf");
});

test("a customer sees their own things alone, and no page of another site acts for them", async ({
  visit,
  newCustomer,
  server: { api },
  shop,
}) => {
  const [owner, other] = [await newCustomer({ balance: 20 }), await newCustomer({ balance: 20 })];
  const { discordId } = owner;
  const { order } = await api.call(shop.key, storefront.createOrder, { body: { ...labelOf(shop.pounds), discordId } });
  const { invoice } = await api.call(shop.key, storefront.createInvoice, {
    body: { discordId, amount: 5, payment_method: "cashapp" },
  });
  const place = { name: "Ann", street: "1 Elm St", city: "Portland", state: "ME", zip: "04101" };
  const { order: parcel } = await api.call(shop.key, storefront.createFedexOrder, {
    body: {
      ...{ discordId, from: place, to: place, weight: 1, length: 1, width: 1, height: 1 },
      ...{ dimensionUnit: "in", weightUnit: "lb" },
    },
  });
  const paths = [`/api/orders/${order._id}`, `/api/invoices/${invoice._id}`];
  const page = await visit(owner);
  const status = async (path: string) => (await page.request.get(shop.url + path)).status();
  for (const path of paths) expect(await status(path), path).toBe(200);

  await visit(other);
  for (const path of [...paths, `/api/fedex-orders/${parcel._id}/file`]) expect(await status(path), path).toBe(404);
  for (const path of ["/api/orders", "/api/invoices", "/api/fedex-orders", "/api/transfers?search=x"]) {
    const text = await (await page.request.get(shop.url + path)).text();
    expect(text, path).not.toContain(order._id);
    expect(text, path).not.toContain(parcel._id);
    expect(text, path).not.toContain(owner.username);
  }

  const cookies = await page.context().cookies(shop.url);
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Lax" }]);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const send = (headers: Record<string, string>) =>
    fetch(`${shop.url}/api/invoices`, {
      method: "POST",
      headers: { cookie, ...headers },
      body: JSON.stringify({ amount: 5, key: `${other.discordId}:00000000-0000-4000-8000-000000000002` }),
    });
  const json = { "content-type": "application/json" };
  expect((await send({ ...json, origin: "https://elsewhere.example" })).status).toBe(403);
  expect((await send({ ...json, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await send({ "content-type": "text/plain" })).status).toBe(415);
  expect((await send({ ...json, origin: shop.url })).status).toBe(200);
  expect((await fetch(shop.url, { headers: { host: "elsewhere.example" } })).status).not.toBe(500);
  await page.goto("about:blank");
  await page.context().clearCookies();
  for (const path of [...paths, "/api/me", "/api/orders", "/api/live"]) expect(await status(path), path).toBe(401);
});

test("the customer who filled in a form pays, not the one who signed in meanwhile", async ({
  visit,
  newCustomer,
  server: { api },
  shop,
  watch,
}) => {
  watch.expectProblem(/401/);
  const [first, second] = [await newCustomer({ balance: 50 }), await newCustomer({ balance: 50 })];
  const page = await visit(first, "/ship");
  await fillLabel(page, shop.pounds, "2.4");
  // In another tab.
  await page.request.post(`${shop.url}/api/sign-in/demo`, { data: { discordId: second.discordId } });
  await buyButton(page).click();
  await expect(page.getByRole("button", { name: `Account of ${second.username}` })).toBeVisible();
  await expect(page.getByLabel("Weight")).toHaveValue("");
  for (const { discordId } of [first, second])
    expect((await api.call(shop.key, storefront.orders, { query: { discordId } })).total).toBe(0);
});

test("a purchase in doubt can be sent again when its label is not sold any more", async ({
  visit,
  newCustomer,
  server: { api },
  adminToken,
  shop,
  watch,
}) => {
  watch.expectProblem(/ERR_FAILED|Failed to load resource/);
  const name = uniqueName("passing Ground");
  const definition = { name, uid: name.replaceAll(" ", "-"), maxWeight: 10 };
  await api.call(adminToken, labelTypes.create, { body: { ...definition, type: "wwbiz", codes: null } });
  const { labelTypes: all } = await api.call(adminToken, labelTypes.list, {});
  const params = { id: all.find((one) => one.name === name)?._id ?? "" };
  await api.call(adminToken, labelTypes.addTier, { params, body: { fromWeight: 0, toWeight: 3, price: 8.9 } });
  const customer = await newCustomer({ balance: 50 });
  const page = await visit(customer, "/ship");
  await fillLabel(page, name, "2.4");
  await page.route("**/api/orders", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
  });
  await buyButton(page).click();
  await expect(said(page, "We did not hear back")).toBeVisible();
  await api.call(adminToken, labelTypes.setStatus, { params, body: { status: false } });
  await page.unroute("**/api/orders");
  await page.reload();
  await expect(page.getByRole("radio", { name })).toBeHidden();
  await page.getByRole("button", { name: "Send it again" }).click();
  await expect(said(page, "Bought for $8.90")).toBeVisible();
  const { discordId } = customer;
  expect((await api.call(shop.key, storefront.orders, { query: { discordId } })).total).toBe(1);
});

test("the browser is never told the key", async ({ visit, newCustomer, page, shop }) => {
  const told: Promise<string>[] = [];
  page.on("response", (response) => {
    const isStream = response.url().endsWith("/api/live");
    if (!isStream) told.push(response.text().catch(() => ""));
  });
  await visit(await newCustomer(), "/ship");
  await expect(page.getByRole("radio").first()).toBeVisible();
  for (const name of ["Orders", "Prices", "Balance", "Home"])
    await page.getByRole("link", { name, exact: true }).click();
  const texts = await Promise.all(told);
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.filter((text) => text.includes(shop.key))).toEqual([]);
});

test("the shop says why it cannot sell, and continues by itself", async ({
  browser,
  server,
  adminToken,
  shop: { key },
}) => {
  test.slow();
  const gate = await startProxy(server.url);
  gate.proxy.target = undefined;
  const closed = await startExampleShop(gate.url);
  const context = await browser.newContext({ baseURL: closed.url });
  try {
    const page = await context.newPage();
    const heading = (name: string) => expect(page.getByRole("heading", { name })).toBeVisible();
    await page.goto("/");
    await heading("We will be right back");
    gate.proxy.target = server.url;
    await heading("This shop is not set up yet");
    await closed.giveKey("no key of anybody");
    await heading("This shop is closed");
    await closed.giveKey(key);
    await heading("Shipping labels, simply");

    const username = uniqueName("patient");
    await signUp(page, username);
    gate.proxy.target = undefined;
    gate.cutIdle();
    // At the top, and where something was just requested.
    const unreachable = page.getByText("The shop cannot reach its back office");
    await expect(unreachable.first()).toBeVisible();
    await heading(`Hello, ${username}`);
    gate.proxy.target = server.url;
    await expect(unreachable).toHaveCount(0);
    // It gets events again, too.
    const { users: waiting } = await server.api.call(adminToken, users.listNew, { query: { search: username } });
    await server.api.call(adminToken, users.verify, { params: { id: waiting[0]?._id ?? "" } });
    await expect(said(page, "You are verified")).toBeVisible();
  } finally {
    await context.close();
    await closed.stop();
    await gate.stop();
  }
});

test("every screen can be used by everybody: light and dark, on a phone and on a desk", async ({
  visit,
  newCustomer,
  page,
  server: { api },
  adminToken,
  shop,
  watch,
}) => {
  test.slow();
  watch.expectProblem(/404/);
  const inAllLooks = async () => {
    // In turns, so that the theme changes once less for each width.
    for (const [width, first, second] of [
      [360, "light", "dark"],
      [1440, "dark", "light"],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: first });
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: second });
      await expectColours(page);
      const widest = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(widest, page.url()).toBeLessThanOrEqual(width);
    }
  };
  for (const path of ["/", "/sign-up"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await inAllLooks();
  }
  const customer = await newCustomer({ balance: 20 });
  const { discordId } = customer;
  const { order } = await api.call(shop.key, storefront.createOrder, { body: { ...labelOf(shop.pounds), discordId } });
  await api.call(adminToken, orders.refund, { params: { id: order._id }, body: {} });
  const { invoice } = await api.call(shop.key, storefront.createInvoice, {
    body: { discordId, amount: 5, payment_method: "cashapp" },
  });
  await visit(customer);
  const screens = ["/", "/ship", "/ship/bulk", "/ship/fedex", "/orders", `/orders/${order._id}`, "/orders/fedex"];
  for (const path of [...screens, "/prices", "/balance", `/balance/${invoice._id}`, "/nowhere", "/orders/nothing"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    if (path === "/ship") await buyButton(page).click();
    await inAllLooks();
  }
});
