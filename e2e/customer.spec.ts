import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { addCustomer, credit, customer, drawerOf, openScreen, rowOf, toast } from "./steps.ts";

const rows = (page: Page) => page.locator("tbody tr");
const tabs = (page: Page) => page.getByRole("navigation", { name: "About this customer" });
const figure = (page: Page, title: string) =>
  page
    .getByRole("main")
    .locator("dl > div")
    .filter({ has: page.locator("dt", { hasText: title }) });
const question = (page: Page) => page.getByRole("dialog", { name: "Reverse this adjustment?" });

const openBalance = (page: Page, { _id, username }: { _id: string; username: string }) =>
  openScreen(page, `/users/${_id}?tab=balance`, username);

test("a customer's name leads to why their balance is what it is", async ({
  staff: { page, token, account },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 80.5, "Paid at the counter");
  await credit(api, token, user, -11.85, "Counted twice");
  await openScreen(page, `/users?search=${user.username}`, "Users");
  await page.getByRole("link", { name: user.username, exact: true }).click();
  await expect(page).toHaveURL(`/users/${user._id}?tab=balance`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(user.username);

  await expect(figure(page, "Balance")).toContainText("$68.65");
  await expect(figure(page, "Balance")).toContainText("Agrees with its 2 entries");
  await expect(figure(page, "Orders")).toContainText("None yet");
  await expect(page.getByRole("button", { name: `Copy discord id ${user.username}` })).toBeVisible();
  await expect(page.getByRole("columnheader")).toHaveText([
    "When",
    "Kind",
    "What",
    "Who",
    "Amount",
    "Balance after",
    "Actions",
  ]);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText(/Adjustment\s*Counted twice/);
  await expect(rows(page).first()).toContainText(account.username);
  await expect(rows(page).first()).toContainText(/−\$11\.85\s*\$68\.65/);
  await expect(rows(page).last()).toContainText(/\+\$80\.50\s*\$80\.50/);
  await expect(page.getByText("In +$80.50")).toBeVisible();
  await expect(page.getByText("Out −$11.85")).toBeVisible();
});

test("a name that begins with an emoji has the whole of it for its letter", async ({
  staff: { page },
  lasting,
  server: { api },
}) => {
  const { _id, key, username } = await addCustomer(api, lasting.admin);
  await api.call(key, storefront.putCustomer, { params: { discordId: username }, body: { username: "🦊 fox" } });
  await openScreen(page, `/users/${_id}`, "🦊 fox");
  await expect(page.locator("[data-tile]").first()).toHaveText("🦊");
});

test("each entry leads to what it was for", async ({ staff: { page, token }, server: { api } }) => {
  const user = await customer(api, token, "northwind");
  await openBalance(page, user);
  const bulk = rowOf(page, /Purchase\s*Bulk order/);
  await expect(bulk).toContainText("12 labels");
  await expect(rowOf(page, /Refund\s*Order/).first()).toContainText("USPS Priority, 2.5 lb");
  await expect(rowOf(page, /Deposit\s*Invoice/).getByRole("link")).toHaveAttribute("href", /^\/invoices\?search=/);
  await bulk.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Bulk Orders");
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("northwind");
});

test("an adjustment is reversed once, with a reason, after a question whose focus is on Cancel", async ({
  staff: { page, token },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 40, "Meant for somebody else");
  await openBalance(page, user);
  const reverse = page.getByRole("button", { name: "Reverse the adjustment of +$40.00" });
  await reverse.click();
  await expect(question(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(question(page)).toContainText(`$40.00 is taken back from the balance of ${user.username}`);
  await expect(question(page)).toContainText("Balance: $40.00 now, $0.00 after.");
  await page.keyboard.press("Enter");
  await expect(question(page)).toBeHidden();
  await expect(figure(page, "Balance")).toContainText("$40.00");

  await reverse.click();
  const sent = page.waitForRequest("**/transfer/reverse/*");
  await question(page).getByLabel("Reason").fill("Wrong customer");
  await question(page).getByRole("button", { name: "Reverse $40.00" }).click();
  expect((await sent).headers()["idempotency-key"]).toMatch(/^[\da-f-]{36}$/);
  await expect(toast(page, `$40.00 taken back from ${user.username}, whose balance is now $0.00`)).toBeVisible();
  await expect(question(page)).toBeHidden();
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText(/Reversal\s*of adjustment.*Wrong customer/);
  await expect(rows(page).last()).toContainText("Reversed");
  await expect(page.getByRole("button", { name: /^Reverse the/ })).toHaveCount(0);
  await expect(figure(page, "Balance")).toContainText("$0.00");
});

test("spent money cannot be reversed: the question says so, and so does the server", async ({
  staff: { page, token },
  lasting,
  server: { api },
  watch,
}) => {
  watch.expectProblem(/402/);
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 30, "");
  await credit(api, token, user, -20, "");
  await openBalance(page, user);
  await expect(rows(page).first()).toContainText("No reason given");
  await page.getByRole("button", { name: "Reverse the adjustment of +$30.00" }).click();
  await expect(question(page)).toContainText("The balance of $10.00 is too small for it");
  await question(page).getByRole("button", { name: "Reverse $30.00" }).click();
  await expect(question(page).getByRole("alert")).toBeVisible();
  expect((await customer(api, token, user.username)).balance).toBe(10);
});

test("an operator who comes late to a reversal is told, and sees it", async ({
  staff: { page, token },
  lasting,
  server: { api },
  watch,
}) => {
  watch.expectProblem(/409/);
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 15, "");
  await openBalance(page, user);
  await page.getByRole("button", { name: "Reverse the adjustment of +$15.00" }).click();
  const { transfers: found } = await api.call(token, transfers.history, { params: { id: user._id } });
  await api.call(token, transfers.reverse, { params: { id: found[0]?._id ?? "" }, body: {} });
  await question(page).getByRole("button", { name: "Reverse $15.00" }).click();
  await expect(question(page).getByRole("alert")).toHaveText("This adjustment is already reversed");
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await expect(rows(page).last()).toContainText("Reversed");
});

test("the tab, its page and its filter live in the address", async ({ staff: { page, token }, server: { api } }) => {
  const user = await customer(api, token, "paging-customer");
  await openBalance(page, user);
  await expect(page.getByRole("navigation", { name: "Pages" })).toContainText("1–10 of");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page).toHaveURL(/tab=balance&page=2/);
  await page.getByRole("combobox", { name: "Kind" }).selectOption("purchase");
  await expect(page).toHaveURL(/tab=balance&kind=purchase/);
  await expect(page.getByRole("navigation", { name: "Pages" })).toContainText("1–10 of 25");
  await expect(page.getByText(/^In /)).toHaveCount(0);
  // The order's customer is who is shown already.
  const purchase = rows(page)
    .first()
    .getByRole("button", { name: /^[0-9a-f]{4}/ });
  await purchase.click();
  await page.getByRole("dialog", { name: "Order" }).getByRole("link", { name: "paging-customer" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await openBalance(page, user);

  await tabs(page).getByRole("link", { name: "Orders 25", exact: true }).click();
  await expect(page).toHaveURL(`/users/${user._id}?tab=orders`);
  await expect(page.getByRole("columnheader", { name: "Customer" })).toHaveCount(0);
  await expect(page.getByRole("navigation", { name: "Pages" })).toContainText("1–10 of 25");
  await page.getByRole("searchbox").fill("Paging 07");
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: /^View/ }).click();
  await expect(drawerOf(page, "Order")).toContainText("Paging 07");
  await page.keyboard.press("Escape");
  await expect(drawerOf(page, "Order")).toBeHidden();

  await tabs(page)
    .getByRole("link", { name: /^Custom prices/ })
    .click();
  await expect(page).toHaveURL(`/users/${user._id}`);
  await expect(page.getByText("No custom prices yet")).toBeVisible();
  await page.goBack();
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
});

for (const [name, label, user, text] of [
  ["bulk", "Bulk orders 2", "bulk-customer", "40"],
  ["fedex", "Fedex 6", "fedex-customer", "Pending"],
  ["invoices", "Invoices 4", "invoice-customer", "$43.00"],
] as const) {
  test(`the tab ${name} lists what is this customer's alone`, async ({ staff: { page, token }, server: { api } }) => {
    const { _id } = await customer(api, token, user);
    await openScreen(page, `/users/${_id}?tab=${name}`, user);
    await expect(tabs(page).getByRole("link", { name: label, exact: true })).toHaveAttribute("aria-current", "page");
    await expect(rows(page)).toHaveCount(Number(label.split(" ").at(-1)));
    await expect(rowOf(page, text).first()).toBeVisible();
  });
}

test("only administrators see what was done with a customer; an entry leads to its subject", async ({
  admin: { page, token },
  openAs,
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, token);
  await credit(api, token, user, 12.34, "A gift");
  await openScreen(page, `/users/${user._id}?tab=activity`, user.username);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText("A gift");
  await page.goto(`/logs?search=${user.username}`);
  await page.getByRole("link", { name: /^Open transfer/ }).click();
  await expect(page).toHaveURL(`/users/${user._id}?tab=balance`);
  await expect(rowOf(page, "+$12.34")).toHaveCount(1);

  const staff = (await openAs(lasting.member)).page;
  await openScreen(staff, `/users/${user._id}?tab=activity`, user.username);
  await expect(tabs(staff).getByRole("link", { name: "Activity" })).toHaveCount(0);
  await expect(staff.getByText("No custom prices yet")).toBeVisible();
});

test("an unverified customer is marked in Users, and verified on their page", async ({
  staff: { page, token },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, lasting.admin);
  await openScreen(page, `/users?search=${user.username}`, "Users");
  await expect(rowOf(page, user.username)).toContainText("Not verified");
  await page.getByRole("link", { name: user.username, exact: true }).click();
  await page.getByRole("button", { name: `Verify User ${user.username}` }).click();
  await expect(page.getByRole("main").getByText("Verified", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("Not verified")).toHaveCount(0);
  expect((await api.call(token, users.read, { params: { id: user._id } })).user.isVerified).toBe(true);
});

test("a customer is disabled, enabled and credited on their page", async ({
  staff: { page },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, lasting.admin);
  await openBalance(page, user);
  await expect(page.getByText("No money has moved yet")).toBeVisible();
  await page.getByRole("button", { name: "Disable User" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable User" }).click();
  await expect(page.getByText("Inactive", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Enable User" }).click();
  await expect(page.getByText("Active", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Add Balance" }).click();
  await page.getByRole("dialog").getByLabel("Amount").fill("25");
  await page.getByRole("dialog").getByRole("button", { name: /^Add / }).click();
  await expect(rows(page)).toContainText("+$25.00");
  await expect(figure(page, "Balance")).toContainText("$25.00");
});

test("the history can be narrowed to one author, and back", async ({
  admin: { page, token },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, token);
  await credit(api, token, user, 20, "By the administrator");
  await credit(api, lasting.staff, user, 5, "By a member");
  await openBalance(page, user);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("button", { name: `Only those by ${lasting.member.username}` }).click();
  await expect(page).toHaveURL(/tab=balance&by=/);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("By a member");
  await expect(page.getByRole("button", { name: `Who: ${lasting.member.username}` })).toBeVisible();
  await page.getByRole("button", { name: "Remove filter Who" }).click();
  await expect(rows(page)).toHaveCount(2);

  await page.getByRole("combobox", { name: "Kind" }).selectOption("deposit");
  await expect(page.getByText("Nothing found")).toBeVisible();
  await page.getByRole("button", { name: "Remove filter Kind" }).click();
  await expect(page.getByRole("combobox", { name: "Kind" })).toBeFocused();
  await expect(rows(page)).toHaveCount(2);
});

test("less frequent actions are in a menu: custom pricing is enabled there", async ({
  staff: { page },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, lasting.admin);
  await openBalance(page, user);
  await page.getByRole("button", { name: `More actions for ${user.username}` }).click();
  await page.getByRole("menuitem", { name: "Enable Custom Pricing" }).click();
  await expect(toast(page, /custom pricing/i)).toBeVisible();
  await expect(page.getByRole("main").getByText("Custom pricing", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: `More actions for ${user.username}` })).toBeFocused();
});

test("on a phone each entry is a card with its amount and what is left", async ({
  staff: { page, token },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 9.75, "Rounding");
  await page.setViewportSize({ width: 360, height: 740 });
  await openBalance(page, user);
  const card = page.getByRole("list", { name: "Balance history" }).getByRole("listitem");
  await expect(card).toHaveCount(1);
  for (const text of ["Adjustment", "Rounding", "+$9.75", "$9.75"]) await expect(card).toContainText(text);
  await card.getByRole("button", { name: /^Reverse/ }).click();
  await expect(question(page)).toBeVisible();
});
