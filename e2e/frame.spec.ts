import { session } from "@footprint/contract/session.ts";
import { users } from "@footprint/contract/users.ts";
import { chromium, type Locator, type Page } from "@playwright/test";
import { browserArgs, findBrowser } from "../scripts/browser.mjs";
import { expectAccessible, expectColours } from "./accessibility.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { type View, views } from "./screens.ts";
import { adminAccount } from "./server.ts";
import { expectSettled, open } from "./steps.ts";

const forAll = ["Orders", "Bulk Orders", "Fedex Orders", "Users", "New Users", "Invoices", "Transfers"];
const forAdmins = ["Dashboard", ...forAll, "USPS Tracking", "Label Pricing", "Website", "Staff"];

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Main" });
const entries = (page: Page) => sidebar(page).getByRole("link");

test("an administrator's sidebar has every entry", async ({ admin: { page } }) => {
  await open(page, "/staff");
  await expect(entries(page)).toHaveText(forAdmins);
});

test("a staff member's sidebar has the entries that are for all", async ({ staff: { page } }) => {
  await open(page, "/orders");
  await expect(entries(page)).toHaveText(forAll);
});

test("the entry of the address's first segment is the active one", async ({ staff: { page }, watch }) => {
  // The customer does not exist.
  watch.expectProblem(/404|does not exist/);
  for (const [path, label] of [
    ["/", "Fedex Orders"],
    ["/orders", "Orders"],
    ["/bulk-orders", "Bulk Orders"],
    ["/users/0198a1b2-0000-7000-8000-000000000000", "Users"],
    ["/new-users", "New Users"],
    ["/admin-settings", undefined],
  ] as const) {
    await open(page, path);
    await expect(entries(page)).toHaveText(forAll);
    await expect(sidebar(page).locator("[aria-current=page]")).toHaveText(label ? [label] : []);
  }
});

test("a staff member who opens an administrator's screen is sent elsewhere", async ({ staff: { page }, server }) => {
  for (const [path, end, heading] of [
    ["/staff", "/", "Fedex Orders"],
    ["/pricing", "/orders", "Orders"],
    ["/pricing/0198a1b2-0000-7000-8000-000000000000", "/orders", "Orders"],
    ["/usps", "/orders", "Orders"],
    ["/website", "/orders", "Orders"],
    ["/logs", "/orders", "Orders"],
  ] as const) {
    await open(page, path);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expect(page).toHaveURL(server.url + end);
  }
});

test("the root shows Fedex Orders to a staff member and the dashboard to an administrator", async ({
  staff: { page },
  openAs,
}) => {
  await open(page, "/");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Fedex Orders");
  const admin = await openAs(adminAccount);
  await open(admin.page, "/");
  await expect(admin.page.getByRole("heading", { level: 1 })).toHaveText("Dashboard");
});

testAlone(
  "the sidebar collapses to a compact form, stays so after a reload, and opens again",
  async ({ admin: { page } }) => {
    await page.goto("/staff");
    const width = async () => (await sidebar(page).boundingBox())?.width ?? 0;
    const wide = await width();
    await page.getByRole("button", { name: "Collapse sidebar" }).click();
    await expect.poll(width).toBeLessThan(wide / 2);
    await expect(sidebar(page).getByRole("link", { name: "Orders", exact: true })).toBeVisible();
    await page.reload();
    await expect.poll(width).toBeLessThan(wide / 2);
    await page.getByRole("button", { name: "Expand sidebar" }).click();
    await expect.poll(width).toBe(wide);
  },
);

test("on a small screen the sidebar is behind a button and closes after a choice", async ({ staff: { page } }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "/orders");
  const link = sidebar(page).getByRole("link", { name: "Invoices" });
  await expect(link).toBeHidden();
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(link).toBeVisible();
  await link.click();
  await expect(page).toHaveURL(/\/invoices$/);
  await expect(link).toBeHidden();
});

test("the dropdown Admin leads to Account Setting and has Sign out", async ({ staff: { page } }) => {
  await open(page, "/orders");
  await page.getByRole("button", { name: "Admin" }).click();
  await expect(page.getByRole("menuitem")).toContainText(["Account Setting", "Sign out"]);
  await page.getByRole("menuitem", { name: "Account Setting" }).click();
  await expect(page).toHaveURL(/\/admin-settings$/);
  await expect(page.getByRole("heading", { name: "Account Setting" })).toBeVisible();
});

test("the dropdown works by keyboard", async ({ staff: { page } }) => {
  await open(page, "/orders");
  await page.getByRole("button", { name: "Admin" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Account Setting" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/admin-settings$/);
});

test("an unknown address shows the fallback page with its status", async ({ staff: { page } }) => {
  await open(page, "/no-such-page");
  await expect(page.getByText("Unexpected Application Error!")).toBeVisible();
  await expect(page.getByText("404")).toBeVisible();
});

const scheme = (page: Page) => page.locator("html").getAttribute("data-mantine-color-scheme");
async function chooseTheme(page: Page, name: string) {
  await page.getByRole("button", { name: /^Theme/ }).click();
  await page.getByRole("menuitemradio", { name }).click();
}

testAlone(
  "the theme follows the system until one is chosen, and the choice outlives a reload",
  async ({ staff: { page } }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto("/orders");
    await expect.poll(() => scheme(page)).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => scheme(page)).toBe("light");

    await chooseTheme(page, "Dark");
    await expect.poll(() => scheme(page)).toBe("dark");
    await page.reload();
    await expect.poll(() => scheme(page)).toBe("dark");

    await chooseTheme(page, "Light");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.reload();
    await expect.poll(() => scheme(page)).toBe("light");

    await chooseTheme(page, "System");
    await expect.poll(() => scheme(page)).toBe("dark");
  },
);

/** Screens that consist mainly of a table. */
const tables = ["/orders", "/fedex", "/users", "/new-users", "/invoices", "/usps", "/pricing", "/staff", "/logs"];

/** Views that load the panel, before or after, come last. */
const loads = ({ as, ownPanel, answers }: View) => (as || ownPanel ? 2 : answers ? 1 : 0);
const cheapestFirst = views.toSorted((one, other) => loads(one) - loads(other));

for (const view of cheapestFirst) {
  const isTable = !view.open && tables.includes(view.path);
  const whole = isTable ? ", and shows all that its table holds" : "";
  test(`${view.name} is accessible in light and dark, and fits 360, 768 and 1440 px${whole}`, async ({
    look,
    watch,
  }) => {
    if (view.problem) watch.expectProblem(view.problem);
    const page = await look(view);
    // The view behind a dialog is tested by itself; both together are tested in conflicts.spec.ts.
    await expectAccessible(page, { frontOnly: true });
    const other = (await scheme(page)) === "dark" ? "light" : "dark";
    await page.emulateMedia({ colorScheme: other });
    await expect.poll(() => scheme(page)).toBe(other);
    await expectColours(page, { frontOnly: true });
    for (const width of [1440, 768, 360]) {
      // In narrower windows, rows are cards.
      if (isTable && width === 768) await expectWholeTable(page, [1200, 1024, 770, 768]);
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => page.evaluate(misfits), `what does not fit ${width} px`).toEqual([]);
    }
  });
}

/** Elements that stick out, are cut off, or make a phone zoom in. */
function misfits() {
  const overhang = document.documentElement.scrollWidth - innerWidth;
  // Styles are slow to read, so only of elements larger than their place, which neither grow nor scroll.
  const squeezed = Array.from(document.querySelectorAll("body *")).filter((element) => {
    const { clientHeight, clientWidth, scrollHeight, scrollWidth } = element;
    const isTooTall = clientHeight > 1 && scrollHeight > clientHeight + 4;
    const isTooWide = clientWidth > 1 && scrollWidth > clientWidth + 4;
    if (!isTooTall && !isTooWide) return false;
    const { overflowX, overflowY, textOverflow, visibility } = getComputedStyle(element);
    const isCut = (isTooTall && overflowY === "hidden") || (isTooWide && overflowX === "hidden");
    return isCut && !element.closest("[aria-hidden=true]") && textOverflow !== "ellipsis" && visibility === "visible";
  });
  // A dialog's frame would scroll sideways.
  const wide = Array.from(document.querySelectorAll("[role=dialog]")).filter((dialog) => {
    const { left, right } = dialog.getBoundingClientRect();
    return left < -1 || right > innerWidth + 1;
  });
  // Phones zoom in when a field with smaller letters gets the focus.
  const fields = innerWidth > 360 ? [] : document.querySelectorAll("input, select, textarea");
  const small = Array.from(fields)
    .filter((field) => !field.matches("[type=radio], [type=checkbox], [type=file]"))
    .filter((field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16);
  return [
    ...(overhang > 0 ? [`${overhang} pixels stand out`] : []),
    ...wide.map((dialog) => `too wide: ${dialog.outerHTML.slice(0, 200)}`),
    ...squeezed.map((element) => `cut off: ${element.outerHTML.slice(0, 200)}`),
    ...small.map((field) => `small letters: ${field.outerHTML}`),
  ];
}

const screens = [
  "/",
  "/orders",
  "/bulk-orders",
  "/fedex",
  "/users",
  "/new-users",
  "/invoices",
  "/transfers",
  "/usps",
  "/pricing",
  "/website",
  "/staff",
  "/logs",
  "/admin-settings",
];

for (const path of screens) {
  test(`${path} is accessible while it loads, and what it cannot load is written to the console and told`, async ({
    admin: { page },
    watch,
  }) => {
    watch.expectProblem(/403|Not today/);
    const answers = Promise.withResolvers<void>();
    await page.route("**/api/v1/**", async (route) => {
      if (route.request().url().endsWith(session.access.path)) return route.continue();
      await answers.promise;
      await route.fulfill({ status: 403, json: { message: "Not today" } });
    });
    await open(page, path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("[aria-busy=true]").first()).toBeVisible();
    await expectAccessible(page);
    answers.resolve();
    await expect(page.getByText("Not today").first()).toBeVisible();
    await expect(page.getByRole("button", { name: "Retry" }).first()).toBeVisible();
    const written = () => watch.problems.filter((problem) => problem.startsWith("console: ApiError: Not today")).length;
    await expect.poll(written).toBeGreaterThan(0);
    await page.unrouteAll({ behavior: "wait" });
  });
}

test("a row's times are no stops on the way through by keyboard", async ({ admin: { page } }) => {
  for (const path of ["/orders", "/users", "/staff"]) {
    await open(page, path);
    await expect(page.getByRole("time").first()).toBeVisible();
    await expect(page.locator("time[tabindex]")).toHaveCount(0);
  }
});

for (const width of [1440, 360]) {
  testAlone(`a toast leaves the header free, ${width} px wide`, async ({ admin: { page } }) => {
    await page.setViewportSize({ width, height: 740 });
    await page.goto("/website");
    await keepToasts(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const news = page.getByRole("alert");
    await expect(news).toBeVisible();
    const header = await page.getByRole("banner").boundingBox();
    const bottom = (header?.y ?? 0) + (header?.height ?? 0);
    await expect.poll(async () => (await news.boundingBox())?.y ?? 0).toBeGreaterThanOrEqual(bottom);
    await page.getByRole("button", { name: "Admin" }).click();
    await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
  });
}

/** A toast leaves when its bar has run out, on a busy machine before a test has looked at it. */
async function keepToasts(page: Page) {
  await page.addStyleTag({ content: ".Toastify__progress-bar { animation-play-state: paused !important }" });
}

/** Once the rows are there, no part of the table is hidden at any of these widths. */
async function expectWholeTable(page: Page, widths: number[]) {
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    // Fractions of a pixel are rounded up.
    await expect.poll(() => overhangOf(page), `pixels out of sight, ${width} px wide`).toBeLessThanOrEqual(1);
  }
}

/** How many pixels of the table are hidden. */
const overhangOf = (page: Page) =>
  page.getByRole("table").evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0));

const longName = "W".repeat(64);
for (const path of ["/bulk-orders", ...tables]) {
  test(`the table of ${path} holds names of 64 letters without scrolling sideways`, async ({ admin: { page } }) => {
    await page.route("**/api/v1/**", async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replaceAll(names, `$1:"${longName}"`) });
    });
    await open(page, path);
    await expectWholeTable(page, [1440, 1200, 1024, 770]);
    await page.unrouteAll({ behavior: "wait" });
  });
}
/** Fields in replies that people may fill to their full length. */
const names = /("(?:username|email|name|uid|chatId|discordId)"):"[^"]*"/g;

/** Elements wider than their cell or line. */
const cutOff = (page: Page) =>
  page.locator("tbody :is(td, td *)").evaluateAll((pieces) =>
    pieces
      // Elements only for screen readers are one pixel wide.
      .filter(({ clientWidth, scrollWidth }) => clientWidth > 1 && scrollWidth > clientWidth)
      .map((piece) => piece.textContent),
  );

test("a customer's state is whole beside a large balance, 768 px wide", async ({ admin: { page } }) => {
  await page.setViewportSize({ width: 768, height: 800 });
  await page.route(`**${users.list.path}?*`, async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    for (const user of reply.users)
      Object.assign(user, { username: "marlow", balance: 12_345.67, customPricingEnabled: true });
    await route.fulfill({ response, json: reply });
  });
  await open(page, "/users");
  await expect(page.getByText("Custom pricing").first()).toBeVisible();
  await expect.poll(() => overhangOf(page)).toBeLessThanOrEqual(0);
  await expect.poll(() => cutOff(page)).toEqual([]);
  await page.unrouteAll({ behavior: "wait" });
});

test("what an API key may do is readable without opening it, 1440 and 768 px wide", async ({ look }) => {
  const view = views.find(({ name }) => name === "website-keys");
  if (!view) throw new Error("no view of keys");
  const page = await look(view);
  for (const width of [1440, 768]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.getByRole("cell", { name: "Orders, Customers, Mark as paid" })).toBeVisible();
    await expect(page.getByText("From 2001:db8:85a3:1234:5678:8a2e:370:7334")).toBeVisible();
    await expect.poll(() => overhangOf(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => cutOff(page)).toEqual([]);
  }
});

testAlone("what the pointer is on stays readable, in light and dark", async ({ admin: { page } }) => {
  const expectReadable = async (pointed: Locator) => {
    await pointed.hover();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect.poll(() => scheme(page)).toBe(colorScheme);
      await expect
        .poll(() => pointed.evaluate(contrast), "contrast of text and background")
        .toBeGreaterThanOrEqual(4.5);
    }
  };
  await page.goto("/orders");
  await expectReadable(page.getByRole("button", { name: "View" }).first());
  await page.goto("/usps");
  await expectReadable(page.getByRole("button", { name: "Delete" }).first());
  await page.goto("/users");
  await page.getByRole("button", { name: "More actions" }).first().click();
  await expectReadable(page.getByRole("menuitem", { name: "Disable User" }));
});

/** WCAG's contrast ratio. Axe does not compute it over a drawn shade, such as behind a row's actions. */
function contrast(element: Element): number {
  const { color, backgroundColor } = getComputedStyle(element);
  const luminance = (value: string) => {
    const parts = (value.match(/[\d.]+/g) ?? []).map(Number);
    const [red = 0, green = 0, blue = 0] = parts.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    // Before the pointer is noticed there is no background to compare with.
    return parts[3] === 0 ? Number.NaN : 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [darker = 0, lighter = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

testAlone(
  "a screen whose code does not come says so in plain words, and is there once it does",
  async ({ admin: { page }, watch }) => {
    watch.expectProblem(/ERR_FAILED|could not be loaded|preload|dynamically imported/);
    await page.goto("/orders");
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    await page.route("**/assets/**", (route) => route.abort());
    await page.getByRole("link", { name: "Invoices" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Unexpected Application Error!");
    await expect(page.getByText("This screen could not be loaded. Check the connection and reload.")).toBeVisible();
    await page.unroute("**/assets/**");
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Invoices");
  },
);

testAlone(
  "where the code of toasts does not come the panel says so, and where that of a tooltip does not, it goes on",
  async ({ admin: { page }, watch }) => {
    watch.expectProblem(/ERR_FAILED|could not be loaded|preload|dynamically imported/);
    await page.route(/assets\/(Toasts|HintTip)-.*js/, (route) => route.abort());
    await page.goto("/orders");
    await expect(page.getByText("This screen could not be loaded. Check the connection and reload.")).toBeVisible();
    await page.unroute(/assets\/(Toasts|HintTip)-.*js/);
    await page.route(/assets\/HintTip-.*js/, (route) => route.abort());
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("HintTip-"));
    await page.getByRole("button", { name: /^Copy/ }).first().hover();
    await failed;
    await page.getByRole("searchbox").fill("paging");
    await expect(page).toHaveURL(/search=paging/);
    await expectSettled(page);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  },
);

testAlone(
  "of two menus whose code is on its way only the one that was asked for last opens",
  async ({ staff: { page } }) => {
    const asked = Promise.withResolvers<void>();
    await page.route(/assets\/LoadedMenu-/, async (route) => {
      await asked.promise;
      await route.continue();
    });
    await page.goto("/users");
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    const menus = page.getByRole("button", { name: /^More actions for/ });
    await menus.nth(0).press("Enter");
    await menus.nth(1).press("Enter");
    asked.resolve();
    await expect(menus.nth(1)).toHaveAttribute("aria-expanded", "true");
    await expect(page.getByRole("menu")).toHaveCount(1);
    await expect(menus.nth(0)).toHaveAttribute("aria-expanded", "false");
    await page.keyboard.press("Escape");
    await expect(menus.nth(1)).toBeFocused();
    await expect(page.getByRole("menu")).toHaveCount(0);
  },
);

testAlone(
  "a search that was just typed does not lead back while the next screen's code is on its way",
  async ({ staff: { page }, stopClock }) => {
    await page.clock.install();
    await page.goto("/orders");
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    await stopClock();
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route("**/assets/InvoicesScreen-*", async (route) => {
      asked.resolve();
      await released.promise;
      await route.continue();
    });
    await page.getByRole("searchbox").fill("paging");
    await page.getByRole("link", { name: "Invoices" }).click();
    await asked.promise;
    await page.clock.runFor(1000);
    released.resolve();
    await page.clock.resume();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Invoices");
    await expect(page).toHaveURL(/\/invoices$/);
  },
);

testAlone(
  "a screen that is opened anew begins at its top, and a reload stays where it was",
  async ({ admin: { page } }) => {
    await page.setViewportSize({ width: 1440, height: 300 });
    const top = () => page.evaluate(() => Math.round(window.scrollY));
    await page.goto("/orders");
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    await page.evaluate(() => window.scrollTo(0, 200));
    await page.goto("/users");
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    expect(await top()).toBe(0);
    await page.evaluate(() => window.scrollTo(0, 150));
    await page.reload();
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    await expect.poll(top).toBe(150);
  },
);

for (const width of [1440, 360]) {
  testAlone(`nothing moves when rows and figures arrive, ${width} px wide`, async ({ admin: { page } }) => {
    await page.setViewportSize({ width, height: 800 });
    const loading = page.locator("[aria-busy=true]");
    // The panel remembers the height of "Needs attention" from the last time.
    await page.goto("/");
    await expect(page.getByRole("region", { name: "Needs attention" }).getByRole("listitem").first()).toBeVisible();
    await page.evaluate(() => document.fonts.ready);
    for (const path of ["/", "/orders", "/fedex", "/invoices", "/staff"]) {
      const arrival = Promise.withResolvers<void>();
      await page.route("**/api/v1/**", async (route) => {
        if (!route.request().url().endsWith(session.access.path)) await arrival.promise;
        await route.continue();
      });
      await page.goto(path);
      await expect(loading.first()).toBeVisible();
      const shifts = await watchShifts(page);
      arrival.resolve();
      await expect(loading).toHaveCount(0);
      expect(await shifts(), `what moved on ${path}`).toEqual([]);
      await page.unroute("**/api/v1/**");
    }
  });
}

declare global {
  interface Window {
    shifts: { value: number; what: string }[];
  }
}

/** Records layout shifts, and how much of the screen moves, from now on or once the font is loaded. */
async function watchShifts(page: Page) {
  const nextPaint = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.evaluate(() => document.fonts.ready);
  await nextPaint();
  await page.evaluate(() => {
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[])
        window.shifts.push({ value, what: sources.map(({ node }) => node?.textContent ?? "?").join(", ") });
    }).observe({ type: "layout-shift" });
  });
  return async () => {
    await nextPaint();
    // A word that grows in its place moves very slightly.
    return (await page.evaluate(() => window.shifts)).filter(({ value }) => value > 0.0001);
  };
}

test("nothing moves sideways for a scrollbar that comes or goes, with a screen or with a dialog", async ({
  server,
  lasting,
}) => {
  const executablePath = findBrowser();
  // Playwright's own browsers have none that take room, unlike those of most operators.
  const browser = await chromium.launch({
    args: browserArgs,
    ignoreDefaultArgs: ["--hide-scrollbars"],
    ...(executablePath ? { executablePath } : {}),
  });
  try {
    const page = await browser.newPage({ baseURL: server.url, viewport: { width: 1440, height: 900 } });
    await page.context().addCookies([{ name: "footprint", value: lasting.admin, url: server.url }]);
    const account = page.locator("header").getByText("Admin");
    await page.goto("/orders?search=Refund+4");
    await expect(page.getByRole("button", { name: /^View/ })).toHaveCount(1);
    const place = await account.boundingBox();
    await page.getByRole("link", { name: "Website" }).click();
    await expect(page.getByRole("button", { name: "Create key" })).toBeVisible();
    expect(await account.boundingBox()).toEqual(place);
    await page.getByRole("button", { name: "Create key" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await account.boundingBox()).toEqual(place);
    await page.keyboard.press("Escape");
    await page.goto("/orders?search=Refund+4");
    await page.getByRole("button", { name: /^View/ }).click();
    await page.getByRole("button", { name: "Refund Order" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await account.boundingBox()).toEqual(place);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await account.boundingBox()).toEqual(place);
  } finally {
    await browser.close();
  }
});
