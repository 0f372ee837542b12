import { type Invoice, invoices } from "@footprint/contract/invoices.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import type { Page } from "@playwright/test";
import type { Api } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { customer, drawerOf, openScreen, rowOf, toast } from "./steps.ts";

// The seed's invoices of invoice-customer are of $40 and $41 (pending), $42 (expired), $43 (failed): each is for one test.

const who = "invoice-customer";
const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
/** Waits for what to check, since the buttons move until it has arrived. */
const question = (page: Page) =>
  page.getByRole("dialog", { name: "Mark as Paid?" }).filter({ hasNot: page.locator("[aria-busy=true]") });
const open = (page: Page, address = "/invoices") => openScreen(page, address, "Invoices");

const balance = async (api: Api, token: string) => (await customer(api, token, who)).balance;

async function invoiceOf(api: Api, token: string, amount: number): Promise<Invoice> {
  const found = (await api.call(token, invoices.list, { query: { search: who } })).invoices;
  const invoice = found.find((one) => one.amount === amount);
  if (!invoice) throw new Error(`no invoice of ${amount}`);
  return invoice;
}

async function askToPay(page: Page, amount: string) {
  await open(page, `/invoices?search=${who}`);
  await rowOf(page, amount)
    .getByRole("button", { name: `Mark as Paid: ${amount} of ${who}` })
    .click();
  await expect(question(page)).toBeVisible();
}

test("a row shows invoice, customer, amount, method, status and age", async ({ staff: { page, token }, server }) => {
  const { _id } = await invoiceOf(server.api, token, 43);
  await open(page, `/invoices?search=${_id}`);
  await expect(page.getByRole("columnheader")).toHaveText([
    "Invoice",
    "User",
    "Amount",
    "Payment method",
    "Status",
    "Created",
    "Invoice page",
    "Actions",
  ]);
  await expect(rows(page)).toHaveCount(1);
  for (const text of [`${_id.slice(0, 6)}…${_id.slice(-6)}`, who, `${who}@`, "Failed", /Cashapp|paypal/])
    await expect(rows(page)).toContainText(text);
  await expect(rows(page).getByText("$43.00")).toHaveCSS("text-align", "right");
  await expect(rows(page).getByRole("time")).toBeVisible();
});

test("a pending invoice is a warning, a paid one a success, and any other a danger", async ({ staff: { page } }) => {
  const badge = (status: string) => rows(page).locator(".mantine-Badge-root").filter({ hasText: status }).first();
  for (const [status, colour] of [
    ["Pending", "orange"],
    ["Paid", "teal"],
    ["Expired", "red"],
    ["Failed", "red"],
  ] as const) {
    await open(page, `/invoices?status=${status.toLowerCase()}`);
    const [own, meant] = await badge(status).evaluate((element, colour) => {
      const value = (name: string) => getComputedStyle(element).getPropertyValue(name);
      return [value("--badge-color"), value(`--mantine-color-${colour}-light-color`)];
    }, colour);
    expect(own).toBe(meant);
    expect(own).not.toBe("");
  }
});

test("marking as paid asks first, then the row is paid and the customer has the money", async ({
  staff: { page, token },
  server: { api },
}) => {
  const before = await balance(api, token);
  await askToPay(page, "$40.00");
  await expect(question(page)).toContainText("$40.00");
  await expect(question(page)).toContainText(who);
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await expect(question(page)).toBeHidden();
  expect(await balance(api, token)).toBe(before);

  await askToPay(page, "$40.00");
  await question(page).getByRole("button", { name: "Mark as Paid" }).click();
  await expect(toast(page, `$40.00 credited to ${who}`)).toBeVisible();
  await expect(rowOf(page, "$40.00")).toContainText("Paid");
  await expect(rowOf(page, "$40.00").getByRole("button", { name: /^Mark as Paid/ })).toHaveCount(0);
  expect(await balance(api, token)).toBe(before + 40);
});

test("a double click pays once", async ({ staff: { page, token }, server: { api } }) => {
  const before = await balance(api, token);
  const keys: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.method() === "PUT") keys.push(request.headers()["idempotency-key"]);
  });
  await askToPay(page, "$41.00");
  await question(page).getByRole("button", { name: "Mark as Paid" }).dblclick();
  await expect(rowOf(page, "$41.00")).toContainText("Paid");
  await expect(question(page)).toBeHidden();
  expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
  expect(await balance(api, token)).toBe(before + 41);
});

test("an expired invoice can be paid too; an operator who comes late is told and sees the row change", async ({
  staff: { page, token },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/409|already paid/);
  const before = await balance(api, token);
  await askToPay(page, "$42.00");
  await expect(rowOf(page, "$42.00")).toContainText("Expired");
  await api.call(token, invoices.markPaid, { params: { id: (await invoiceOf(api, token, 42))._id } });

  await question(page).getByRole("button", { name: "Mark as Paid" }).click();
  await expect(toast(page, "This invoice is already paid")).toBeVisible();
  await expect(rowOf(page, "$42.00")).toContainText("Paid");
  await question(page).getByRole("button", { name: "Cancel" }).click();
  expect(await balance(api, token)).toBe(before + 42);
});

test("paying a failed invoice warns, shows the new balance and asks why; the row shows the reason afterwards", async ({
  adminToken,
  staff: { page, token: staffToken, account },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  const { invoice } = await api.call(shop.key, storefront.createInvoice, {
    body: { ...shop.who, amount: 20, payment_method: "cashapp" },
  });
  const params = { id: invoice._id };
  await api.call(shop.key, storefront.setInvoiceStatus, { params, body: { status: "failed" } });
  await open(page, `/invoices?search=${shop.name}`);
  await page.getByRole("button", { name: /^Mark as Paid/ }).click();
  await expect(question(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  const warning = question(page).getByRole("status");
  await expect(warning).toHaveText("This payment failed. Make sure that the money has arrived.");
  await expect(question(page)).toContainText("New balance$70.00");
  await question(page).getByRole("textbox", { name: "Reason" }).fill("Seen in the app");
  await question(page).getByRole("button", { name: "Mark as Paid" }).click();
  await expect(question(page)).toBeHidden();

  await page.getByRole("button", { name: `Payment of $20.00 by ${shop.name}` }).click();
  const told = drawerOf(page, "Invoice");
  await expect(told.getByRole("listitem")).toContainText([`Paid by ${account.username}`]);
  await expect(told).toContainText("“Seen in the app”");
  await page.keyboard.press("Escape");

  const { payments } = await api.call(staffToken, invoices.read, { params });
  await api.call(staffToken, transfers.reverse, {
    params: { id: payments[0]?.transfer ?? "" },
    body: { reason: "It was another one" },
  });
  await page.reload();
  await expect(rowOf(page, shop.name)).toContainText("Reversed");
  await page.getByRole("button", { name: `Payment of $20.00 by ${shop.name}` }).click();
  await expect(told.getByRole("listitem")).toContainText([
    `Paid by ${account.username}`,
    `Taken back by ${account.username}`,
  ]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Mark as Paid/ }).click();
  await expect(warning.first()).toContainText(
    `This payment was taken back just now by ${account.username}: “It was another one”.`,
  );
});

test("status, search and sort live in the address, and Back returns to them", async ({ staff: { page } }) => {
  await open(page);
  await expect(rows(page)).toHaveCount(10);
  const status = page.getByRole("combobox", { name: "Status" });
  await expect(status.getByRole("option")).toHaveText(["All", "Pending", "Paid", "Expired", "Failed", "Reversed"]);

  await status.selectOption("failed");
  await expect(page).toHaveURL(/status=failed/);
  await expect(page.getByRole("cell", { name: "Failed", exact: true })).toHaveCount(4);
  await expect(rows(page)).toHaveCount(4);

  await page.getByRole("searchbox").fill(`${who}@`);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("$43.00");

  await status.selectOption("All");
  await expect(rows(page)).toHaveCount(4);
  await page.getByRole("button", { name: "Newest first" }).click();
  await expect(page).toHaveURL(/sort=asc/);
  await expect(rows(page).first()).toContainText("$43.00");

  await page.goBack();
  await expect(page.getByRole("button", { name: "Newest first" })).toBeVisible();
  await expect(rows(page).first()).toContainText("$40.00");
  await page.goBack();
  await expect(rows(page)).toHaveCount(1);
  await expect(status).toHaveValue("failed");
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
});

test("the invoice page opens in a new tab, and only a web address becomes a link", async ({
  staff: { page, token },
  server: { api },
}) => {
  const { _id, hosted_url } = await invoiceOf(api, token, 43);
  await open(page, `/invoices?search=${_id}`);
  const link = rows(page).getByRole("link", { name: /^Open the invoice page/ });
  await expect(link).toHaveAttribute("href", hosted_url);
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");

  await page.route(`**${invoices.list.path}*`, async (route) => {
    const reply = await (await route.fetch()).json();
    const [invoice] = reply.invoices;
    const addresses = ["", "javascript:alert(1)", "data:text/html,x", "/relative", "HTTPS://pay.example.com/1"];
    const made = addresses.map((hosted_url, place) => ({ ...invoice, _id: `${_id.slice(0, -1)}${place}`, hosted_url }));
    await route.fulfill({ json: { ...reply, invoices: made } });
  });
  await page.reload();
  await expect(rows(page)).toHaveCount(5);
  await expect(link).toHaveCount(1);
  await expect(link.and(rows(page).last().getByRole("link"))).toBeVisible();
  await expect(rows(page).first().getByRole("cell", { name: "–", exact: true })).toBeVisible();
});
