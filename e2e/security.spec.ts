import { randomUUID } from "node:crypto";
import { type Endpoint, type Input, pathOf, type Reply } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { uniqueName } from "./api.ts";
import { expect, testAlone as test } from "./fixtures.ts";
import { customer, doToasted, drawerOf, open as goTo } from "./steps.ts";

/** Would run if anything interpreted it. Each fits into the shortest field that it is put into. */
const script = "<script>window.hacked=1</script>";
const image = "<img src=x onerror=window.hacked=1>";
const breakout = `"><svg onload=window.hacked=1>'`;
const address = "javascript:window.hacked=1";
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant to be read as text
const template = "{{constructor.constructor('window.hacked=1')()}}${window.hacked=1}";
const formula = "=cmd|' /C calc'!A0";
const invisible = "\u200Ftxt.\u200Bexe \u{e0041}";
const backwards = "\u202Etxt.\u2066exe\u2069 \u{e0041}";
const markup = "**[x](javascript:window.hacked=1)**";
const entity = "&lt;b&gt;&#60;i&#62;";
const short = "<b onclick=x>";
const tiny = "<i>@+-=";

test("whatever customers, shops and operators write is shown as they wrote it, and never run", async ({
  admin: { page, token },
  server,
}) => {
  test.slow();
  const { api } = server;
  await page.context().addInitScript(() => {
    window.alert =
      window.confirm =
      window.prompt =
        () => {
          throw new Error("something was run");
        };
  });
  page.on("dialog", (dialog) => {
    throw new Error(`a dialog opened: ${dialog.message()}`);
  });

  const mark = uniqueName("x");
  const username = `${image}${mark}`;
  const labelType = `${script} ${mark}`;
  const keyName = `${breakout}${mark}`;
  const chatId = `${image} ${entity}`;
  const discordId = mark;

  const { key } = await api.call(token, website.createApiKey, { body: { name: keyName } });
  const shop = <E extends Endpoint>(endpoint: E, input: Input<E>) => callAsShop(server.url, key, endpoint, input);
  await shop(storefront.putCustomer, { params: { discordId }, body: { username } });
  const member = await api.addStaff(token);
  const [{ _id: memberId } = { _id: "" }] = (await api.call(token, staff.list, { query: { search: member.username } }))
    .staff;
  await api.call(token, staff.update, { params: { id: memberId }, body: { chatId } });

  await test.step("the newcomer", async () => {
    await see(page, `/new-users?search=${mark}`, [username]);
    const verify = page.getByRole("button", { name: /^Verify/ }).first();
    await doToasted(page, `${username} is verified`, () => verify.click());
    await unharmed(page);
  });
  const { _id: userId } = await customer(api, token, username);
  await api.call(token, users.addBalance, { params: { id: userId }, body: { balance: 100 } });

  await api.call(token, labelTypes.create, {
    body: { name: labelType, uid: `${breakout}${mark}`, maxWeight: 10, type: "wwbiz" },
  });
  const { labelTypes: types } = await api.call(token, labelTypes.list, {});
  const labelTypeId = types.find(({ name }) => name === labelType)?._id ?? "";
  await api.call(token, labelTypes.addTier, {
    params: { id: labelTypeId },
    body: { fromWeight: 0, toWeight: 10, price: 1 },
  });
  await api.call(token, users.addCustomPrice, {
    params: { id: userId },
    body: { labelType: labelTypeId, fromWeight: 0, toWeight: 1, price: 2 },
  });

  const purchase = {
    labelType: `${breakout}${mark}`,
    weight: 1,
    fromName: `${script}f`,
    fromCompany: image,
    fromStreet: template,
    fromStreet2: address,
    fromCity: formula,
    fromState: entity,
    fromZip: short,
    fromCountry: markup,
    toName: `${breakout}${mark}`,
    toCompany: invisible,
    toStreet: `${image}t`,
    toStreet2: `${script}t`,
    toCity: `+${formula}`,
    toState: `@${formula}`,
    toZip: tiny,
    toCountry: `-${formula}`,
    tracking: `1${mark}`,
  };
  await shop(storefront.createOrder, { body: { discordId, ...purchase } });
  await shop(storefront.createBulkOrder, { body: { discordId, orders: [purchase, purchase] } });
  const party = {
    name: `${image}${mark}`,
    street: template,
    street2: script,
    city: breakout,
    state: markup,
    zip: short,
  };
  const notes = `${script}\n${template}\n${image}`;
  const { order } = await shop(storefront.createFedexOrder, {
    body: {
      discordId,
      from: { ...party, name: `${script}f` },
      to: party,
      weight: 1,
      length: 1,
      width: 1,
      height: 1,
      dimensionUnit: tiny,
      weightUnit: tiny,
      specialNotes: notes,
    },
  });
  const form = new FormData();
  const note = `${image}\n${address}\n${formula}\n\u001b[31m${backwards}`;
  form.append("note", note);
  form.append("file", new Blob(["%PDF-1.7\n"]), `${image.replaceAll("=", "")}.pdf`);
  const updated = await fetch(server.url + pathOf(fedex.update, { id: order._id }), {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  expect(updated.status).toBe(200);

  const hosted = `https://pay.example/"><svg onload=window.hacked=1>${mark}`;
  await shop(storefront.createInvoice, {
    body: { discordId, amount: 5, payment_method: "paypal", hosted_url: hosted },
  });

  const addresses = Object.values(purchase).filter(
    (text): text is string => typeof text === "string" && text !== purchase.labelType && text !== purchase.tracking,
  );

  await test.step("orders", async () => {
    await see(page, `/orders?search=${mark}`, [username, labelType]);
    await open(page, /^View/, [username, labelType, ...addresses]);
    await page.getByRole("button", { name: "Refund Order" }).click();
    await expect(page.getByRole("dialog", { name: "Refund this order?" })).toContainText(username);
    await unharmed(page);
  });
  await test.step("bulk orders", async () => {
    await see(page, `/bulk-orders?search=${mark}`, [username]);
    await open(page, /^View/, [username, purchase.fromName, purchase.toName]);
  });
  await test.step("Fedex orders", async () => {
    await see(page, `/fedex?search=${mark}`, [mark]);
    await open(page, /^View/, [`${script}f`, template, script, breakout, markup, short, tiny, formula, image, address]);
    await see(page, `/fedex?search=${mark}`, [mark]);
    await open(page, /^Update/, []);
    await expect(page.getByRole("dialog").getByLabel("Note")).toHaveValue(note);
  });
  await test.step("users", async () => {
    await see(page, `/users?search=${mark}`, [username]);
    await open(page, /^Add Balance/, [username]);
    await see(page, `/users?search=${mark}`, [username]);
    await page.getByRole("link", { name: `Pricing of ${username}`, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(username);
    await expect(page.getByRole("main")).toContainText(labelType);
    await open(page, /^Delete/, [labelType]);
  });
  await test.step("invoices", async () => {
    await see(page, `/invoices?search=${encodeURIComponent(username)}`, [username]);
    const link = page.getByRole("link", { name: /^Open the invoice page/ });
    await expect(link).toHaveAttribute("href", /^https:\/\/pay\.example\//);
    await open(page, /^Mark as Paid/, [username]);
  });
  await test.step("label types", async () => {
    await see(page, "/pricing", [labelType]);
    const row = page.getByRole("row").filter({ hasText: labelType });
    await row.getByRole("button", { name: /^Edit/ }).click();
    await expect(page.getByRole("dialog").getByLabel("Name")).toHaveValue(labelType);
    await unharmed(page);
    await see(page, "/pricing", [labelType]);
    await page.getByRole("link", { name: `Prices of ${labelType}`, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${labelType} prices`);
    await unharmed(page);
  });
  await test.step("staff", async () => {
    await see(page, `/staff?search=${member.username}`, [chatId]);
    await open(page, /^Edit/, []);
    await expect(page.getByRole("dialog").getByLabel("Chat id")).toHaveValue(chatId);
  });
  await test.step("website, logs and dashboard", async () => {
    await see(page, "/website", [keyName]);
    await see(page, `/logs?search=${mark}`, [username, keyName]);
    await open(page, /^Changes/, []);
    await see(page, "/", []);
  });
  await test.step("a search", async () => {
    const asked = `?search=${encodeURIComponent(`${image}${breakout}`)}&page=${encodeURIComponent(script)}&sort=${script}`;
    for (const path of ["bulk-orders", "fedex", "users", "new-users", "invoices", "usps", "logs", "staff"])
      await see(page, `/${path}${asked}`, []);
    await load(page, `/orders${asked}`, []);
    await load(page, `/${encodeURIComponent(image)}`, []);
  });
});

test("an address that is no page's is not taken for an invoice", async ({ admin: { token }, server }) => {
  const { key } = await server.api.call(token, website.createApiKey, { body: { name: uniqueName("shop") } });
  const discordId = uniqueName("d");
  await callAsShop(server.url, key, storefront.putCustomer, { params: { discordId }, body: { username: discordId } });
  const addresses = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "//evil.example",
  ];
  for (const hosted_url of addresses) {
    const answer = callAsShop(server.url, key, storefront.createInvoice, {
      body: { discordId, amount: 5, payment_method: "paypal", hosted_url },
    });
    await expect(answer, hosted_url).rejects.toThrow("400");
  }
});

async function callAsShop<E extends Endpoint>(url: string, key: string, endpoint: E, input: Input<E>) {
  const { params, body } = input as { params?: Record<string, string>; body?: unknown };
  const response = await fetch(url + pathOf(endpoint, params), {
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(endpoint.idempotent && { "idempotency-key": randomUUID() }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${endpoint.path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Reply<E>;
}

/** Opens a screen and finds exactly these texts on it. */
async function see(page: Page, path: string, texts: string[]) {
  await goTo(page, path);
  await find(page, texts);
}

/** The same, of a panel that is loaded there. */
async function load(page: Page, path: string, texts: string[]) {
  await page.goto(path);
  await find(page, texts);
}

async function find(page: Page, texts: string[]) {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  for (const text of texts) await expect(page.locator("body")).toContainText(text);
  await unharmed(page);
}

/** Opens the first row's details, in a dialog or beside the list, and finds these texts in them. */
async function open(page: Page, button: RegExp, texts: string[]) {
  await page.getByRole("button", { name: button }).first().click();
  const details = page.getByRole("dialog").or(drawerOf(page, "(Order|Entry)")).first();
  await expect(details).toBeVisible();
  for (const text of texts) await expect(details).toContainText(text);
  await unharmed(page);
}

/** Nothing ran, and no text became markup. Violations of the browser's policy fail the test too. */
async function unharmed(page: Page) {
  const found = await page.evaluate(() => ({
    hacked: "hacked" in window,
    parts: document.querySelectorAll(
      "[onerror], [onload], [onclick], img[src='x'], body script:not([src]), i:empty, b[onclick]",
    ).length,
    links: [...document.querySelectorAll("a[href]")].filter(
      (link) => !/^(https?:|\/|#)/.test(link.getAttribute("href") ?? ""),
    ).length,
  }));
  expect(found).toEqual({ hacked: false, parts: 0, links: 0 });
}
