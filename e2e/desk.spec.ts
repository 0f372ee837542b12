import { pathOf } from "@footprint/contract/endpoint.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import type { Page } from "@playwright/test";
import { expect, test, testAlone } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { doToasted, drawerOf, expectSettled, goByKeys, openByKeys, openScreen, searchByKey, toast } from "./steps.ts";

const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
const marked = (page: Page) => rows(page).and(page.locator("[aria-current]"));
const details = (page: Page) => drawerOf(page, "Order");
const short = (id: string) => `${id.slice(0, 6)}…${id.slice(-6)}`;

async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key);
}

test("by keys alone an order is found from another screen, opened, read and refunded", async ({
  adminToken,
  staff: { page },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who } });

  await openScreen(page, "/invoices", "Invoices");
  await goByKeys(page, "o");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  await searchByKey(page);
  await page.keyboard.type(shop.name);
  await press(page, "Enter");
  await expect(rows(page)).toHaveCount(1);
  await press(page, "j");
  await expect(marked(page)).toBeFocused();
  await press(page, "Enter");
  await expect(details(page)).toBeFocused();
  await expect(details(page).getByRole("region", { name: "Timeline" })).toContainText("Bought through");

  await press(page, "r");
  const question = page.getByRole("dialog", { name: "Refund this order?" });
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await press(page, "Tab", "Enter");
  await expect(toast(page, `$8.90 refunded to ${shop.name}`)).toBeVisible();
  await expect(details(page).getByRole("region", { name: "Timeline" })).toContainText("Refunded by");
  await expect(marked(page)).toContainText("Refunded");
  await press(page, "Escape");
  await expect(details(page)).toBeHidden();
  await expect(marked(page)).toBeFocused();
});

test("details follow j and k over the end of a page with a note half written, and Back closes them with their question", async ({
  staff: { page, token },
  server: { api },
}) => {
  const list = await api.call(token, orders.list, { query: { search: "paging-customer", limit: 25 } });
  const id = (place: number) => short(list.orders[place - 1]?.uuid ?? "");
  await openScreen(page, "/orders?search=paging-customer&page=1", "Orders");
  await rows(page).nth(8).getByRole("cell", { name: "Paging 09" }).click();
  await expect(details(page)).toContainText(id(9));
  await expect(details(page)).toContainText("9 of 25");
  const note = details(page).getByLabel("Note");
  await note.fill("half a thought");
  await press(page, "Escape", "j");
  await expect(details(page)).toContainText(id(10));
  await expect(note).toHaveValue("");
  await press(page, "k");
  await expect(note).toHaveValue("half a thought");
  await note.fill("");
  await press(page, "Escape", "j", "j");
  await expect(details(page)).toContainText("11 of 25");
  await expect(details(page)).toContainText(id(11));
  await expect(page).toHaveURL(/page=2/);
  await expect(marked(page)).toContainText(id(11));
  await press(page, "k");
  await expect(details(page)).toContainText("10 of 25");
  await details(page).getByRole("button", { name: "Next order" }).click();
  await expect(details(page)).toContainText("11 of 25");

  await details(page).getByRole("button", { name: "Refund Order" }).click();
  await expect(page.getByRole("dialog", { name: "Refund this order?" })).toBeVisible();
  await page.goBack();
  await expect(details(page)).toBeHidden();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText("1–10 of 25")).toBeVisible();
});

test("a link to an order opens it, also where the list does not show it, beside the list or above it", async ({
  staff: { page, token },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/404|does not exist/);
  const { orders: found } = await api.call(token, orders.list, { query: { search: "Paging 25" } });
  const order = found.find(({ toName }) => toName === "Paging 25");
  await openScreen(page, `/orders?search=paging-customer&view=${order?._id}`, "Orders");
  await expect(details(page).getByRole("region", { name: "To" })).toContainText("Paging 25");
  await expect(marked(page)).toHaveCount(0);
  await page.getByRole("searchbox").fill("Paging 25");
  await expect(marked(page)).toContainText("Paging 25");
  await details(page).getByRole("button", { name: "Close" }).click();
  await expect(details(page)).toBeHidden();
  await expect(page).not.toHaveURL(/view=/);
  await expect(page.getByRole("searchbox")).toHaveValue("Paging 25");

  await page.setViewportSize({ width: 1000, height: 800 });
  await page.goto(`/orders?view=${order?._id}`);
  await expect(page.getByRole("dialog", { name: "Order" })).toContainText("Paging 25");
  await press(page, "Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).not.toHaveURL(/view=/);

  // However late the code arrives that says so.
  const answered = page.waitForResponse((response) => response.status() === 404);
  await page.route(/MissingRow-.*\.js/, async (route) => {
    await (await answered).finished();
    await route.continue();
  });
  await page.goto("/orders?view=01990000-0000-7000-8000-000000000000");
  await expect(page.getByRole("dialog")).toContainText("This order does not exist");
});

test("a note is saved once, also for whoever leaves its order meanwhile and comes back", async ({
  staff: { page, token },
  server: { api },
}) => {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const notes = `**${pathOf(orders.addNote, { id: "*" })}`;
  await page.route(notes, async (route) => {
    asked.resolve();
    await released.promise;
    await route.continue();
  });
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await rows(page).nth(6).getByRole("cell", { name: "Paging 07" }).click();
  const note = details(page).getByLabel("Note");
  await note.fill("Called back");
  await details(page).getByRole("button", { name: "Save note" }).click();
  await asked.promise;
  await press(page, "j");
  await expect(note).toHaveValue("");
  await press(page, "k");
  await expect(note).toHaveValue("Called back");
  await expect(details(page).getByRole("button", { name: "Saving…" })).toBeDisabled();
  released.resolve();
  await expect(details(page).getByRole("listitem").filter({ hasText: "Called back" })).toBeVisible();
  await expect(note).toHaveValue("");
  await expect(details(page).getByText("Not saved")).toHaveCount(0);
  await page.unroute(notes);
  const [order] = (await api.call(token, orders.list, { query: { search: "Paging 07" } })).orders;
  const story = await api.call(token, orders.read, { params: { id: order?._id ?? "" } });
  expect(story.notes.map(({ text }) => text)).toEqual(["Called back"]);
});

test("a note whose answer got lost after its order was left names the order, is still there, and is saved once", async ({
  staff: { page, token },
  watch,
  server: { api },
}) => {
  watch.expectProblem(/503/);
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const notes = `**${pathOf(orders.addNote, { id: "*" })}`;
  await page.route(notes, async (route) => {
    asked.resolve();
    await released.promise;
    await route.fetch();
    await route.fulfill({ status: 503, json: { message: "Too busy" } });
  });
  const [order] = (await api.call(token, orders.list, { query: { search: "Paging 09" } })).orders;
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await rows(page).nth(8).getByRole("cell", { name: "Paging 09" }).click();
  const note = details(page).getByLabel("Note");
  await note.fill("Called twice");
  await details(page).getByRole("button", { name: "Save note" }).click();
  await asked.promise;
  await press(page, "k");
  await expect(note).toHaveValue("");
  const told = `Note on order ${short(order?.uuid ?? "")}: Too busy`;
  await doToasted(page, told, async () => released.resolve());
  await press(page, "j");
  await expect(note).toHaveValue("Called twice");
  await page.unroute(notes);
  await details(page).getByRole("button", { name: "Save note" }).click();
  await expect(note).toHaveValue("");
  const story = await api.call(token, orders.read, { params: { id: order?._id ?? "" } });
  expect(story.notes.map(({ text }) => text)).toEqual(["Called twice"]);
});

testAlone(
  "keys that are pressed on the way to another screen open no row of the last one",
  async ({ staff: { page } }) => {
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Before the panel is loaded: a mouse that was left above the link fetches the code at once.
    await page.route("**/assets/InvoicesScreen-*", async (route) => {
      asked.resolve();
      await released.promise;
      await route.continue();
    });
    await page.goto("/orders");
    await expect(rows(page)).toHaveCount(10);
    await goByKeys(page, "i");
    await asked.promise;
    await press(page, "j", "Enter");
    released.resolve();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Invoices");
    await expect(rows(page)).toHaveCount(10);
    await expect(page).toHaveURL(/\/invoices$/);

    await page.evaluate(async () => {
      document.querySelector<HTMLElement>("nav a[href='/orders']")?.click();
      // The address changes first, and then the screen.
      while (location.pathname !== "/orders") await Promise.resolve();
      for (const key of ["j", "Enter"])
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      for (const row of document.querySelectorAll<HTMLElement>("[data-row] td")) row.click();
    });
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
    await expect(rows(page)).toHaveCount(10);
    await expect(page).toHaveURL(/\/orders$/);
  },
);

test("a key that was pressed while one order was loading does not act on another that is opened instead", async ({
  staff: { page, token },
  server: { api },
}) => {
  const { orders: found } = await api.call(token, orders.list, { query: { search: "Paging 25" } });
  const late = found.find(({ toName }) => toName === "Paging 25")?._id ?? "";
  const question = page.getByRole("dialog", { name: "Refund this order?" });
  const looked = Promise.withResolvers<void>();
  await page.route(`**${pathOf(orders.read, { id: late })}`, async (route) => {
    await looked.promise;
    await route.continue();
  });
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  // The question's code is there from now on.
  await rows(page).nth(1).getByRole("cell", { name: "Paging 02" }).click();
  await expect(details(page).getByRole("region", { name: "Timeline" })).toBeVisible();
  await press(page, "r");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();

  await openScreen(page, `/orders?search=paging-customer&view=${late}`, "Orders");
  await expect(details(page).locator("[aria-busy=true]")).toBeVisible();
  await press(page, "r", "Escape");
  await rows(page).nth(2).getByRole("cell", { name: "Paging 03" }).click();
  await expect(details(page).getByRole("region", { name: "Timeline" })).toBeVisible();
  await expect(question).toHaveCount(0);
  looked.resolve();
  await page.unrouteAll({ behavior: "wait" });
});

test("no key fires while one types, inside a dialog or with Control", async ({ staff: { page } }) => {
  await openScreen(page, "/orders", "Orders");
  await expect(rows(page)).toHaveCount(10);
  await page.keyboard.press("Control+j");
  await searchByKey(page);
  await page.keyboard.type("gojk?");
  await expect(page.getByRole("searchbox")).toHaveValue("gojk?");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await press(page, "Escape", "Enter");
  await expect(rows(page)).toHaveCount(10);
  await expect(marked(page)).toHaveCount(0);

  await press(page, "?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await expect(help.getByRole("region", { name: "Go to" })).toContainText("goOrders");
  await expect(help.getByRole("region", { name: "Go to" })).not.toContainText("Staff");
  await expect(help.getByRole("region", { name: "At the Fedex desk" })).toContainText("fChoose the label's file");
  await press(page, "j");
  await press(page, "Escape");
  await expect(help).toBeHidden();
  await expect(marked(page)).toHaveCount(0);
  await goByKeys(page, "s");
  await goByKeys(page, "u");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Users");
});

test("pages have the length one chose, also on other lists and after a reload, and any is one step away", async ({
  staff: { page },
}) => {
  await openScreen(page, "/orders", "Orders");
  const place = page.getByRole("button", { name: /^Page \d+ of/ });
  await expect(place).toBeVisible();
  await page.getByRole("button", { name: "Last page" }).click();
  await expect(page.getByRole("button", { name: "Next", exact: true })).toBeDisabled();
  await page.getByRole("button", { name: "First page" }).click();
  await expect(page.getByText("1–10 of")).toBeVisible();
  await place.click();
  await page.getByRole("textbox", { name: "Go to page" }).fill("4");
  await page.getByRole("textbox", { name: "Go to page" }).press("Enter");
  await expect(page.getByText("31–40 of")).toBeVisible();
  await expect(place).toBeFocused();

  // The row that was first is still visible.
  await page.getByLabel("Rows").selectOption("25");
  await expect(page).toHaveURL(/limit=25/);
  await expect(page.getByText("26–50 of")).toBeVisible();
  await openScreen(page, "/invoices", "Invoices");
  await expect(page.getByLabel("Rows")).toHaveValue("25");
  // A link without a length means ten rows a page.
  await openScreen(page, "/orders?page=2", "Orders");
  await expect(page.getByText("11–20 of")).toBeVisible();
});

test("the way back from a customer's page leads to the list as it was", async ({ staff: { page } }) => {
  await openScreen(page, "/users?verified=true", "Users");
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await expect(page.getByText("11–20 of")).toBeVisible();
  await expectSettled(page);
  const name = await rows(page).first().getByRole("link").first().textContent();
  await openByKeys(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name ?? "");
  await page.reload();
  await page.getByRole("main").getByRole("link", { name: "Users" }).click();
  await expect(page).toHaveURL(/\/users\?verified=true&page=2$/);
  await expect(page.getByText("11–20 of")).toBeVisible();
});
