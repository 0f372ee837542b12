import { readFile } from "node:fs/promises";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import type { Page, Request } from "@playwright/test";
import { expect, test, testAlone } from "./fixtures.ts";
import { customer, openScreen, toast, withoutServersTime } from "./steps.ts";

const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
const chip = (page: Page, text: string) => page.getByRole("button", { name: text, exact: true });
const remove = (page: Page, label: string) => page.getByRole("button", { name: `Remove filter ${label}` });
const addressOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const expectAddress = (page: Page, asked: object) => expect.poll(() => addressOf(page)).toEqual(asked);

async function choose(page: Page, label: string, option: string) {
  await page.getByRole("button", { name: new RegExp(`^${label}`) }).click();
  await page.getByRole("menuitemradio", { name: option, exact: true }).click();
}

/** In Auckland it is already Sunday, 1 November. */
async function inAuckland(page: Page) {
  await withoutServersTime(page);
  await page.clock.setFixedTime("2026-10-31T12:30:00Z");
  await page.route(`**${session.access.path}`, async (route) => {
    const reply = await (await route.fetch()).json();
    await route.fulfill({ json: { ...reply, timezone: "Pacific/Auckland" } });
  });
}

testAlone("the days on offer are business days, whatever the day is elsewhere", async ({ admin: { page } }) => {
  await inAuckland(page);
  await openScreen(page, "/orders?page=2", "Orders");
  for (const [name, from, to, text] of [
    ["Today", "2026-11-01", "2026-11-01", "Nov 1"],
    ["Yesterday", "2026-10-31", "2026-10-31", "Oct 31"],
    ["This week", "2026-10-26", "2026-11-01", "Oct 26 – Nov 1"],
    ["Last week", "2026-10-19", "2026-10-25", "Oct 19 – Oct 25"],
    ["Last 7 days", "2026-10-26", "2026-11-01", "Oct 26 – Nov 1"],
    ["This month", "2026-11-01", "2026-11-30", "Nov 1 – Nov 30"],
    ["Last month", "2026-10-01", "2026-10-31", "Oct 1 – Oct 31"],
  ] as const) {
    const asked = page.waitForRequest((request) => request.url().includes(`from=${from}&to=${to}`));
    await choose(page, "Date", name);
    expect(new URL((await asked).url()).searchParams.get("page")).toBe("1");
    await expectAddress(page, { from, to });
    await expect(chip(page, `Date: ${text}`)).toBeVisible();
  }
});

testAlone("the days of another year say so, and a range may be open on one side", async ({ admin: { page } }) => {
  await inAuckland(page);
  for (const [query, text] of [
    ["from=2025-12-29&to=2026-01-04", "Date: Dec 29, 2025 – Jan 4, 2026"],
    ["from=2026-03-01", "Date: Since Mar 1"],
    ["to=2026-03-01", "Date: Until Mar 1"],
  ] as const) {
    await openScreen(page, `/orders?${query}`, "Orders");
    await expect(chip(page, text)).toBeVisible();
  }
});

testAlone(
  "a range of one's own is chosen in a calendar, which is fetched when it is asked for",
  async ({ admin: { page } }) => {
    const scripts: string[] = [];
    page.on("request", (request) => {
      const isScript = request.resourceType() === "script";
      if (isScript && /\/DayPicker-[^/]+\.js$/.test(request.url())) scripts.push(request.url());
    });
    await openScreen(page, "/orders?from=2026-11-09&to=2026-11-15", "Orders");
    await chip(page, "Date: Nov 9 – Nov 15").click();
    expect(scripts).toEqual([]);
    await page.getByRole("menuitem", { name: "Custom…" }).click();
    const dialog = page.getByRole("dialog", { name: "Choose days" });
    await dialog.getByRole("button", { name: "3 November 2026", exact: true }).click();
    await expect(dialog.getByRole("status")).toHaveText("Nov 3");
    await dialog.getByRole("button", { name: "12 November 2026", exact: true }).click();
    await expect(dialog.getByRole("status")).toHaveText("Nov 3 – Nov 12");
    expect(scripts).toHaveLength(1);
    await dialog.getByRole("button", { name: "Show these days" }).click();
    await expect(dialog).toBeHidden();
    await expect(chip(page, "Date: Nov 3 – Nov 12")).toBeFocused();
    await expectAddress(page, { from: "2026-11-03", to: "2026-11-12" });
  },
);

test("filters join with search and status, Back takes one off after the other, and a cross removes one", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { labelTypes: types } = await api.call(token, labelTypes.list, {});
  const priority = types.find(({ name }) => name === "USPS Priority")?._id ?? "";
  const found = async (query: object) =>
    (await api.call(token, orders.list, { query: { search: "paging-customer", limit: 100, ...query } })).total;

  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await choose(page, "Label type", "USPS Priority");
  await expect(page.getByText(`${await found({ labelType: priority })} orders found`)).toBeVisible();
  await page.getByRole("combobox", { name: "Status" }).selectOption("Active");
  await choose(page, "Date", "This month");
  await expect(page).toHaveURL(/to=/);
  const { from, to, ...rest } = addressOf(page);
  expect(rest).toEqual({ search: "paging-customer", labelType: priority, status: "Active" });
  const all = await found({ labelType: priority, status: "Active", from, to });
  await expect(page.getByText(`${all} ${all === 1 ? "order" : "orders"} found`)).toBeVisible();
  await page.reload();
  await expect(chip(page, "Label type: USPS Priority")).toBeVisible();

  await page.goBack();
  await expect(chip(page, "Date")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("combobox", { name: "Status" })).toHaveValue("All");
  await remove(page, "Label type").click();
  await expect(chip(page, "Label type")).toBeFocused();
  await expectAddress(page, { search: "paging-customer" });
  await expect(page.getByText(`${await found({})} orders found`)).toBeVisible();
});

test("one customer's orders come by a link or a search, and the chip's cross leads back to all", async ({
  staff: { page, token },
  server: { api },
}) => {
  const { _id } = await customer(api, token, "paging-customer");
  await openScreen(page, `/orders?customer=${_id}`, "Orders");
  await expect(page.getByText("25 orders found")).toBeVisible();
  await remove(page, "Customer").click();
  await expect(chip(page, "Customer")).toBeFocused();
  await expectAddress(page, {});

  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Customer").fill("aging-cust");
  await expect(page.getByRole("listbox").getByRole("option")).toHaveText(["paging-customer"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(chip(page, "Customer: paging-customer")).toBeFocused();
  await expectAddress(page, { customer: _id });
});

test("what an address has in place of a filter's value is left out", async ({ admin: { page } }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await openScreen(page, "/orders?from=2026-02-30&to=yesterday&customer=me&labelType=1&used=true", "Orders");
  await expect(rows(page)).toHaveCount(10);
  const call = asked.find((url) => url.includes(orders.list.path)) ?? "";
  expect([...new URL(call).searchParams.keys()].sort()).toEqual(["limit", "page", "sort", "status"]);
});

for (const [path, heading, chips] of [
  ["/orders", "Orders", ["Date", "Label type"]],
  ["/bulk-orders", "Bulk Orders", ["Date"]],
  ["/fedex", "Fedex Orders", ["Date"]],
  ["/invoices", "Invoices", ["Date", "Method"]],
  ["/users", "Users", ["Date", "Verified", "Custom pricing", "With balance"]],
  ["/new-users", "New Users", ["Date"]],
  ["/usps", "USPS Tracking", ["Date", "Type", "Template", "Status"]],
  ["/logs", "Transaction Logs", ["Date"]],
] as const) {
  test(`${heading} can be filtered by ${chips.join(", ")}, and exported`, async ({ admin: { page } }) => {
    await openScreen(page, path, heading);
    for (const label of chips) {
      await chip(page, label).click();
      const choices = page.getByRole("menuitemradio");
      const last = (await choices.last().textContent()) ?? "";
      await choices.last().click();
      await expect(page.getByRole("button", { name: new RegExp(`^${label}: `) })).toBeVisible();
      if (label !== "Date") await expect(chip(page, `${label}: ${last}`)).toBeVisible();
    }
    await expect(page.getByRole("main").getByText("found", { exact: false }).first()).toBeVisible();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    expect((await download).suggestedFilename()).toMatch(/^[a-z-]+-\d{4}-\d\d-\d\d\.csv$/);
    await expect(toast(page, /^Exported [\d,]+ rows?$/)).toBeVisible();
  });
}

test("an export has the rows of the list as it is filtered and searched, in its order", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { orders: listed } = await api.call(token, orders.list, {
    query: { search: "paging-customer", sort: "asc", limit: 100 },
  });
  await openScreen(page, "/orders?search=paging-customer&sort=asc&page=2", "Orders");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\r\n");
  expect(lines).toHaveLength(26);
  for (const [place, order] of listed.entries()) expect(lines[place + 1]).toContain(order.uuid);
  await expect(toast(page, "Exported 25 rows")).toBeVisible();
});

test("an export tells how far it is, and can be cancelled", async ({ admin: { page } }) => {
  await openScreen(page, "/orders", "Orders");
  // Sends the heading and two rows, one with a line break in a cell, and the rest later.
  await page.evaluate(() => {
    const { fetch } = window;
    window.fetch = (input, init) => {
      if (!String(input).includes("/export")) return fetch(input, init);
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('Order,Note\r\n1,"a\r\nb ""c"""\r\n2,d\r\n'));
          init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
        },
      });
      return Promise.resolve(new Response(body, { headers: { "x-total-rows": "31482" } }));
    };
  });
  await page.getByRole("button", { name: "Export", exact: true }).dblclick();
  await expect(page.getByText("2 of 31,482 rows")).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "Export" })).toHaveJSProperty("value", 2);
  await page.getByRole("button", { name: "Cancel export" }).click();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toBeFocused();
  await expect(page.getByText("of 31,482 rows")).toHaveCount(0);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("an export that is refused or breaks off shows a failure, and saves no file", async ({
  admin: { page },
  watch,
}) => {
  watch.expectProblem(/503|still running|broke off|ERR_/);
  const files: unknown[] = [];
  page.on("download", (file) => files.push(file));
  await openScreen(page, "/invoices", "Invoices");
  await page.route("**/export?*", (route) =>
    route.fulfill({ status: 503, json: { message: "Another export of yours is still running" } }),
  );
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await expect(toast(page, "Another export of yours is still running")).toBeVisible();
  await page.evaluate(() => {
    const real = window.fetch;
    const pieces = [new TextEncoder().encode("Invoice\r\n1\r\n")];
    const body = new ReadableStream({
      pull(controller) {
        const piece = pieces.pop();
        if (piece) controller.enqueue(piece);
        else controller.error(new TypeError("network error"));
      },
    });
    // The panel makes other calls meanwhile.
    window.fetch = (...asked) =>
      String(asked[0]).includes("/export?") ? Promise.resolve(new Response(body)) : real(...asked);
  });
  // By keyboard, since the toast covers the button.
  await page.getByRole("button", { name: "Export", exact: true }).press("Enter");
  await expect(toast(page, "The download broke off. Try again.")).toBeVisible();
  expect(files).toEqual([]);
});

test("staff see the filters but no export", async ({ staff: { page } }) => {
  await openScreen(page, "/orders", "Orders");
  await expect(chip(page, "Date")).toBeVisible();
  await expect(page.getByRole("button", { name: "Export", exact: true })).toHaveCount(0);
});

test("on a phone the filters stay in one line that scrolls", async ({ admin: { page } }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openScreen(page, "/users?withBalance=true", "Users");
  await expect(chip(page, "With balance: Yes")).toBeInViewport({ ratio: 1 });
  await choose(page, "Custom pricing", "No");
  await choose(page, "Verified", "Yes");
  await expectAddress(page, { withBalance: "true", customPricing: "false", verified: "true" });
  await expect(chip(page, "Custom pricing: No")).toBeVisible();
  await expect(chip(page, "Verified: Yes")).toBeVisible();
  const tops = () =>
    page
      .getByRole("button", { name: /: (Yes|No)$/ })
      .evaluateAll((all) => [...new Set(all.map((one) => Math.round(one.getBoundingClientRect().top)))]);
  await expect.poll(tops).toHaveLength(1);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

test("the dashboard's figures lead to the rows they count", async ({ admin: { page, token }, server: { api } }) => {
  const counted = await api.call(token, dashboard.orders, {});
  await openScreen(page, "/", "Dashboard");
  const link = (name: string) => page.getByRole("link", { name: new RegExp(`^${name}: `) });
  const addresses = async (name: string) => new URL((await link(name).getAttribute("href")) ?? "", page.url());
  const day = new Date().toISOString().slice(0, 10);
  expect((await addresses("Orders, Today")).search).toBe(`?from=${day}&to=${day}`);
  expect((await addresses("Revenue, Today")).search).toBe(`?status=Active&from=${day}&to=${day}`);
  expect((await addresses("Deposits, Today")).href).toContain(
    `/transfers?kind=deposit&reversed=false&from=${day}&to=${day}`,
  );
  expect((await addresses("Users, Month")).pathname).toBe("/users");
  expect((await addresses("Cashapp")).search).toBe("?status=paid&method=cashapp");

  await link("Orders, Month").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  const { thisMonthOrdersCount: month } = counted;
  await expect(page.getByText(`${month} ${month === 1 ? "order" : "orders"} found`)).toBeVisible();
});

test("the dashboard says what is owed to customers and whether the ledger agrees, and leads to them", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { owed } = await api.call(token, dashboard.owed, {});
  const sum = owed.toLocaleString("en-US", { style: "currency", currency: "USD" });
  await openScreen(page, "/", "Dashboard");
  await expect(page.getByText("Agrees")).toBeVisible();
  await page.getByRole("link", { name: `Owed to customers ${sum}` }).click();
  await expect(page).toHaveURL(/\/users\?withBalance=true$/);
  await expect(chip(page, "With balance: Yes")).toBeVisible();
});

testAlone(
  "a computer whose clock is a day off shows the server's today and how long ago things happened",
  async ({ admin: { page } }) => {
    for (const days of [1, -1]) {
      await page.clock.setFixedTime(Date.now() + days * 24 * 60 * 60 * 1000);
      await page.goto("/");
      const [today] = new Date().toISOString().split("T");
      const link = page.getByRole("link", { name: /^Orders, Today: / });
      await expect(link).toHaveAttribute("href", `/orders?from=${today}&to=${today}`);
      await openScreen(page, "/orders", "Orders");
      await page
        .getByRole("navigation", { name: "Views" })
        .getByRole("link", { name: /^Today/ })
        .click();
      await expectAddress(page, { from: today, to: today });
      await openScreen(page, "/admin-settings", "Account Setting");
      await expect(page.getByRole("row", { name: "This session" })).toContainText(/just now|min ago/);
    }
  },
);

testAlone(
  "days are right in a browser that writes other languages' dates like American ones",
  async ({ admin: { page } }) => {
    // As browsers do whose ICU is of version 72, such as WebKit on Debian 12.
    await page.addInitScript(() => {
      Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
        construct: (format, [, options]) => new format("en-US", options),
      });
    });
    await page.goto("/");
    const [today] = new Date().toISOString().split("T");
    const link = page.getByRole("link", { name: /^Orders, Today: / });
    await expect(link).toHaveAttribute("href", `/orders?from=${today}&to=${today}`);
    await openScreen(page, "/website", "Website Settings");
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("until-today");
    await dialog.getByText("Limits").click();
    await dialog.getByLabel("Last day").fill(today ?? "");
    const created = page.waitForRequest((request) => request.method() === "POST");
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    expect((await created).postDataJSON()).toMatchObject({ expiresAt: `${today}T23:59:59.000Z` });
  },
);

testAlone(
  "after midnight the list of today is marked as another day's, and one click from the new day",
  async ({ admin: { page } }) => {
    await withoutServersTime(page);
    await page.clock.install({ time: "2026-10-31T23:58:30Z" });
    await openScreen(page, "/orders", "Orders");
    const view = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^Today/ });
    await view.click();
    await expectAddress(page, { from: "2026-10-31", to: "2026-10-31" });
    await expect(view).not.toHaveAccessibleName(/changed/);
    await page.clock.runFor(120_000);
    await expect(view).toHaveAccessibleName(/changed/);
    await expectAddress(page, { from: "2026-10-31", to: "2026-10-31" });
    await view.click();
    await expectAddress(page, { from: "2026-11-01", to: "2026-11-01" });
    await expect(view).not.toHaveAccessibleName(/changed/);
  },
);

test("the dashboard says what is wrong if the ledger does not agree", async ({ admin: { page } }) => {
  const problems = ["tobias has a balance of $5.00, but their transfers add up to $4.00"];
  await page.route(`**${dashboard.owed.path}`, (route) =>
    route.fulfill({ json: { owed: 5, balanced: false, checkedAt: new Date().toISOString(), problems } }),
  );
  await openScreen(page, "/", "Dashboard");
  await expect(page.getByText("Does not agree")).toBeVisible();
  await expect(page.getByRole("alert", { name: "The books do not balance" }).getByRole("listitem")).toHaveText(
    problems,
  );
});

test("the cards above Fedex orders and tracking codes lead to what they count", async ({
  admin: { page, token },
  server: { api },
}) => {
  const asked = (path: string) =>
    page.waitForRequest(
      (request: Request) => request.url().includes(`${path}?`) && /filter=C|used=/.test(request.url()),
    );
  await openScreen(page, "/fedex", "Fedex Orders");
  const cancelled = asked("/readAllOrders");
  await page.getByRole("listitem").filter({ hasText: "Cancelled" }).getByRole("link").click();
  await cancelled;
  await expect(page.getByRole("combobox", { name: "Status" })).toHaveValue("Cancelled");

  const { left } = await api.call(token, tracking.stats, {});
  await openScreen(page, "/usps", "USPS Tracking");
  await page.getByRole("list", { name: "Codes left and used" }).getByRole("link", { name: /left/ }).first().click();
  await expect(chip(page, "Type: priority")).toBeVisible();
  await expect(chip(page, "Status: Unused")).toBeVisible();
  await expect(page.getByText(`${left.priority} prepaid codes found`)).toBeVisible();
  await page.getByRole("link", { name: /used$/ }).first().click();
  await expect(chip(page, "Status: Used")).toBeVisible();
});
