import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { openScreen } from "./steps.ts";

const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
const dialog = (page: Page) => page.getByRole("dialog");
const list = (page: Page) => dialog(page).getByRole("table", { name: "Orders in this bulk order" });

/** Opens the bulk order with this many orders. */
async function view(page: Page, customer: string, count: number) {
  await openScreen(page, `/bulk-orders?search=${customer}`, "Bulk Orders");
  await rows(page)
    .filter({ has: page.getByRole("cell", { name: String(count), exact: true }) })
    .getByRole("button", { name: /^View/ })
    .click();
  await expect(dialog(page)).toBeVisible();
}

test("the list shows uuid, user, order count and age, and is searched by user and uuid", async ({
  staff: { page, token },
  server,
}) => {
  await openScreen(page, "/bulk-orders", "Bulk Orders");
  await expect(page.getByRole("columnheader")).toHaveText(["UUID", "User", "Order count", "Created", "Actions"]);
  await expect(rows(page).filter({ hasText: /bulk-customer|northwind/ })).toHaveCount(3);
  await page.getByRole("searchbox").fill("bulk-customer");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).getByRole("cell", { name: "40", exact: true })).toBeVisible();
  await expect(rows(page).getByRole("cell", { name: "2", exact: true })).toBeVisible();

  const { orders } = await server.api.call(token, bulkOrders.list, { query: { search: "northwind" } });
  await page.getByRole("searchbox").fill(orders[0]?.uuid ?? "");
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("northwind");
  await expect(rows(page).getByRole("button", { name: `Copy bulk order id ${orders[0]?.uuid}` })).toBeVisible();
});

test("a bulk order lists its orders in at most 400 pixels, scrolling under the head", async ({ staff: { page } }) => {
  await view(page, "bulk-customer", 40);
  await expect(list(page).getByRole("columnheader")).toHaveText([
    "Order id",
    "From",
    "To",
    "Tracking id",
    "Total",
    "Created",
    "Actions",
  ]);
  await expect(list(page).locator("tbody tr")).toHaveCount(40);
  await expect(dialog(page)).toContainText("$336.00");
  const first = list(page).locator("tbody tr").first();
  await expect(first).toContainText("Bulk 40-");
  await expect(first).toContainText("$8.40");

  const box = list(page).locator("..");
  await expect.poll(async () => (await box.boundingBox())?.height).toBe(400);
  await list(page).locator("tbody tr").last().scrollIntoViewIfNeeded();
  const top = (await box.boundingBox())?.y ?? 0;
  const head = (await list(page).getByRole("columnheader").first().boundingBox())?.y ?? 0;
  expect(Math.abs(head - top)).toBeLessThan(2);
  await expect(first).not.toBeInViewport();
});

test("a refunded order is marked in its bulk order", async ({ staff: { page } }) => {
  await view(page, "northwind", 12);
  await expect(list(page).getByRole("row").filter({ hasText: "Refunded" })).toHaveCount(1);
  await expect(list(page).getByRole("row").filter({ hasText: "Refunded" })).toContainText("Bulk 12-03");
});

test("an order of a bulk order is opened from it, tells its place, and is refunded", async ({
  adminToken,
  staff: { page },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  const { bulkOrder } = await api.call(shop.key, storefront.createBulkOrder, {
    body: { ...shop.who, orders: [shop.label, { ...shop.label, toName: "Second receiver" }, shop.label] },
  });
  await view(page, shop.name, 3);
  const row = list(page).getByRole("row").filter({ hasText: "Second receiver" });
  await row.getByRole("button", { name: /^View order/ }).click();
  const order = page.getByRole("dialog", { name: "Order Active" });
  await expect(order.getByRole("link", { name: "2 of 3" })).toHaveAttribute(
    "href",
    `/bulk-orders?search=${bulkOrder.uuid}&view=${bulkOrder._id}`,
  );
  await expect(order).toContainText("$26.70 for all 3 of its bulk order, balance $50.00 → $23.30");
  await order.getByRole("button", { name: "Refund Order" }).click();
  await page.getByRole("button", { name: "Refund $8.90" }).click();
  await expect(order).toBeHidden();
  await expect(row).toContainText("Refunded");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
});

test("a bulk order whose orders did not fit into the list loads them when it is opened", async ({
  staff: { page },
  watch,
}) => {
  watch.expectProblem(/503|does not answer/);
  await page.route(`**${bulkOrders.list.path}?*`, async (route) => {
    const reply = await (await route.fetch()).json();
    await route.fulfill({ json: { ...reply, orders: reply.orders.map((row: object) => ({ ...row, orders: [] })) } });
  });
  const whole = `**${bulkOrders.list.path}/*`;
  await page.route(whole, (route) =>
    route.fulfill({ status: 503, json: { message: "The database does not answer at the moment. Try again shortly." } }),
  );
  await view(page, "bulk-customer", 40);
  await expect(dialog(page).getByText("The database does not answer at the moment.")).toBeVisible();
  await page.unroute(whole);
  await dialog(page).getByRole("button", { name: "Retry" }).click();
  await expect(list(page).locator("tbody tr")).toHaveCount(40);
  await expect(dialog(page)).toContainText("$336.00");
});

test("on a phone the orders are cards that scroll inside the dialog", async ({ staff: { page } }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openScreen(page, "/bulk-orders?search=bulk-customer", "Bulk Orders");
  await page.getByRole("listitem").filter({ hasText: "Order count40" }).getByRole("button", { name: /^View/ }).click();
  const cards = dialog(page).getByRole("list", { name: "Orders in this bulk order" });
  await expect(cards.getByRole("listitem")).toHaveCount(40);
  // Read out they always are: two names beside each other have to be told apart by who sees them, too.
  for (const title of ["From", "To"])
    await expect(cards.getByRole("listitem").first().getByText(title, { exact: true })).not.toHaveCSS(
      "position",
      "absolute",
    );
  await expect.poll(async () => (await cards.boundingBox())?.height).toBe(400);
  await cards.getByRole("listitem").last().scrollIntoViewIfNeeded();
  await expect(cards.getByRole("listitem").last()).toBeInViewport();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
});

test("a list that cannot be loaded offers Retry", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/503|does not answer/);
  await page.route(`**${bulkOrders.list.path}*`, (route) =>
    route.fulfill({ status: 503, json: { message: "The database does not answer at the moment. Try again shortly." } }),
  );
  await openScreen(page, "/bulk-orders", "Bulk Orders");
  await expect(page.getByText("The database does not answer at the moment.")).toBeVisible();
  await page.unroute(`**${bulkOrders.list.path}*`);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(rows(page).filter({ hasText: /bulk-customer|northwind/ })).toHaveCount(3);
});
