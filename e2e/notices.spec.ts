import { invoices } from "@footprint/contract/invoices.ts";
import { notices } from "@footprint/contract/notices.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { expect, testAlone as test } from "./fixtures.ts";
import { addCustomer, openScreen } from "./steps.ts";

test.use({ isLive: true, ownSession: true });

const bell = (page: Page) => page.getByRole("button", { name: /^Notices/ });
const drawer = (page: Page) => page.getByRole("dialog", { name: "Notices" });

test("the bell counts what happened since one last looked, live, and each notice leads to what to do", async ({
  staff: { page, token },
  server: { api },
  lasting,
}) => {
  await openScreen(page, "/orders", "Orders");
  await expect(bell(page)).toHaveAccessibleName(/^Notices/);
  const { unseen } = await api.call(token, notices.unseen, {});
  expect(unseen).toBe(0);

  const patron = await addCustomer(api, lasting.admin);
  await expect(bell(page)).toHaveAccessibleName("Notices, 1 new");
  const { invoice } = await api.call(patron.key, storefront.createInvoice, {
    body: { discordId: patron.username, amount: 50, payment_method: "cashapp" },
  });
  await expect(bell(page)).toHaveAccessibleName("Notices, 2 new");

  await page.keyboard.press("b");
  const newcomers = drawer(page).getByRole("region", { name: "New customers" });
  const newcomer = newcomers.getByRole("link", { name: patron.username });
  await expect(newcomers.getByRole("heading")).toContainText("A new customer");
  await expect(newcomer).toContainText("Verify");
  await expect(newcomer).toContainText("new");
  const deposit = drawer(page).getByRole("region", { name: "New invoices" }).getByRole("link", { name: "$50.00" });
  await expect(deposit).toContainText(`$50.00 of ${patron.username} by Cash App`);
  await expect(deposit).toContainText("Look for the deposit");
  await expectAccessible(page);
  // Opening marks them as seen, but they stay marked as new while one reads.
  await expect.poll(async () => (await api.call(token, notices.unseen, {})).unseen).toBe(0);

  // The notice shows that a colleague has done it.
  await api.call(lasting.admin, users.verify, { params: { id: patron._id } });
  await api.call(lasting.admin, invoices.markPaid, { params: { id: invoice._id } });
  await expect(newcomer).toContainText("Verified");
  await expect(deposit).toContainText("Paid");
  await expect(newcomers.getByRole("heading")).toContainText("A new customer");

  await page.keyboard.press("Escape");
  await expect(drawer(page)).toBeHidden();
  await expect(bell(page)).toHaveAccessibleName("Notices");

  const another = await addCustomer(api, lasting.admin);
  await expect(bell(page)).toHaveAccessibleName("Notices, 1 new");
  await bell(page).click();
  await newcomers.getByRole("link", { name: another.username }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New Users");
  await expect(drawer(page)).toBeHidden();
  await expect(page.getByRole("main").getByText(another.username).first()).toBeVisible();
  await expect(bell(page)).toHaveAccessibleName("Notices");
});

test("notices that are opened before the bell has counted stay marked as new while one reads", async ({
  staff: { page },
  server: { api },
  lasting,
}) => {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**${notices.unseen.path}`, async (route) => {
    asked.resolve();
    await released.promise;
    await route.continue();
  });
  const patron = await addCustomer(api, lasting.admin);
  await openScreen(page, "/orders", "Orders");
  await asked.promise;
  await bell(page).click();
  await expect(drawer(page)).toBeVisible();
  released.resolve();
  const isSeen = page.waitForResponse((response) => response.url().endsWith(notices.see.path));
  const newcomer = drawer(page).getByRole("link", { name: patron.username });
  await expect(newcomer).toContainText("new");
  await isSeen;
  // What somebody else does makes them be read again.
  await api.call(lasting.admin, users.verify, { params: { id: patron._id } });
  await expect(newcomer).toContainText("Verified");
  await expect(newcomer).toContainText("new");
});

test("on a phone the notices fill the window, and nothing is cut off", async ({ staff: { page }, server, lasting }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const patron = await addCustomer(server.api, lasting.admin);
  await openScreen(page, "/orders", "Orders");
  await expect(bell(page)).toHaveAccessibleName("Notices, 1 new");
  await bell(page).click();
  await expect(drawer(page).getByRole("link", { name: patron.username })).toBeVisible();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
  await expectAccessible(page);
  await drawer(page).getByRole("button", { name: "Close notices" }).click();
  await expect(bell(page)).toBeFocused();
});
