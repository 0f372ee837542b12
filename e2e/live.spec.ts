import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { events } from "@footprint/contract/events.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { orders } from "@footprint/contract/orders.ts";
import { queues } from "@footprint/contract/queues.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { views } from "@footprint/contract/views.ts";
import type { Dialog, Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { type Api, apiOf, uniqueName } from "./api.ts";
import { expect, testAlone as test } from "./fixtures.ts";
import { startProxy } from "./proxy.ts";
import { adminAccount, startServer } from "./server.ts";
import { newShop } from "./shop.ts";
import { addCustomer, credit, drawerOf, openScreen, rowOf, toast } from "./steps.ts";

test.use({ isLive: true });

const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
const firstCells = (page: Page) => page.locator("tbody tr td:nth-child(2)").allTextContents();

const sell = async (api: Api, shop: Awaited<ReturnType<typeof newShop>>, toName: string) =>
  (await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who, toName } })).order;

test("a view that a colleague changes does not keep the count of what it showed before", async ({
  admin: { page, token },
  server: { api },
}) => {
  const name = uniqueName("shared");
  const { view } = await api.call(token, views.create, {
    body: { screen: "invoices", name, query: "status=expired", shared: true },
  });
  await openScreen(page, "/invoices?status=expired", "Invoices");
  const tab = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: new RegExp(`^${name}`) });
  await expect(tab).toHaveText(new RegExp(`^${name} [\\d,]+$`));
  await api.call(token, views.update, { params: { id: view._id }, body: { query: "status=failed" } });
  await expect(tab).toHaveText(`${name}, changed`);
});

test("a list follows at its top, announces where somebody reads on, and never moves under the eye", async ({
  admin: { page, token },
  server: { api },
}) => {
  const shop = await newShop(api, token);
  const views = page.getByRole("navigation", { name: "Views" });
  const refunded = views.getByRole("link", { name: /^Refunded/ });
  // Retried from the beginning if the panel heard late of earlier changes: then it does not know the counts.
  await expect(async () => {
    await openScreen(page, "/orders?status=Refunded", "Orders");
    await expect(refunded).toHaveText(/^Refunded \d+$/, { timeout: 5_000 });
    await views.getByRole("link", { name: /^All/ }).click();
    await expect(views.getByRole("link", { name: /^All/ })).toHaveText(/^All [\d,]+$/, { timeout: 5_000 });
    await expect(rows(page)).toHaveCount(10);
    await expect(refunded).toHaveText(/^Refunded \d+$/, { timeout: 1_000 });
  }).toPass({ timeout: 120_000 });
  const first = await sell(api, shop, uniqueName("first"));
  await expect(rows(page).first()).toContainText(first.uuid.slice(-6));
  // The former count is no longer shown.
  await expect(refunded).toHaveText("Refunded");

  await openScreen(page, "/orders?page=2", "Orders");
  await expect(rows(page)).toHaveCount(10);
  const before = await firstCells(page);
  const [second, third] = [await sell(api, shop, uniqueName("second")), await sell(api, shop, uniqueName("third"))];
  const news = page.getByRole("button", { name: "2 new orders" });
  await expect(news).toBeVisible();
  expect(await firstCells(page)).toEqual(before);
  await expectAccessible(page);
  await news.click();
  await expect(page).not.toHaveURL(/page=2/);
  await expect(rows(page).first()).toContainText(third.uuid.slice(-6));
  await expect(rows(page).nth(1)).toContainText(second.uuid.slice(-6));
  await expect(news).toBeHidden();

  // With details open, the row is updated in its place.
  await rowOf(page, first.uuid.slice(-6)).getByRole("button", { name: /^View/ }).click();
  const drawer = drawerOf(page, "Order");
  await expect(drawer.getByRole("button", { name: "Refund Order" })).toBeVisible();
  await sell(api, shop, uniqueName("fourth"));
  await expect(page.getByRole("button", { name: "1 new order" })).toBeVisible();
  await api.call(token, orders.refund, { params: { id: first._id }, body: {} });
  await expect(drawer).toContainText("Refunded: $8.90 went back");
  await expect(page.locator("tbody tr[aria-current=true]")).toContainText("Refunded");
  await expect(toast(page, /refund/i)).toHaveCount(0);
});

test("two at one desk see what the other does, and that the other has the same open", async ({
  admin: { page, token, account },
  server: { api },
  lasting,
  openAs,
}) => {
  const shop = await newShop(api, token);
  const order = await sell(api, shop, uniqueName("shared"));
  const colleague = await openAs(await api.addStaff(lasting.admin));
  const address = `/orders?search=${order.uuid}&view=${order._id}`;
  await page.goto(address);
  const own = drawerOf(page, "Order");
  await expect(own.getByRole("button", { name: "Refund Order" })).toBeVisible();
  await colleague.page.goto(address);
  const theirs = drawerOf(colleague.page, "Order");
  await expect(theirs.getByText(`Also open: ${account.username}`)).toBeVisible();
  await expect(own.getByText(`Also open: ${colleague.account.username}`)).toBeVisible();
  await expectAccessible(page);

  await theirs.getByRole("button", { name: "Refund Order" }).click();
  const dialog = colleague.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Refund $8.90" }).click();
  await expect(toast(colleague.page, /refunded/i)).toBeVisible();
  await expect(own).toContainText("Refunded: $8.90 went back");
  await expect(own.getByRole("button", { name: "Refund Order" })).toBeHidden();

  // The customer's page behaves the same, and its balance follows.
  await theirs.getByRole("link", { name: shop.name }).click();
  await expect(own.getByText("Also open")).toBeHidden();
  await own.getByRole("link", { name: shop.name }).click();
  await expect(page.getByText(`Also open: ${colleague.account.username}`)).toBeVisible();
  await expect(page.getByRole("main")).toContainText("$50.00");
  await credit(api, colleague.token, { _id: shop.params.id }, 7, "Goodwill");
  await expect(page.getByRole("main")).toContainText("$57.00");
  await colleague.page.close();
  await expect(page.getByText("Also open")).toBeHidden();
});

test("chosen rows show their current state, and their sum, if they left the page, are on another one or are gone", async ({
  admin: { page, token },
  server: { api },
}) => {
  const shop = await newShop(api, token);
  await credit(api, token, { _id: shop.params.id }, 80, "");
  for (let place = 0; place < 13; place++) await sell(api, shop, uniqueName("kept"));
  const { orders: made } = await api.call(token, orders.list, { query: { search: shop.name, limit: 100 } });
  const refund = (place: number) =>
    api.call(token, orders.refund, { params: { id: made[place]?._id ?? "" }, body: {} });
  const bar = page.getByRole("region", { name: "Chosen rows" });
  await openScreen(page, `/orders?search=${shop.name}&status=Active`, "Orders");
  for (const place of [0, 1, 2]) await rows(page).nth(place).getByRole("checkbox").click();
  await expect(bar.getByRole("button", { name: "Refund 3 orders" })).toBeVisible();
  const before = await firstCells(page);

  await refund(0);
  await expect(rows(page).first()).toContainText("Refunded");
  await expect(bar.getByRole("button", { name: "Refund 2 orders" })).toBeVisible();
  expect(await firstCells(page)).toEqual(before);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "Next" }).click();
  await expect(page).toHaveURL(/page=2/);
  await refund(1);
  await bar.getByRole("button", { name: "Refund 1 order" }).click();
  await expect(page.getByRole("dialog", { name: "Refund 1 order?" })).toContainText("$8.90 in all");
  await page.keyboard.press("Escape");

  const newcomer = await addCustomer(api, token);
  await openScreen(page, `/new-users?search=${newcomer.username}`, "New Users");
  await rows(page).getByRole("checkbox").click();
  await expect(bar).toContainText("1 selected");
  await api.call(token, users.verify, { params: { id: newcomer._id } });
  await expect(bar).toBeHidden();
  await expect(page.locator(`[data-row="${newcomer._id}"]`)).toHaveAttribute("inert");
});

test("all windows of a browser follow, also when the one that follows for the others is held up or closed", async ({
  server: { api },
  lasting,
  openAs,
}) => {
  const { page } = await openAs(await api.addStaff(lasting.admin));
  const context = page.context();
  const following = context.waitForEvent("request", (request) => request.url().endsWith(events.stream.path));
  const windows = [page, ...(await Promise.all([1, 2, 3].map(() => context.newPage())))];
  for (const each of windows) await openScreen(each, "/transfers", "Transfers");
  const expectSeen = async (some: Page[]) => {
    const patron = await addCustomer(api, lasting.admin);
    await credit(api, lasting.admin, patron, 3, "");
    for (const each of some) await expect(rows(each).first()).toContainText(patron.username);
  };
  await expectSeen(windows);
  const first = (await following).frame().page();
  // A native dialog of the browser blocks everything else in its window.
  const question = new Promise<Dialog>((asked) => first.once("dialog", asked));
  await first.evaluate(() => void setTimeout(() => confirm("Leave?")));
  const open = await question;
  await expectSeen(windows.filter((each) => each !== first));
  await open.dismiss();
  await first.close();
  await expectSeen(windows.filter((each) => each !== first));
});

test("the sidebar's counts follow, and what somebody types stays", async ({
  staff: { page, token },
  server: { api },
  lasting,
}) => {
  const { newUsers } = await api.call(token, queues.read, {});
  const patron = await addCustomer(api, lasting.admin);
  await page.goto(`/users/${patron._id}`);
  const entry = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^New Users/ });
  await expect(entry).toHaveAccessibleName(`New Users, ${newUsers.count + 1} waiting`);
  await page.getByRole("button", { name: "Add Balance" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount").fill("12.34");
  await addCustomer(api, lasting.admin);
  await credit(api, lasting.admin, patron, 5, "");
  await expect(entry).toHaveAccessibleName(`New Users, ${newUsers.count + 2} waiting`);
  await expect(dialog).toContainText("$5.00");
  await expect(dialog.getByLabel("Amount")).toHaveValue(/12\.34/);
});

test("what is typed about a price stays when somebody else deletes that price", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { labelType, name } = await newShop(api, token);
  await openScreen(page, `/pricing/${labelType}`, `${name} prices`);
  await page.getByRole("button", { name: "Edit 1–3 lb" }).click();
  const form = page.getByRole("form", { name: "Edit 1–3 lb" });
  await form.getByLabel("Price", { exact: true }).fill("9.45");
  await form.getByLabel("Reason").fill("The carrier asks more");
  await api.call(token, labelTypes.deleteTier, { params: { id: labelType }, body: { fromWeight: 1, toWeight: 3 } });
  await expect(form).toContainText("This price has been deleted. It can be added again as a new one.");
  await expect(form.getByLabel("Price", { exact: true })).toHaveValue("9.45");
  await expect(form.getByLabel("Reason")).toHaveValue("The carrier asks more");
  await expect(form.getByRole("button", { name: /^Save/ })).toHaveCount(0);
  await expectAccessible(page);
  await form.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("form")).toHaveCount(0);
  await expect(page.getByRole("row", { name: "No price" })).toHaveCount(1);
});

test("a panel catches up: after a proxy that cuts, one that keeps back, and a server that was restarted", async ({
  browser,
  watch,
}) => {
  const dataDir = await mkdtemp(join(tmpdir(), "footprint-live-"));
  let server = await startServer({ DATA_DIR: dataDir });
  const { proxy, ...line } = await startProxy(server.url);
  // The browser itself reports cut connections.
  watch.expectProblem(/net::ERR|502/);
  const context = await browser.newContext({ baseURL: line.url });
  try {
    const token = await apiOf(server.url).signIn(adminAccount);
    await context.addCookies([{ name: "footprint", value: token, url: line.url }]);
    const page = await context.newPage();
    const newest = page.getByRole("main").locator("tbody tr").first();
    const creditOne = async () => {
      const api = apiOf(server.url);
      const patron = await addCustomer(api, token);
      await credit(api, token, patron, 3, "");
      return patron.username;
    };

    // With a buffering proxy the panel works as if alone.
    proxy.buffers = true;
    await openScreen(page, "/transfers", "Transfers");
    await expect.poll(line.asked).toBeGreaterThan(0);
    const unseen = await creditOne();
    await page.reload();
    await expect(newest).toContainText(unseen);
    // Another network, with another proxy.
    proxy.buffers = false;
    const buffered = line.asked();
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect.poll(line.asked).toBeGreaterThan(buffered);
    await expect(newest).toContainText(await creditOne());

    for (let times = 0; times < 2; times++) {
      const asked = line.asked();
      line.cutIdle();
      await expect(newest).toContainText(await creditOne());
      await expect.poll(line.asked).toBeGreaterThan(asked);
    }

    // The clock is set back right after a change was seen, while the panel pauses.
    await page.evaluate(() => {
      const time = Date.now;
      Date.now = () => time() - 3_600_000;
    });
    await expect(newest).toContainText(await creditOne());

    proxy.target = undefined;
    await server.stop();
    server = await startServer({ DATA_DIR: dataDir });
    proxy.target = server.url;
    await expect(newest).toContainText(await creditOne());
    await expect(newest).toContainText(await creditOne());
  } finally {
    await context.close();
    await line.stop();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
