import { unusual } from "@footprint/contract/unusual.ts";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { drawerOf, openByKeys, openScreen, rowOf } from "./steps.ts";

const open = (page: Page, address: string) => openScreen(page, address, "Unusual events");
const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");

test("an event is looked into and dismissed by keyboard, with a reason that stays with it", async ({
  admin: { page, account },
}) => {
  await open(page, "/unusual?rule=deposits");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText("Deposits without orders");
  const name = (await rows(page).first().getByRole("link").textContent()) ?? "";
  await openByKeys(page);
  const details = drawerOf(page, "Event");
  await expect(details).toContainText("A customer deposits, and buys nothing in the 3 days after that.");
  await details.getByRole("button", { name: "Dismiss" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Dismiss this event?" });
  await expect(dialog).toContainText(name);
  await expect(dialog.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText("Say why it may be dismissed");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Called them");
  await dialog.getByRole("textbox", { name: "Reason" }).press("Enter");
  await expect(dialog).toBeHidden();
  await expect(details).toContainText(`Dismissed by ${account.username}: “Called them”`);
  await page.keyboard.press("Escape");
  await expect(rows(page)).toHaveCount(1);

  await page.getByRole("link", { name: /^Dismissed/ }).click();
  await expect(rowOf(page, name)).toContainText(`by ${account.username}`);
});

test("several are dismissed for one reason, which must be given", async ({ admin: { page } }) => {
  await open(page, "/unusual?rule=refunds");
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("checkbox").first().click();
  await page.getByRole("button", { name: "Dismiss 2 events" }).click();
  const dialog = page.getByRole("dialog", { name: "Dismiss 2 events?" });
  await dialog.getByRole("button", { name: "Dismiss 2 events" }).click();
  await expect(dialog.getByRole("textbox", { name: "Reason" })).toBeFocused();
  await expect(dialog).toContainText("Say why");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("A bad batch of labels");
  await dialog.getByRole("button", { name: "Dismiss 2 events" }).click();
  await expect(dialog).toBeHidden();
  await expect(rows(page)).toHaveCount(0);
});

test("a rule is switched on with a threshold, and off again", async ({ admin: { page, token }, server: { api } }) => {
  await open(page, "/unusual");
  const set = async (least: string) => {
    await page.getByRole("button", { name: "Rules" }).click();
    const dialog = page.getByRole("dialog", { name: "Rules for unusual events" });
    const night = dialog.getByRole("region", { name: "Orders at night from a new customer" });
    await night.getByRole("switch").press("Space");
    const threshold = night.getByRole("textbox");
    await expect(threshold).toHaveValue(least && "3");
    if (least) {
      await threshold.press("ControlOrMeta+a");
      await threshold.press("Backspace");
      await page.keyboard.type(least);
    }
    await dialog.getByRole("button", { name: "Save rules" }).click();
    await expect(dialog).toContainText("Rules saved");
    await expect(dialog).toBeHidden();
    return (await api.call(token, unusual.rules, {})).rules.night;
  };
  expect(await set("999999")).toBe(999_999);
  expect(await set("")).toBe(null);
});
