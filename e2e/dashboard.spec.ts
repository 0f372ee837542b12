import { readFileSync } from "node:fs";
import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { Locator, Page } from "@playwright/test";
import { expect, test, testAlone } from "./fixtures.ts";
import { openScreen, toast } from "./steps.ts";

const onLoad = [dashboard.orders, dashboard.users, dashboard.graph, dashboard.revenue, dashboard.deposits];
const money = (amount: number) => amount.toLocaleString("en-US", { style: "currency", currency: "USD" });
const count = (value: number) => value.toLocaleString("en-US");

const open = (page: Page, address = "/") => openScreen(page, address, "Dashboard");
const headline = (page: Page, name: string) =>
  page.locator("dl > div").filter({ has: page.getByRole("term").filter({ hasText: name }) });
const figures = (page: Page, name: string) => page.getByLabel(name, { exact: true }).getByRole("definition");
const numbers = (page: Page, chart: string) => page.getByRole("table", { name: chart }).locator("tbody tr");
const chart = (page: Page, name: string) => page.getByRole("img", { name: new RegExp(`^${name}:`) });

async function answer(page: Page, call: Endpoint, reply: unknown) {
  await page.route(`**${call.path}*`, (route) => route.fulfill({ json: reply }));
}

/** How many different colours a canvas has; an empty one has one. */
const coloursOn = (canvas: Locator) =>
  canvas.evaluate((element: HTMLCanvasElement) => {
    const pixels = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data ?? [];
    const seen = new Set<string>();
    for (let at = 0; at < pixels.length; at += 4) seen.add(`${pixels[at]},${pixels[at + 1]},${pixels[at + 2]}`);
    return seen.size;
  });

test("all five calls go out together when the screen loads, and those of the charts and the books after them", async ({
  admin: { page },
}) => {
  const calls: string[] = [];
  const allThere = Promise.withResolvers<void>();
  await page.route("**/api/v1/dashboard/*", async (route) => {
    calls.push(new URL(route.request().url()).pathname);
    if (calls.length === onLoad.length) allThere.resolve();
    // No call is answered before all were made.
    await allThere.promise;
    await route.continue();
  });
  await open(page);
  await expect(chart(page, "Revenue")).toBeVisible();
  await expect(page.getByText("Agrees")).toBeVisible();
  await expect(page.getByText("in the last 30 days").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Needs attention" }).getByRole("listitem").first()).toBeVisible();
  expect(calls.slice(0, 5).sort()).toEqual(onLoad.map((call) => call.path).sort());
  const later = [dashboard.attention, dashboard.charts, dashboard.owed, dashboard.trends];
  expect(calls.slice(5).sort()).toEqual(later.map((call) => call.path));
});

test("the figures are those of the API", async ({ admin: { page, token }, server: { api } }) => {
  const orders = await api.call(token, dashboard.orders, {});
  const users = await api.call(token, dashboard.users, {});
  const revenue = await api.call(token, dashboard.revenue, {});
  const { allTimeInvoicesAmount: deposits, ...of } = await api.call(token, dashboard.deposits, {});
  await open(page);

  await expect(headline(page, "Total Orders")).toHaveText(`Total Orders${count(orders.allTimeOrdersCount)}`);
  await expect(headline(page, "Total Users")).toHaveText(`Total Users${count(users.allTimeUsersCount)}`);
  await expect(headline(page, "Total Revenue")).toHaveText(`Total Revenue${money(revenue.allTimeRevenue)}`);
  await expect(headline(page, "Total Deposits")).toHaveText(
    `Total Deposits${money(deposits.allTimeInvoicesAmount)}Cashapp ${money(deposits.cashApp)}paypal ${money(deposits.paypal)}`,
  );
  await expect(figures(page, "Orders")).toHaveText(
    [orders.todayOrdersCount, orders.thisWeekOrdersCount, orders.thisMonthOrdersCount].map(count),
  );
  await expect(figures(page, "Users")).toHaveText(
    [users.todayOrdersCount, users.thisWeekUsersCount, users.thisMonthUsersCount].map(count),
  );
  await expect(figures(page, "Revenue")).toHaveText(
    [revenue.todayRevenue, revenue.thisWeekRevenue, revenue.thisMonthRevenue].map(money),
  );
  await expect(figures(page, "Deposits")).toHaveText(
    [
      of.todayInvoicesAmount.todayInvoicesAmount,
      of.thisWeekInvoicesAmount.thisWeekInvoicesAmount,
      of.thisMonthInvoicesAmount.thisMonthInvoicesAmount,
    ].map(money),
  );
});

test("figures read with separators, and each row has the cards Today, Week and Month", async ({ admin: { page } }) => {
  await answer(page, dashboard.orders, { allTimeOrdersCount: 1234567, todayOrdersCount: 23 });
  await answer(page, dashboard.revenue, { allTimeRevenue: 48310.7, thisWeekRevenue: 1120.15 });
  await open(page);
  await expect(headline(page, "Total Orders")).toHaveText("Total Orders1,234,567");
  await expect(headline(page, "Total Revenue")).toHaveText("Total Revenue$48,310.70");
  await expect(figures(page, "Orders")).toHaveText(["23", "0", "0"]);
  await expect(figures(page, "Revenue")).toHaveText(["$0.00", "$1,120.15", "$0.00"]);
  for (const name of ["Orders", "Users", "Revenue", "Deposits"])
    await expect(page.getByLabel(name, { exact: true }).getByRole("term")).toHaveText(["Today", "Week", "Month"]);
});

test("a value that is missing shows 0", async ({ admin: { page } }) => {
  for (const call of onLoad) await answer(page, call, {});
  await open(page);
  for (const name of ["Total Orders", "Total Users"]) await expect(headline(page, name)).toHaveText(`${name}0`);
  await expect(headline(page, "Total Revenue")).toHaveText("Total Revenue$0.00");
  await expect(headline(page, "Total Deposits")).toHaveText("Total Deposits$0.00Cashapp $0.00paypal $0.00");
  for (const name of ["Orders", "Users"]) await expect(figures(page, name)).toHaveText(["0", "0", "0"]);
  for (const name of ["Revenue", "Deposits"]) await expect(figures(page, name)).toHaveText(["$0.00", "$0.00", "$0.00"]);
  await expect(chart(page, "Orders Graph")).toBeVisible();
});

test("failed calls show one toast and 0, and can be tried again", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/403|Not today/);
  const failing = [dashboard.orders, dashboard.revenue];
  for (const call of failing)
    await page.route(`**${call.path}`, (route) => route.fulfill({ status: 403, json: { message: "Not today" } }));
  await open(page);
  await expect(toast(page, "Some figures could not be loaded: Not today")).toHaveCount(1);
  await expect(headline(page, "Total Orders")).toHaveText("Total Orders0");
  await expect(headline(page, "Total Revenue")).toHaveText("Total Revenue$0.00");
  await expect.poll(() => watch.problems.filter((problem) => problem.includes("Not today")).length).toBe(2);

  for (const call of failing) await page.unroute(`**${call.path}`);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(headline(page, "Total Orders")).not.toHaveText("Total Orders0");
  await expect(page.getByText("What could not be loaded shows 0")).toBeHidden();
});

test("Orders Graph draws the orders of each of the last 30 days", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { data } = await api.call(token, dashboard.graph, {});
  await open(page);
  await expect(page.getByRole("heading", { name: "Orders Graph" })).toBeVisible();
  await expect(chart(page, "Orders Graph")).toBeVisible();
  await expect(numbers(page, "Orders Graph").locator("td")).toHaveText(data.map(count));
  await expect(page.getByRole("table", { name: "Orders Graph" }).getByRole("columnheader")).toHaveText([
    "Day",
    "Orders",
  ]);
  await expect.poll(() => coloursOn(chart(page, "Orders Graph"))).toBeGreaterThan(10);
});

test("the other charts follow the choice of 7, 30 or 90 days, which outlives a reload", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { labelTypes, paymentGateways } = await api.call(token, dashboard.charts, { query: { days: "90" } });
  await open(page);
  await expect(numbers(page, "Revenue")).toHaveCount(30);
  await page.getByText("7 days", { exact: true }).click();
  await expect(page).toHaveURL(/\?days=7$/);
  await expect(numbers(page, "Revenue")).toHaveCount(7);

  await page.getByText("90 days", { exact: true }).click();
  await expect(numbers(page, "Revenue")).toHaveCount(90);
  await page.reload();
  await expect(page.getByRole("radio", { name: "90 days" })).toBeChecked();
  await expect(numbers(page, "Revenue")).toHaveCount(90);
  await expect(numbers(page, "Orders by label type").locator("th")).toHaveText(
    labelTypes.map((part) => part.labelType),
  );
  await expect(numbers(page, "Deposits by payment gateway").locator("td")).toHaveText(
    paymentGateways.map((part) => count(part.count)),
  );
  for (const { paymentGateway } of paymentGateways)
    await expect(page.locator(`a[href^="/transfers?kind=deposit"][href*="method=${paymentGateway}"]`)).toBeVisible();
  for (const name of ["Revenue", "Orders by label type", "Deposits by payment gateway"])
    await expect.poll(() => coloursOn(chart(page, name)), name).toBeGreaterThan(10);
});

test("no drawing covers a figure, however large", async ({ admin: { page } }) => {
  const address = `**${dashboard.revenue.path}`;
  await page.route(address, async (route) => {
    const reply = await (await route.fetch()).json();
    await route.fulfill({ json: { ...reply, allTimeRevenue: 12_345_678.9 } });
  });
  await open(page);
  const total = page.getByRole("link", { name: "Total Revenue: $12,345,678.90" });
  const drawing = total.locator("..").locator("svg");
  for (const [width, isDrawn] of [
    [1620, true],
    [1280, false],
    [1010, true],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    if (!isDrawn) {
      await expect(drawing).toBeHidden();
      continue;
    }
    await expect(drawing).toBeVisible();
    const [figure, drawn] = [await total.boundingBox(), await drawing.boundingBox()];
    expect((figure?.x ?? 0) + (figure?.width ?? 0)).toBeLessThanOrEqual(drawn?.x ?? 0);
  }
  await page.unroute(address);
});

test("on a return visit nothing moves while the figures and charts arrive", async ({ admin: { page } }) => {
  await open(page);
  await expect(page.getByRole("region", { name: "Needs attention" }).getByRole("listitem").first()).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  const late = Promise.withResolvers<void>();
  await page.route("**/api/v1/dashboard/*", async (route) => {
    await late.promise;
    await route.continue();
  });
  await open(page);
  const tops = () =>
    page.getByRole("heading").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  await expect(page.getByLabel("Loading Orders by label type")).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  const before = await tops();
  late.resolve();
  await expect(chart(page, "Orders by label type")).toBeVisible();
  expect(await tops()).toEqual(before);
});

testAlone("the charts are loaded on no other screen", async ({ admin: { page } }) => {
  const scripts = new Set<string>();
  page.on("request", (request) => {
    if (/\/charts-[^/]+\.js$/.test(request.url())) scripts.add(request.url());
  });
  await openScreen(page, "/invoices", "Invoices");
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  expect(scripts.size).toBe(0);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Dashboard" }).click();
  await expect(chart(page, "Orders Graph")).toBeVisible();
  expect(scripts.size).toBe(1);
});

test('"Needs attention" leads to the lists where the work is done, and mentions the books', async ({
  admin: { page, token },
  server: { api },
}) => {
  const { newUsers, invoices, priceGaps } = await api.call(token, dashboard.attention, {});
  await open(page);
  const strip = page.getByRole("region", { name: "Needs attention" });
  await expect(strip.getByRole("link", { name: /^Books balanced/ })).toBeVisible();
  await expect(strip.getByRole("link", { name: `${newUsers.count} new users to verify` })).toHaveAttribute(
    "href",
    "/new-users",
  );
  await expect(strip.getByRole("link", { name: "price gap" })).toContainText(priceGaps[0]?.name ?? "no gap");
  await strip.getByRole("link", { name: `${invoices.count} invoices waiting, ${money(invoices.amount)}` }).click();
  await expect(page.getByText(`${invoices.count} invoices found`)).toBeVisible();
});

test("on a phone what needs attention stands in one column, however much it is", async ({
  admin: { page, token },
  server: { api },
}) => {
  const attention = await api.call(token, dashboard.attention, {});
  const waits = { count: 3, oldest: new Date().toISOString() };
  await answer(page, dashboard.attention, {
    ...attention,
    newUsers: waits,
    fedexOrders: waits,
    approvals: waits,
    unusual: 2,
    codes: [{ type: "ground_oz", left: 23, days: 2 }],
    priceGaps: [{ _id: crypto.randomUUID(), name: "ShipV2 Saver" }],
  });
  await page.setViewportSize({ width: 360, height: 780 });
  await open(page);
  const items = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
  await expect(items.nth(6)).toBeVisible();
  const lefts = await items.evaluateAll((all) => all.map((item) => item.getBoundingClientRect().left));
  expect(new Set(lefts).size).toBe(1);
});

test("one click compares this month with last, any days with any others, and the figures lead to their rows", async ({
  admin: { page, token },
  server: { api },
}) => {
  await open(page);
  await page.getByRole("link", { name: "This month against last" }).click();
  await expect(page).toHaveURL(/againstTo=/);
  const asked = Object.fromEntries(new URL(page.url()).searchParams);
  expect(asked.from).toMatch(/-01$/);
  const { span, against } = await api.call(token, dashboard.compare, { query: asked });
  const cells = (part: string, row: string) =>
    page
      .getByRole("table", { name: part })
      .getByRole("row", { name: new RegExp(`^${row} `) })
      .getByRole("cell");
  await expect(cells("In all", "Orders").nth(0)).toHaveText(count(span.orders));
  await expect(cells("In all", "Orders").nth(1)).toHaveText(count(against.orders));
  await expect(cells("In all", "Revenue").nth(0)).toHaveText(money(span.revenue));
  for (const { labelType, count: orders } of span.labelTypes)
    await expect(cells("Orders by label type", labelType).nth(0)).toHaveText(count(orders));
  for (const { username, amount } of span.topCustomers ?? [])
    await expect(cells("Customers who bought most", username).nth(0)).toHaveText(money(amount));
  // Both columns of tables end above the next part instead of overlapping it.
  const bottoms = await page
    .getByRole("table")
    .evaluateAll((tables) => tables.map((table) => table.parentElement?.getBoundingClientRect().bottom ?? 0));
  const attention = await page.getByRole("region", { name: "Needs attention" }).boundingBox();
  expect((attention?.y ?? 0) - Math.max(...bottoms)).toBeGreaterThanOrEqual(12);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "In all: table, copy, export" }).click();
  await page.getByRole("menuitem", { name: "Export CSV" }).click();
  const lines = readFileSync(await (await download).path(), "utf8").split("\r\n");
  expect(lines.find((line) => line.startsWith('"Orders"'))).toContain(`"Orders",${span.orders},${against.orders},`);

  await page.getByRole("button", { name: "This month", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "Last month" }).click();
  await expect(page.getByRole("button", { name: "Last month", exact: true })).toBeVisible();
  await page.goBack();
  await cells("In all", "Orders").nth(0).getByRole("link").click();
  await expect(page).toHaveURL(`/orders?from=${asked.from}&to=${asked.to}`);

  // Any address works; an invalid one shows the overview.
  await open(page, "/?from=2026-02-01&to=2026-02-10&againstFrom=2025-02-01&againstTo=2025-02-10");
  await expect(page.getByRole("heading", { name: /against Feb 1, 2025 – Feb 10, 2025$/ })).toBeVisible();
  await open(page, "/?from=2026-02-11&to=2026-02-10&againstFrom=2025-02-01&againstTo=2025-02-10");
  await expect(chart(page, "Orders Graph")).toBeVisible();
});

test("what a spreadsheet would run is harmless in what the dashboard exports", async ({
  admin: { page, token },
  server: { api },
}) => {
  const reply = await api.call(token, dashboard.compare, { query: {} });
  const most = ["=1+1", 'late;"=1+1', "a-b = c"].map((reason) => ({ reason, count: 1, amount: 1 }));
  await answer(page, dashboard.compare, {
    ...reply,
    span: { ...reply.span, reasons: { ...reply.span.reasons, most } },
  });
  await open(page, "/?from=2026-02-01&to=2026-02-10&againstFrom=2025-02-01&againstTo=2025-02-10");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Reasons of refunds: table, copy, export" }).click();
  await page.getByRole("menuitem", { name: "Export CSV" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  for (const cell of [`"'=1+1"`, `"late;""'=1+1"`, '"a-b = c"']) expect(text).toContain(cell);
});

testAlone(
  "a chart is read as a table too, whose numbers lead to their rows, and is printed in light",
  async ({ admin: { page } }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await open(page);
    await expect(chart(page, "Orders Graph")).toBeVisible();
    await page.getByRole("button", { name: "Orders Graph: table, copy, export" }).click();
    await page.getByRole("menuitem", { name: "Show as table" }).click();
    await expect(chart(page, "Orders Graph")).toBeHidden();
    await expect(numbers(page, "Orders Graph").last().getByRole("link")).toHaveAttribute("href", /\/orders\?from=/);
    // Other screens too.
    await page.getByRole("link", { name: "Daily summary" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Daily summary");
    const theme = page.locator("html");
    await expect(theme).toHaveAttribute("data-mantine-color-scheme", "dark");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await expect(theme).toHaveAttribute("data-mantine-color-scheme", "light");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await expect(theme).toHaveAttribute("data-mantine-color-scheme", "dark");
  },
);

test("the screen says in which timezone its days are", async ({ admin: { page } }) => {
  await open(page);
  await expect(page.getByText("Days in UTC")).toBeVisible();
});

test("the books are checked when asked, not on load", async ({ admin: { page } }) => {
  let checks = 0;
  page.on("request", (request) => {
    if (request.url().endsWith(dashboard.books.path)) checks += 1;
  });
  await open(page);
  await expect(chart(page, "Orders by label type")).toBeVisible();
  expect(checks).toBe(0);
  await page.getByRole("button", { name: "Check the books" }).click();
  await expect(page.getByText("Books balance, checked just now")).toBeVisible();
  await expect(page.getByRole("button", { name: "Check the books" })).toBeFocused();
  expect(checks).toBe(1);
});

test("books that do not balance list their problems", async ({ admin: { page } }) => {
  const problems = ["tobias has a balance of $5.00, but their transfers add up to $4.00", "2 orders are not counted"];
  await answer(page, dashboard.books, { balanced: false, checkedAt: new Date().toISOString(), problems });
  await open(page);
  await page.getByRole("button", { name: "Check the books" }).click();
  await expect(page.getByText("Books do not balance, checked just now")).toBeVisible();
  await expect(page.getByRole("alert", { name: "The books do not balance" }).getByRole("listitem")).toHaveText(
    problems,
  );
});

test("a staff member sees Fedex Orders in its place, and no dashboard call is made", async ({ staff: { page } }) => {
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/dashboard/")) calls.push(request.url());
  });
  await openScreen(page, "/", "Fedex Orders");
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  expect(calls).toEqual([]);
});
