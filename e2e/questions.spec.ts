import { readFile } from "node:fs/promises";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import type { Locator, Page } from "@playwright/test";
import type { Api } from "./api.ts";
import { expect, testAlone as test } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { credit, rowOf, toast, withoutServersTime } from "./steps.ts";

/** A customer who was credited $150, bought a label for 2.4 lb, and got the money back. */
async function addTrade(api: Api, token: string) {
  const { key, name, who, params, label } = await newShop(api, token);
  await credit(api, token, { _id: params.id }, 150, "Paid at the counter");
  const { order } = await api.call(key, storefront.createOrder, { body: { ...label, ...who } });
  const reason = `The label of ${name} was torn`;
  await api.call(token, orders.refund, { params: { id: order._id }, body: { reason } });
  return { username: name, reason };
}

/** Begins at the dashboard, some days in the panel's future, and counts clicks. */
async function begin(page: Page, days: number) {
  await withoutServersTime(page);
  await page.clock.setFixedTime(Date.now() + days * 24 * 60 * 60 * 1000);
  await page.goto("/");
  let clicks = 0;
  const click = async (target: Locator) => {
    clicks++;
    await target.click();
  };
  return {
    click,
    /** A key that does not type counts as a click. */
    async press(key: string) {
      clicks++;
      await page.keyboard.press(key);
    },
    open: (screen: string) =>
      click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: screen, exact: true })),
    expectFewClicks: () => expect(clicks).toBeLessThanOrEqual(3),
  };
}

async function search(page: Page, press: (key: string) => Promise<void>, text: string) {
  await expect(page.getByRole("searchbox")).toBeVisible();
  await press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type(text);
  await expect(page).toHaveURL(/search=/);
}

const daysToNextMonth = () => {
  const now = new Date();
  return (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2) - now.getTime()) / (24 * 60 * 60 * 1000);
};

test("questions about money are answered within three clicks from any screen", async ({
  admin: { page, token, account },
  server: { api },
}) => {
  const { username, reason } = await addTrade(api, token);

  await test.step("why is this customer's balance what it is", async () => {
    const { open, click, press, expectFewClicks } = await begin(page, 0);
    await open("Users");
    await search(page, press, username);
    await click(page.getByRole("link", { name: username, exact: true }));
    await expect(rowOf(page, /Refund\s*Order/)).toContainText(/\+\$8\.90\s*\$200\.00/);
    await expect(rowOf(page, /Purchase\s*Order/)).toContainText(/−\$8\.90\s*\$191\.10/);
    await expect(rowOf(page, /Adjustment\s*Paid/)).toContainText(/\+\$150\.00\s*\$200\.00/);
    expectFewClicks();
  });

  await test.step("what did this customer pay for 2.4 lb, and why", async () => {
    const { click, press, expectFewClicks } = await begin(page, 0);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Dashboard");
    await press("Control+k");
    await page.keyboard.type(`${username} 2.4 lb`);
    const found = page.getByRole("group", { name: "Orders", exact: true }).getByRole("option");
    // A part of it has found others too.
    await expect(found).toHaveCount(1);
    await click(found);
    const price = page.locator("[data-drawer], [role=dialog]").getByRole("region", { name: "Price" });
    await expect(price).toContainText("Standard price, tier 1–3 lb$8.90");
    expectFewClicks();
  });

  await test.step("who credited whom more than $100 last month", async () => {
    const { open, click, expectFewClicks } = await begin(page, daysToNextMonth());
    await open("Transfers");
    await click(page.getByRole("link", { name: "Large adjustments last month" }));
    const row = rowOf(page, username);
    await expect(row).toHaveCount(1);
    await expect(row).toContainText(account.username);
    await expect(row).toContainText("+$150.00");
    expectFewClicks();
  });

  await test.step("all refunds of last week with their reasons, as a file", async () => {
    const { open, click, expectFewClicks } = await begin(page, 7);
    await open("Transfers");
    await click(page.getByRole("link", { name: "Refunds last week" }));
    await expect(rowOf(page, reason)).toHaveCount(1);
    const download = page.waitForEvent("download");
    await click(page.getByRole("button", { name: "Export", exact: true }));
    const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\r\n");
    expect(lines.filter((line) => line.includes(reason))).toHaveLength(1);
    expect(lines.slice(1).filter((line) => !line.includes('"refund"'))).toEqual([]);
    expectFewClicks();
  });

  await test.step("undo the credit that I gave a minute ago by mistake", async () => {
    const { open, click, expectFewClicks } = await begin(page, 0);
    await open("Transfers");
    const row = rowOf(page, username).filter({ hasText: "+$150.00" });
    await click(row.getByRole("button", { name: "Reverse the adjustment of +$150.00" }));
    await click(page.getByRole("dialog").getByRole("button", { name: "Reverse $150.00" }));
    await expect(toast(page, `$150.00 taken back from ${username}, whose balance is now $50.00`)).toBeVisible();
    await expect(row).toContainText("Reversed");
    expectFewClicks();
  });
});
