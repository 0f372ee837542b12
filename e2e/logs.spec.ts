import { logs } from "@footprint/contract/logs.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { uniqueName } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { drawerOf, expectFocusOnScreen, openScreen, rowOf } from "./steps.ts";

const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
const changes = (page: Page) => drawerOf(page, "Entry");
const open = (page: Page, address = "/logs") => openScreen(page, address, "Transaction Logs");

test("a change appears with who, type and sentence, and shows before and after on demand", async ({
  admin: { page, token, account },
  server: { api },
}) => {
  const { username } = await api.addStaff(token);
  const [member] = (await api.call(token, staff.list, { query: { search: username } })).staff;
  const renamed = `${username}-b`;
  const body = { username: renamed, chatId: "", notificationAccess: true };
  await api.call(token, staff.update, { params: { id: member?._id ?? "" }, body });

  await open(page);
  await expect(page.getByRole("columnheader")).toHaveText(["Who", "Type", "Action", "Created", "Actions"]);
  const row = rowOf(page, `Changed staff account ${renamed}`);
  await expect(row).toContainText(account.username);
  await expect(row.getByRole("cell", { name: "Staff", exact: true })).toBeVisible();
  await expect(row.getByRole("time")).toHaveText("just now");

  await row.getByRole("button", { name: "Changes" }).click();
  await expect(changes(page)).toContainText(`Changed staff account ${renamed}`);
  await expect(changes(page).getByRole("row", { name: "Username" })).toContainText(`${username}${renamed}`);
  await expect(changes(page).getByRole("row", { name: "Notification access" })).toContainText("NoYes");
  await expect(changes(page)).toContainText("Unchanged: Chat id");
  await page.keyboard.press("Escape");
  await expect(changes(page)).toBeHidden();
  await expect(row).toBeFocused();
});

test("what an entry changed reads as on the other screens", async ({ admin: { page, token }, server: { api } }) => {
  const trackRef = "9200190255149000000010";
  await api.call(token, tracking.create, { body: { amount: 1, type: "ground_oz", template: "indica", trackRef } });
  await open(page, `/logs?search=${trackRef}`);
  await rowOf(page, "Registered ground_oz code").getByRole("button", { name: "Changes" }).click();
  await expect(changes(page).getByRole("row", { name: "Template" })).toContainText("Indicia");
  await expect(changes(page).getByRole("row", { name: "Type" })).toContainText("ground_oz");
});

test("the limits of a key read in the log as on its screen", async ({ admin: { page, token }, server: { api } }) => {
  const name = uniqueName("Logged");
  await api.call(token, website.createApiKey, {
    body: { name, scopes: ["orders", "mark-as-paid"], expiresAt: "2031-05-31T23:59:59.999Z" },
  });
  await open(page, `/logs?search=${name}`);
  await rowOf(page, name).getByRole("button", { name: "Changes" }).click();
  await expect(changes(page).getByRole("row", { name: "Scopes" })).toContainText("Mark as paid, Orders");
  await expect(changes(page).getByRole("row", { name: "Expires at" })).toContainText("Sat, May 31, 2031, 23:59:59 UTC");
});

test("what was created has no before, and an entry without data has nothing to open", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { username } = await api.addStaff(token);
  await open(page, `/logs?search=${username}`);
  await rowOf(page, "Created staff account").getByRole("button", { name: "Changes" }).click();
  await expect(changes(page).getByRole("row", { name: "Username" }).getByRole("cell")).toHaveText(["–", username]);
  await page.keyboard.press("Escape");

  const account = await api.addStaff(token);
  await api.call(await api.signIn(account), session.logout, {});
  await open(page, `/logs?search=${account.username}+signed+out`);
  await expect(rows(page).first()).toContainText("signed out");
  await expect(page.getByRole("button", { name: "Changes" })).toHaveCount(0);
});

test("type, search and sort live in the address, and Back returns to them", async ({ admin: { page } }) => {
  await open(page);
  const type = page.getByRole("combobox", { name: "Type" });
  await expect(type.getByRole("option")).toHaveText([
    "All",
    "Balance",
    "Refund",
    "User",
    "Pricing",
    "Label",
    "Tracking",
    "Staff",
    "Fedex",
    "Invoice",
    "Website",
    "Session",
  ]);
  await type.selectOption("fedex");
  await page.getByRole("searchbox").fill("seeded fedex");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText("Seeded fedex entry 8");
  await expect(page).toHaveURL(/status=fedex/);

  await page.getByRole("button", { name: "Newest first" }).click();
  await expect(rows(page).first()).toContainText("Seeded fedex entry 19");
  await page.goBack();
  await expect(rows(page).first()).toContainText("Seeded fedex entry 8");
  await page.reload();
  await expect(rows(page)).toHaveCount(2);

  await page.getByRole("searchbox").fill("night-shift");
  await expect(page).toHaveURL(/search=night-shift/);
  await expect(rows(page).first()).toContainText("night-shift");
});

test("a sign-in shows device and address", async ({ admin: { page, token }, server: { api } }) => {
  const account = await api.addStaff(token);
  await api.signIn(account);
  await open(page, `/logs?search=${account.username}+signed+in`);
  await rowOf(page, "signed in").getByRole("button", { name: "Changes" }).click();
  await expect(changes(page).getByRole("row", { name: "Address" })).toContainText("127.0.0.1");
});

test("a shop and the program are told apart from members of staff", async ({
  admin: { page, token },
  server: { api },
}) => {
  const account = await api.addStaff(token);
  const shop = `${account.username} by the harbor`;
  const { key } = await api.call(token, website.createApiKey, { body: { name: shop } });
  const discordId = String(Date.now());
  await api.call(key, storefront.putCustomer, { params: { discordId }, body: { username: "marked" } });
  await api.call(await api.signIn(account), session.logout, {});
  await open(page, `/logs?search=${account.username}`);
  const who = (text: string) => rowOf(page, text).getByRole("cell").first();
  await expect(who("signed out")).toHaveAccessibleName(account.username);
  await expect(who("customer marked")).toHaveAccessibleName(`${shop} shop`);
  const word = await who("customer marked").getByText("shop", { exact: true }).boundingBox();
  expect(word?.height, "the word stands on one line").toBeLessThan(24);

  await api.status(undefined, session.login, { body: { ...account, password: "not the password" } });
  await page.reload();
  await expect(who("1 failed sign-in as")).toHaveAccessibleName("system program");
});

test("the log of one account is reached from Staff and left by its chip", async ({
  admin: { page, token },
  server: { api },
}) => {
  const account = await api.addStaff(token);
  await api.call(await api.signIn(account), session.logout, {});
  await openScreen(page, `/staff?search=${account.username}`, "Staff Members");
  await page.getByRole("link", { name: `Activity of ${account.username}` }).click();
  await expect(page).toHaveURL(/\/logs\?by=[\da-f-]{36}$/);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("searchbox").fill("signed out");
  await expect(rows(page)).toHaveCount(1);
  const chip = page.getByRole("button", { name: `By: ${account.username}` });
  await page.reload();
  await expect(chip).toBeVisible();
  await page.getByRole("button", { name: "Remove filter By" }).click();
  await expect(chip).toHaveCount(0);
  await expect(page).toHaveURL(/\/logs\?search=signed\+out$/);
  await page.getByRole("button", { name: "By", exact: true }).click();
  await page.getByRole("dialog").getByLabel("By").fill(account.username);
  await page.getByRole("option", { name: account.username }).click();
  await expect(chip).toBeVisible();
  await expect(rows(page)).toHaveCount(1);

  await open(page, "/logs?by=01890000-0000-7000-8000-000000000000");
  await expect(page.getByText("Nothing found")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows(page)).toHaveCount(10);
  await expectFocusOnScreen(page);
});

test("an administrator reaches the logs from the header's menu, and Staff is lit there", async ({
  admin: { page },
  openAs,
  server: { api },
  adminToken,
}) => {
  await openScreen(page, "/orders", "Orders");
  await page.getByRole("button", { name: "Admin" }).click();
  await page.getByRole("menuitem", { name: "Transaction Logs" }).click();
  await expect(page).toHaveURL(/\/logs$/);
  const main = page.getByRole("navigation", { name: "Main" });
  await expect(main.locator("[aria-current=page]")).toHaveText(["Staff"]);

  const member = await openAs(await api.addStaff(adminToken));
  await openScreen(member.page, "/orders", "Orders");
  await member.page.getByRole("button", { name: "Admin" }).click();
  await expect(member.page.getByRole("menuitem", { name: "Account Setting" })).toBeVisible();
  await expect(member.page.getByRole("menuitem", { name: "Transaction Logs" })).toHaveCount(0);
});

testAlone("the newest link of the log's chain is there to be noted", async ({ admin: { page }, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const hash = "9f3c".repeat(16);
  const link = { number: 12_345, hash, chainedAt: new Date().toISOString() };
  await page.route(`**${logs.chain.path}`, (route) => route.fulfill({ json: { link, chained: 9, waiting: 1204 } }));
  await open(page);
  await expect(page.getByText("Chained up to #12,345 · 9f3c9f…3c9f3c · 1,204 waiting")).toBeVisible();
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`12345:${hash}`);
});

test("the logs are open to administrators only", async ({ staff: { page }, server }) => {
  await page.goto("/logs");
  await expect(page).toHaveURL(`${server.url}/orders`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
});
