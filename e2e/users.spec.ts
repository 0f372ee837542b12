import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { uniqueName } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { customer, openScreen, rowOf, toast } from "./steps.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const menuOf = (page: Page, username: string) =>
  page.getByRole("button", { name: `More actions for ${username}`, exact: true });

async function choose(page: Page, username: string, action: string) {
  await menuOf(page, username).click();
  await page.getByRole("menuitem", { name: action }).click();
}

async function openBalanceForm(page: Page, username: string) {
  await openScreen(page, `/users?search=${username}`, "Users");
  await page.getByRole("button", { name: `Add Balance to ${username}`, exact: true }).click();
  return page.getByRole("dialog");
}

const money = (amount: number) => amount.toLocaleString("en-US", { style: "currency", currency: "USD" });

test("a customer's row shows discord id, balance, state and when they joined", async ({
  staff: { page, token },
  server,
}) => {
  const { balance } = await customer(server.api, token, "bram");
  await openScreen(page, "/users?search=bram", "Users");
  await expect(rowOf(page, "bram")).toContainText(money(balance));
  await expect(rowOf(page, "bram")).toContainText("Inactive");
  await expect(rowOf(page, "bram").getByRole("button", { name: /^Copy discord id \d+/ })).toBeVisible();
  await expect(rowOf(page, "bram").getByRole("time")).toBeVisible();
});

test("adding balance names amount and customer and shows the new balance; a double click adds once", async ({
  staff: { page, token },
  server,
}) => {
  const before = (await customer(server.api, token, "balance-customer")).balance;
  const keys: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/add-balance/")) keys.push(request.headers()["idempotency-key"]);
  });
  const dialog = await openBalanceForm(page, "balance-customer");
  await dialog.getByLabel("Amount").fill("1250.5");
  await expect(dialog).toContainText(`Current balance${money(before)}`);
  await expect(dialog).toContainText(`New balance${money(before + 1250.5)}`);
  await expect(dialog).toContainText("Add $1,250.50 to balance-customer's balance?");
  await dialog.getByRole("button", { name: "Add Balance" }).dblclick();

  await expect(dialog.getByRole("alert")).toHaveText(
    `Added $1,250.50 to balance-customer's balance, which is now ${money(before + 1250.5)}`,
  );
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, money(before + 1250.5))).toBeVisible();
  expect((await customer(server.api, token, "balance-customer")).balance).toBe(before + 1250.5);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
});

test("a name without a space for its 64 letters leaves room for what stands beside it", async ({
  admin: { page, token },
  server: { api },
}) => {
  const name = `${"W".repeat(56)}${Date.now()}`.slice(0, 64);
  const { key } = await api.call(token, website.createApiKey, { body: { name: `shop of ${Date.now()}` } });
  const params = { discordId: `long-${Date.now()}` };
  const { customer } = await api.call(key, storefront.putCustomer, { params, body: { username: name } });
  await api.call(token, users.verify, { params: { id: customer._id } });

  const dialog = await openBalanceForm(page, name);
  await expect(dialog.getByRole("button", { name: "Close" })).toBeInViewport();
  await expect.poll(() => dialog.evaluate((box) => box.scrollWidth - box.clientWidth), "pixels that stand out").toBe(0);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/users/${customer._id}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), "width of the page").toBe(360);
});

/** What is written, what the field holds when it is left, and what the form says of it. */
const amounts = [
  ["12,5", "12.5", "Add $12.50 to"],
  ["1,250", "1250", "Add $1,250.00 to"],
  ["1,250.00", "1250.00", "Add $1,250.00 to"],
  ["1,250,000.50", "1250000.50", "Add $1,250,000.50 to"],
  ["1 250,50", "1250.50", "Add $1,250.50 to"],
  ["1.250,50", "1250.50", "Add $1,250.50 to"],
  ["$1,250", "1250", "Add $1,250.00 to"],
  ["1250,50", "1250.50", "Add $1,250.50 to"],
  // As the panel itself writes it.
  ["−$1,004.20", "-1004.20", "Take $1,004.20 from"],
  // As typed on keyboards for Chinese and Arabic.
  ["１２，５", "12.5", "Add $12.50 to"],
  ["12٫5", "12.5", "Add $12.50 to"],
] as const;

const refusedAmounts = [
  // No number begins its thousands with 0, or has four digits before them.
  ["0,250", "0.250", "At most two decimals"],
  ["-0,125", "-0.125", "At most two decimals"],
  ["1250,500", "1250.500", "At most two decimals"],
  ["1.250", "1.250", "At most two decimals"],
  ["1,250,5", "1,250,5", "Not a number"],
  ["1,250 1,250", "1,250 1,250", "Not a number"],
  ["1e3", "1e3", "Not a number"],
  ["12.5 lb", "12.5 lb", "Not a number"],
] as const;

test("what is typed or pasted as an amount is that amount or is refused, never another one", async ({
  staff: { page, token },
  server,
}) => {
  const before = (await customer(server.api, token, "balance-customer")).balance;
  const dialog = await openBalanceForm(page, "balance-customer");
  const amount = dialog.getByLabel("Amount");
  for (const way of ["typed", "pasted"])
    for (const [written, left, said] of [...amounts, ...refusedAmounts]) {
      await amount.clear();
      if (way === "typed") await amount.pressSequentially(written);
      else await page.keyboard.insertText(written);
      await expect(dialog, `${written} ${way}`).toContainText(said);
      await amount.blur();
      await expect(amount, `${written} ${way}`).toHaveValue(left);
      await expect(dialog, `${written} ${way}`).toContainText(said);
    }
  for (const [written, , said] of refusedAmounts) {
    await amount.fill(written);
    await dialog.getByRole("button", { name: /^(Add Balance|Take)/ }).click();
    await expect(amount).toBeFocused();
    await expect(amount).toHaveAccessibleDescription(new RegExp(said));
    await expect(dialog).toContainText("Enter how much to add");
  }
  expect((await customer(server.api, token, "balance-customer")).balance).toBe(before);
});

testAlone("what an input method composes is read like what is typed", async ({ staff: { page } }) => {
  const dialog = await openBalanceForm(page, "balance-customer");
  const amount = dialog.getByLabel("Amount");
  await amount.pressSequentially("12");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Input.imeSetComposition", { text: ",", selectionStart: 1, selectionEnd: 1 });
  await devtools.send("Input.insertText", { text: "," });
  await page.keyboard.type("5");
  await expect(dialog).toContainText("Add $12.50 to");
  await amount.press("Enter");
  await expect(amount).toHaveValue("12.5");
});

test("an amount that is dropped on its field arrives there, whatever has the focus", async ({ staff: { page } }) => {
  const dialog = await openBalanceForm(page, "balance-customer");
  const amount = dialog.getByLabel("Amount");
  const reason = dialog.getByLabel("Reason");
  await reason.fill("12,5");
  await reason.selectText();
  await reason.dragTo(amount, { sourcePosition: { x: 20, y: 18 } });
  await expect(dialog).toContainText("Add $12.50 to");
  await expect(reason).toHaveValue("");
});

test("a negative amount is a correction", async ({ staff: { page, token }, server }) => {
  const before = (await customer(server.api, token, "balance-customer")).balance;
  const dialog = await openBalanceForm(page, "balance-customer");
  await dialog.getByLabel("Amount").fill("-7.25");
  await expect(dialog).toContainText("Take $7.25 from balance-customer's balance?");
  await dialog.getByRole("button", { name: "Take $7.25" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Took $7.25 from balance-customer's balance");
  await expect(dialog).toBeHidden();
  expect((await customer(server.api, token, "balance-customer")).balance).toBe(before - 7.25);
});

test("why a balance is changed is kept with the change; the same once more, or far more than ever, is warned of", async ({
  staff: { page, token, account },
  adminToken,
  server: { api },
}) => {
  const { key } = await api.call(adminToken, website.createApiKey, { body: { name: uniqueName("shop") } });
  const username = uniqueName("credited");
  const { customer } = await api.call(key, storefront.putCustomer, {
    params: { discordId: username },
    body: { username },
  });
  await api.call(token, users.verify, { params: { id: customer._id } });

  const dialog = await openBalanceForm(page, username);
  await dialog.getByLabel("Amount").fill("25");
  await expect(dialog).toContainText("New balance$25.00");
  await expect(dialog.getByRole("status")).toHaveCount(0);
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Paid in cash");
  await dialog.getByRole("button", { name: "Add Balance" }).click();
  await expect(dialog).toBeHidden();
  const { transfers: made } = await api.call(token, transfers.history, { params: { id: customer._id } });
  expect(made).toMatchObject([{ amount: 25, reason: "Paid in cash", by: { username: account.username } }]);

  await page.getByRole("button", { name: `Add Balance to ${username}`, exact: true }).click();
  await dialog.getByLabel("Amount").fill("25");
  const warning = dialog.getByRole("status");
  await expect(warning).toHaveText(
    `$25.00 was credited to ${username} already, just now by ${account.username}: “Paid in cash”`,
  );
  await dialog.getByLabel("Amount").fill("2500");
  await expect(warning).toHaveText(`An unusual balance for ${username}: the highest lately was $25.00.`);
  await dialog.getByLabel("Amount").fill("26");
  await expect(warning).toHaveCount(0);
});

testAlone(
  "what would go below zero is refused in red inside the form, for three seconds",
  async ({ staff: { page, token }, server, watch, stopClock }) => {
    watch.expectProblem(/402/);
    const before = (await customer(server.api, token, "balance-customer-2")).balance;
    await page.clock.install();
    const dialog = await openBalanceForm(page, "balance-customer-2");
    await dialog.getByLabel("Amount").fill(`-${before + 1}`);
    await expect(dialog.getByRole("status")).toHaveText(
      `balance-customer-2 has ${money(before)}, $1.00 short. A balance cannot go below zero.`,
    );
    await expect(dialog).toContainText("−$1.00");
    await stopClock();
    await dialog.getByRole("button", { name: `Take ${money(before + 1)}` }).click();
    const refused = dialog.getByRole("alert");
    await expect(refused).toHaveText(`balance-customer-2 has ${money(before)}, $1.00 short of ${money(before + 1)}`);
    await page.clock.runFor(2900);
    await expect(refused).toBeVisible();
    await page.clock.runFor(200);
    await expect(refused).toBeHidden();
    await expect(dialog.getByLabel("Amount")).toHaveValue(`-${before + 1}`);
    expect((await customer(server.api, token, "balance-customer-2")).balance).toBe(before);
  },
);

test("an amount whose answer got lost is not added again with another one, and the operator is told", async ({
  staff: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/Failed to load resource|Cannot reach the server|The first try went through/);
  const { balance: before } = await customer(server.api, token, "balance-customer-2");
  const address = `**/add-balance/*`;
  await page.route(address, async (route) => {
    await route.fetch();
    await route.abort();
  });
  const dialog = await openBalanceForm(page, "balance-customer-2");
  await dialog.getByLabel("Amount").fill("4.44");
  await dialog.getByRole("button", { name: "Add Balance" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Cannot reach the server.");
  await page.unroute(address);
  await dialog.getByLabel("Amount").fill("5.55");
  for (let tries = 0; tries < 2; tries++) {
    await dialog.getByRole("button", { name: "Add Balance" }).click();
    await expect(dialog.getByRole("alert")).toContainText(
      `The first try went through, though its answer was lost: Added $4.44 to balance-customer-2's balance, which is now ${money(before + 4.44)}. Nothing was done this time.`,
    );
    await expect(dialog.getByRole("alert")).toBeHidden();
  }
  const { balance: now } = await customer(server.api, token, "balance-customer-2");
  expect(now).toBeCloseTo(before + 4.44, 5);
});

test("an amount the server does not take is the server's to refuse", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/400/);
  const dialog = await openBalanceForm(page, "balance-customer-2");
  await dialog.getByRole("button", { name: "Add Balance" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Enter an amount other than zero");
  await dialog.getByLabel("Amount").fill("1,000,001");
  await dialog.getByRole("button", { name: "Add Balance" }).click();
  await expect(dialog.getByRole("alert")).toContainText("1,000,000.00");
});

testAlone(
  "an amount that was corrected has no error beside it any more",
  async ({ staff: { page }, watch, stopClock }) => {
    watch.expectProblem(/400/);
    await page.clock.install();
    const dialog = await openBalanceForm(page, "balance-customer-2");
    const amount = dialog.getByLabel("Amount");
    await amount.fill("1,000,001");
    await stopClock();
    await dialog.getByRole("button", { name: "Add Balance" }).click();
    await expect(dialog.getByRole("alert")).toContainText("1,000,000.00");
    await expect(amount).toHaveAttribute("aria-invalid", "true");
    await amount.fill("1.01");
    await expect(dialog.getByText("1,000,000.00")).toHaveCount(0);
    await expect(amount).not.toHaveAttribute("aria-invalid", "true");
  },
);

testAlone("once the balance is added, the form asks nothing any more", async ({ staff: { page }, stopClock }) => {
  await page.clock.install();
  const dialog = await openBalanceForm(page, "balance-customer-2");
  await dialog.getByLabel("Amount").fill("2");
  await expect(dialog).toContainText("Add $2.00 to balance-customer-2's balance?");
  await stopClock();
  await dialog.getByRole("button", { name: "Add Balance" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Added $2.00");
  await expect(dialog).not.toContainText("?");
  await expect(dialog.getByRole("button")).toHaveText(["", "Close"]);
  await expect(dialog.getByRole("button").last()).toBeFocused();
  await page.clock.runFor(2100);
  await expect(dialog).toBeHidden();
});

test("after an answer that got lost, trying again adds once", async ({ staff: { page, token }, server, watch }) => {
  watch.expectProblem(/ERR_FAILED/);
  const before = (await customer(server.api, token, "balance-customer-2")).balance;
  let lost = 0;
  await page.route("**/add-balance/*", async (route) => {
    if (lost > 0) return route.fallback();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  const dialog = await openBalanceForm(page, "balance-customer-2");
  await dialog.getByLabel("Amount").fill("3");
  await dialog.getByRole("button", { name: "Add Balance" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Cannot reach the server");
  await dialog.getByRole("button", { name: "Add Balance" }).click();
  await expect(dialog.getByRole("alert")).toContainText(`which is now ${money(before + 3)}`);
  await expect(dialog).toBeHidden();
  expect((await customer(server.api, token, "balance-customer-2")).balance).toBe(before + 3);
});

test("disabling a customer asks first; enabling does not", async ({ staff: { page, token }, server }) => {
  await openScreen(page, "/users?search=status-customer", "Users");
  await choose(page, "status-customer", "Disable User");
  const question = page.getByRole("dialog");
  await expect(question).toContainText("Disable status-customer?");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(rowOf(page, "status-customer")).toContainText("Active");

  await choose(page, "status-customer", "Disable User");
  await question.getByRole("button", { name: "Disable User" }).click();
  await expect(toast(page, "status-customer is disabled")).toBeVisible();
  await expect(rowOf(page, "status-customer")).toContainText("Inactive");
  expect((await customer(server.api, token, "status-customer")).status).toBe(false);

  await choose(page, "status-customer", "Enable User");
  await expect(toast(page, "status-customer is enabled")).toBeVisible();
  await expect(rowOf(page, "status-customer")).not.toContainText("Inactive");
  expect((await customer(server.api, token, "status-customer")).status).toBe(true);
});

test("two people who both disable a customer do not cancel each other out", async ({
  staff: { page, token, account },
  server,
  openAs,
}) => {
  const other = (await openAs(account)).page;
  for (const window of [page, other]) await openScreen(window, "/users?search=status-customer", "Users");
  for (const window of [page, other]) {
    await choose(window, "status-customer", "Disable User");
    await window.getByRole("dialog").getByRole("button", { name: "Disable User" }).click();
    await expect(toast(window, "disabled")).toBeVisible();
  }
  const { _id, status } = await customer(server.api, token, "status-customer");
  expect(status).toBe(false);
  await server.api.call(token, users.setStatus, { params: { id: _id }, body: { status: true } });
});

test("custom pricing is enabled and disabled from the row", async ({ staff: { page, token }, server }) => {
  await openScreen(page, "/users?search=status-customer", "Users");
  await choose(page, "status-customer", "Enable Custom Pricing");
  await expect(toast(page, "Custom pricing is enabled for status-customer")).toBeVisible();
  await expect(rowOf(page, "status-customer")).toContainText("Custom pricing");
  expect((await customer(server.api, token, "status-customer")).customPricingEnabled).toBe(true);

  await choose(page, "status-customer", "Disable Custom Pricing");
  await expect(toast(page, "Custom pricing is disabled for status-customer")).toBeVisible();
  await expect(menuOf(page, "status-customer")).toBeFocused();
  await expect(rowOf(page, "status-customer")).not.toContainText("Custom pricing");
});

test("the row's menu works by keyboard, and the focus returns to it", async ({ staff: { page } }) => {
  await openScreen(page, "/users?search=status-customer", "Users");
  await menuOf(page, "status-customer").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Enable Custom Pricing" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog");
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(menuOf(page, "status-customer")).toBeFocused();
});

testAlone(
  "a failure to enable custom pricing from the row is a red alert where it was clicked, for three seconds",
  async ({ staff: { page }, watch, stopClock }) => {
    watch.expectProblem(/503/);
    await page.route("**/custom-pricing/enable/*", (route) =>
      route.fulfill({ status: 503, json: { message: "The server is busy just now" } }),
    );
    await page.clock.install();
    await openScreen(page, "/users?search=status-customer", "Users");
    await expect(menuOf(page, "status-customer")).toBeVisible();
    await menuOf(page, "status-customer").click();
    await expect(page.getByRole("menuitem", { name: "Enable Custom Pricing" })).toBeVisible();
    await stopClock();
    await page.getByRole("menuitem", { name: "Enable Custom Pricing" }).click();
    const refused = toast(page, "The server is busy just now");
    // Its code is loaded when it is needed, and drawn a moment later.
    await expect(async () => {
      await page.clock.runFor(50);
      await expect(refused).toHaveCount(1, { timeout: 1000 });
    }).toPass();
    await expect(menuOf(page, "status-customer")).toBeFocused();
    await page.clock.runFor(1000);
    const [alert, button] = [await refused.boundingBox(), await menuOf(page, "status-customer").boundingBox()];
    expect(Math.abs((alert?.y ?? 0) - (button?.y ?? 0)), "how far the alert is from the button").toBeLessThan(120);
    await page.clock.runFor(1000);
    await expect(refused).toBeVisible();
    await page.clock.runFor(1000);
    await expect(refused).toBeHidden();
  },
);

test("a failure to enable a customer is told in a toast", async ({ staff: { page, token }, server, watch }) => {
  watch.expectProblem(/503|busy just now/);
  await page.route("**/user/status/*", (route) =>
    route.fulfill({ status: 503, json: { message: "The server is busy just now" } }),
  );
  await openScreen(page, "/users?search=bram", "Users");
  await choose(page, "bram", "Enable User");
  await expect(toast(page, "The server is busy just now")).toBeVisible();
  expect((await customer(server.api, token, "bram")).status).toBe(false);
  const isWritten = (problem: string) => problem.includes("ApiError: The server is busy just now");
  await expect.poll(() => watch.problems.some(isWritten)).toBe(true);
});

test("customers are found by name and discord id, and page by page", async ({ staff: { page, token }, server }) => {
  const { discordId } = await customer(server.api, token, "northwind");
  await openScreen(page, "/users", "Users");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect(page.getByText("11–20 of")).toBeVisible();
  await page.getByRole("searchbox").fill(discordId);
  await expect(page).not.toHaveURL(/page=/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(rowOf(page, "northwind")).toBeVisible();
});
