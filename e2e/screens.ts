import { scopes } from "@footprint/contract/endpoint.ts";
import { logs, settingsId } from "@footprint/contract/logs.ts";
import { notices } from "@footprint/contract/notices.ts";
import { passkeys } from "@footprint/contract/passkeys.ts";
import { type MustFirst, session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import encodeQR from "qr";
import { expect } from "./expect.ts";
import { adminAccount } from "./server.ts";
import { changeQuestion } from "./steps.ts";
import { answerWebhooks } from "./webhookAnswers.ts";

/** All views of the panel: the tests of looks and accessibility, and the screenshots, use this table. */
export type View = {
  name: string;
  path: string;
  /** Who is looking; an administrator by default. */
  as?: "nobody" | "staff";
  /** The screen's heading, once it is there. */
  heading: string;
  /** Answers to fake, at once and when something is opened. */
  answers?: (page: Page) => Promise<unknown>;
  /** The panel makes these calls only when it is loaded, or is unusable afterwards. */
  ownPanel?: true;
  /** What to open on the screen. */
  open?: (page: Page) => Promise<void>;
  /** A problem that the browser reports on the way there. */
  problem?: RegExp;
};

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
/** A dialog, or details beside a list. */
const dialog = (page: Page) => expect(page.locator("[role=dialog], [data-drawer]")).toBeVisible();
const opening = (name: string | RegExp) => async (page: Page) => {
  await press(page, name);
  await dialog(page);
};

/** Chooses three rows of a list. */
async function choose(page: Page) {
  const begin = page.getByRole("button", { name: "Choose", exact: true });
  if (await begin.isVisible()) await begin.click();
  for (const place of [2, 3, 6]) await page.getByRole("checkbox").nth(place).click();
  await expect(page.getByRole("region", { name: "Chosen rows" })).toContainText("3 selected");
}

/** Opens the first row of a list. */
async function firstRow(page: Page) {
  await page.locator("[data-row]").first().click();
  await dialog(page);
}

const today = new Date().toISOString().slice(0, 10);
const todayInWords = new Intl.DateTimeFormat("en-US", {
  timeZone: "UTC",
  weekday: "short",
  month: "short",
  day: "numeric",
  year: "numeric",
}).format(new Date());

/** Goes on to a record's own screen, and opens something there. */
const following = (link: string, heading: string, open?: View["open"]) => async (page: Page) => {
  await page.getByRole("link", { name: link, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await open?.(page);
};
const pricingOf = (username: string, open?: View["open"]) => ({
  path: `/users?search=${username}`,
  heading: "Users",
  open: following(`Pricing of ${username}`, username, open),
});
const pageOf = (username: string, open?: View["open"]) => ({
  path: `/users?search=${username}`,
  heading: "Users",
  open: following(username, username, open),
});
/** Goes on to another tab of a customer's page. */
const tab = (name: RegExp) => async (page: Page) => {
  await page.getByRole("navigation", { name: "About this customer" }).getByRole("link", { name }).click();
  await expect(page.getByRole("navigation", { name: "Pages" })).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
};
/** A price that deserves a second look, typed below its row. */
async function editingPrice(page: Page) {
  await press(page, /^Edit/);
  await page.getByLabel("Price", { exact: true }).fill("0.45");
  await expect(page.getByText("% less").first()).toBeVisible();
}
async function pastingPrices(page: Page) {
  await press(page, "Paste table");
  await page.getByLabel("Table", { exact: true }).fill("From\tTo\tPrice\n0\t1\t5.10\n1\t5\tsoon");
  await expect(page.getByText("is not a price")).toBeVisible();
}
const pricesOf = (labelType: string, open?: View["open"]) => ({
  path: "/pricing",
  heading: "Label Pricing",
  open: following(`Prices of ${labelType}`, `${labelType} prices`, open),
});

/** Lowers it to a tenth. */
async function editingCustomPrice(page: Page) {
  await opening("Edit USPS Priority 0–1 lb")(page);
  await page.getByRole("textbox", { name: "Price" }).fill("0.49");
  await expect(page.getByText("USPS Priority 0–1 lb: $4.99 → $0.49, −90.2 %")).toBeVisible();
}
async function raisingPrices(page: Page) {
  await opening("Raise or lower")(page);
  await page.getByRole("dialog").getByLabel("Per cent").fill("20");
  await expect(page.getByRole("region", { name: "What becomes of the prices" })).toBeVisible();
}
async function copyingPrices(page: Page) {
  await opening("Copy from…")(page);
  await page.getByRole("dialog").getByLabel("Copy from").fill("pricing-customer");
  await page.getByRole("option", { name: "pricing-customer", exact: true }).click();
  await expect(page.getByRole("region", { name: "What becomes of the prices" })).toBeVisible();
}
async function askingWhatTheyPay(page: Page) {
  await press(page, /^More actions for/);
  await page.getByRole("menuitem", { name: "What would they pay?" }).click();
  await dialog(page);
  const asked = page.getByRole("dialog");
  await asked.getByLabel("Label type").selectOption({ label: "USPS Priority" });
  await asked.getByLabel("Weight (lb)").fill("2.4");
  await expect(asked.getByText("Custom price of pricing-customer for 1–5 lb")).toBeVisible();
}

type Call = { path: string; method?: string };
/** Fakes the answer to a call, for data that the seed lacks or that would change the viewing account. */
const answering = (page: Page, { path, method }: Call, json: object, status = 200) =>
  page.route(`**${path}`, (route) =>
    method && method !== route.request().method() ? route.fallback() : route.fulfill({ status, json }),
  );

async function showSecret(page: Page) {
  await press(page, "Turn on");
  await page.getByRole("dialog").getByRole("textbox", { name: "Password" }).fill(adminAccount.password);
  await press(page, "Continue");
  await expect(page.getByRole("img", { name: "QR code" })).toBeVisible();
}

/** Keys of every kind, which the seed lacks. */
async function answerKeys(page: Page) {
  const moment = "2026-01-31T12:00:00.000Z";
  const limits = { scopes: [...scopes], depositsPerDay: null, expiresAt: null, addresses: [] as string[] };
  const key = (place: number, name: string, more: object) => {
    const shop = { _id: `01990000-0000-7000-8000-00000000000${place}`, name };
    return {
      ...shop,
      start: "fp_a1B2c",
      shop,
      isBounded: true,
      createdAt: moment,
      lastUsedAt: null,
      ...limits,
      ...more,
    };
  };
  const keys = [
    key(1, "Main shop", { isBounded: false, lastUsedAt: moment }),
    key(2, "Market stall", {
      scopes: ["orders", "customers", "mark-as-paid"],
      ...{ depositsPerDay: 250.5, expiresAt: "2031-05-31T23:59:59.000Z", addresses: ["203.0.113.0/24", "2001:db8::1"] },
    }),
    key(3, "Christmas bot", { expiresAt: moment, addresses: ["2001:db8:85a3:1234:5678:8a2e:370:7334"] }),
  ];
  const shops = keys.map(({ shop }) => ({ ...shop, createdAt: moment }));
  await answering(page, website.listApiKeys, { keys, shops });
}

const keysShown = (open?: View["open"]) => ({
  path: "/website",
  heading: "Website Settings",
  answers: answerKeys,
  async open(page: Page) {
    await expect(page.getByText("Market stall").first()).toBeVisible();
    await open?.(page);
  },
});

/** A handle with a matching image, which the seed lacks. */
async function answerHandle(page: Page) {
  const says = "https://cash.app/$north-wind";
  const picture = Buffer.from(encodeQR(says, "gif", { scale: 6 }));
  await page.route("**/website/image/*", (route) => route.fulfill({ contentType: "image/gif", body: picture }));
  const image = `/api/v1/website/image/${settingsId}`;
  const cashapp = { cashappId: "$north-wind", image, qr: [says], warnings: [], version: "1" };
  await answering(page, website.getCashapp, { cashapp });
}

const webhooksShown = (open?: View["open"]) => ({
  path: "/website",
  heading: "Website Settings",
  answers: answerWebhooks,
  async open(page: Page) {
    await expect(page.getByText("Main shop").first()).toBeVisible();
    await open?.(page);
  },
});
/** Chooses from a webhook's menu. */
const act = (webhook: string, item: string) => async (page: Page) => {
  await press(page, `More actions for ${webhook}`);
  await page.getByRole("menuitem", { name: item }).click();
  await dialog(page);
};
/** Goes on to a webhook's own screen. */
const deliveriesOf = (webhook: string, open?: View["open"]) =>
  webhooksShown(following(`Deliveries of ${webhook}`, webhook, open));

/** Requests of every kind, which the seed lacks. */
async function answerRequests(page: Page) {
  const moment = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const expiresAt = new Date(Date.now() + 21 * 3_600_000).toISOString();
  const user = { _id: settingsId, username: "harbour.prints" };
  const by = { _id: settingsId, username: "night-shift" };
  const request = { user, by, decision: null, status: "waiting", expiresAt, createdAt: moment };
  const approvals = [
    {
      ...request,
      _id: requestId(1),
      act: "refund",
      amount: 412.5,
      reason: "The carrier lost the whole bag",
      for: order,
    },
    {
      ...request,
      _id: requestId(2),
      act: "credit",
      amount: 1_250,
      reason: "A goodwill gesture for the delay",
      for: null,
    },
    {
      ...request,
      _id: requestId(3),
      act: "deposit",
      amount: 900,
      reason: "Seen in the app",
      for: { ...order, kind: "invoice" },
    },
  ];
  const json = { approvals, total: 3, totalPages: 1 };
  await page.route("**/api/v1/admin/approvals/read*", (route) => route.fulfill({ json }));
}
const requestsShown = (open?: View["open"]) => ({
  path: "/approvals",
  heading: "Approvals",
  answers: answerRequests,
  async open(page: Page) {
    await expect(page.getByText("harbour.prints").first()).toBeVisible();
    await open?.(page);
  },
});
const requestId = (place: number) => `01990000-0000-7000-8000-00000000000${place}`;
const order = { kind: "order", _id: settingsId, name: settingsId };

/** The server's answer to an account that has to do something first. */
const mustFirst = (what: MustFirst, heading: string) => ({
  path: "/",
  heading,
  ownPanel: true as const,
  answers(page: Page) {
    const who = { role: "staff", username: "maren", mustFirst: what, timezone: "UTC", demo: false };
    return answering(page, session.access, who);
  },
});

const ownPasskeys = () => {
  const createdAt = new Date(Date.now() - 9 * 24 * 3_600_000).toISOString();
  const lastUsedAt = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const passkey = { createdAt, replacesPassword: true, backedUp: true, lastUsedAt };
  return [
    { ...passkey, _id: "laptop", name: "Laptop" },
    {
      ...passkey,
      _id: "key",
      name: "The security key in the drawer at home",
      replacesPassword: false,
      lastUsedAt: null,
    },
  ];
};

async function answerPasskeys(page: Page) {
  await answering(page, passkeys.list, { passkeys: ownPasskeys() });
  await answering(page, session.twoStep, { onSince: null, recoveryCodesLeft: 9 });
}
const passkeysShown = (open?: View["open"]) => ({
  path: "/admin-settings",
  heading: "Account Setting",
  answers: answerPasskeys,
  async open(page: Page) {
    await expect(page.getByText("The security key in the drawer at home")).toBeVisible();
    await open?.(page);
  },
});

/** Uploads a statement that fits no invoice. The same file is always the same statement. */
const dropStatement = (name: string) => async (page: Page) => {
  const heading = "Transaction ID,Date,Transaction Type,Currency,Amount,Status,Notes,Name of sender/receiver";
  const line = (place: number, who: string, note: string) =>
    `${name}${place},2026-01-${10 + place} 14:22:11 EST,Received P2P,USD,"$1,${100 + place}.37",PAYMENT DEPOSITED,${note},${who}`;
  const lines = [
    line(1, "Maren Olsen", "labels for January"),
    line(2, "Tobias Brandt", ""),
    line(3, "Lena Okafor", "thanks"),
    line(4, "Jonas Weller", "").replace("2026-01-14 14:22:11 EST", "later"),
  ];
  const file = { name, mimeType: "text/csv", buffer: Buffer.from([heading, ...lines].join("\n")) };
  await page.getByLabel("Statement of the payment app or of PayPal").setInputFiles(file);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
};

async function showLines(page: Page) {
  await dropStatement("january.csv")(page);
  const read = page.getByRole("button", { name: "Read 4 lines" });
  const tabs = page.getByRole("navigation", { name: "Lines and invoices" });
  await expect(read.or(tabs)).toBeVisible();
  if (await read.isVisible()) await read.click();
  await expect(tabs).toBeVisible();
  await expect(page.getByText("Maren Olsen").first()).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
}

const backwards = (code: string) => [...code].reverse().join("");
const recoveryCodes = [
  "a2b3c-4d5e6-f7g8h-9jk2m-np3qr",
  "s4tu5-vw6xy-z72a3-b4c5d-6e7f8",
  "g9hjk-2mnp3-qrs4t-u5vwx-6yz7a",
  "b2c3d-4e5f6-g7h8j-9kmnp-2qrst",
  "u3vwx-4yz5a-b6c7d-8e9fg-h2jkm",
];

export const views: readonly View[] = [
  { name: "sign-in", path: "/", as: "nobody", heading: "Sign-In" },
  {
    name: "sign-in-code",
    path: "/",
    as: "nobody",
    heading: "Sign-In",
    problem: /401/,
    answers: (page) => answering(page, session.login, { message: "Enter the code", codeRequired: true }, 401),
    async open(page) {
      await page.getByRole("textbox", { name: "Username" }).fill("maren");
      await page.getByRole("textbox", { name: "Passcode" }).fill("anything");
      await press(page, "Sign in");
      await expect(page.getByRole("textbox", { name: "Code" })).toBeFocused();
    },
  },
  { name: "dashboard", path: "/", heading: "Dashboard" },
  {
    name: "dashboard-books",
    path: "/",
    heading: "Dashboard",
    async open(page) {
      await press(page, "Check the books");
      await expect(page.getByText("Books balance, checked")).toBeVisible();
    },
  },
  {
    name: "dashboard-compared",
    path: "/?from=2026-11-01&to=2026-11-15&againstFrom=2026-10-01&againstTo=2026-10-15",
    heading: "Dashboard",
    async open(page) {
      await expect(page.getByRole("table", { name: "In all" })).toBeVisible();
    },
  },
  {
    name: "dashboard-table",
    path: "/",
    heading: "Dashboard",
    async open(page) {
      await press(page, "Orders by label type: table, copy, export");
      await page.getByRole("menuitem", { name: "Show as table" }).click();
    },
  },
  { name: "orders", path: "/orders", heading: "Orders" },
  { name: "orders-filtered", path: "/orders?from=2026-11-09&to=2026-11-15&status=Active", heading: "Orders" },
  {
    name: "orders-dates",
    path: "/orders",
    heading: "Orders",
    async open(page) {
      await press(page, "Date");
      await expect(page.getByRole("menuitem", { name: "Custom…" })).toBeVisible();
    },
  },
  {
    name: "orders-calendar",
    path: "/orders?from=2026-11-09&to=2026-11-15",
    heading: "Orders",
    async open(page) {
      await press(page, /^Date/);
      await page.getByRole("menuitem", { name: "Custom…" }).click();
      await dialog(page);
    },
  },
  { name: "order", path: "/orders?search=Refund+1", heading: "Orders", open: opening(/^View/) },
  {
    name: "order-refund",
    path: "/orders?search=Refund+1",
    heading: "Orders",
    async open(page) {
      await press(page, /^View/);
      await press(page, "Refund Order");
      await expect(page.getByRole("dialog", { name: "Refund this order?" })).toBeVisible();
    },
  },
  {
    name: "keys",
    path: "/orders",
    heading: "Orders",
    async open(page) {
      await page.keyboard.press("?");
      await dialog(page);
    },
  },
  { name: "orders-chosen", path: "/orders", heading: "Orders", open: choose },
  {
    name: "orders-refund-several",
    path: "/orders",
    heading: "Orders",
    async open(page) {
      await choose(page);
      await opening(/^Refund/)(page);
    },
  },
  {
    name: "palette",
    path: "/orders",
    heading: "Orders",
    async open(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search or jump to" }).fill("north");
      await expect(page.getByRole("group", { name: "Actions for northwind" })).toBeVisible();
    },
  },
  { name: "bulk-orders", path: "/bulk-orders", heading: "Bulk Orders" },
  { name: "bulk-order", path: "/bulk-orders?search=northwind", heading: "Bulk Orders", open: opening(/^View/) },
  {
    name: "bulk-order-order",
    path: "/bulk-orders?search=northwind",
    heading: "Bulk Orders",
    async open(page) {
      await opening(/^View/)(page);
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^View order/ })
        .nth(2)
        .click();
      await expect(page.getByRole("heading", { name: "Timeline" })).toBeVisible();
    },
  },
  { name: "fedex", path: "/fedex", heading: "Fedex Orders" },
  { name: "fedex-order", path: "/fedex?search=Fedex+File", heading: "Fedex Orders", open: opening(/^View/) },
  { name: "fedex-update", path: "/fedex?search=Fedex+File", heading: "Fedex Orders", open: opening(/^Update/) },
  { name: "fedex-desk", path: "/fedex?desk=all&search=Fedex", heading: "Fedex Orders" },
  {
    name: "fedex-charge",
    path: "/fedex?desk=all&search=Fedex+File",
    heading: "Fedex Orders",
    open: async (page) => {
      const charge = page.getByRole("button", { name: "Charge $48.75" });
      // On a phone the queue comes first.
      const entry = page.getByRole("list", { name: "Orders", exact: true }).getByRole("button");
      await charge.or(entry).first().waitFor();
      if (!(await charge.isVisible())) await entry.first().click();
      await charge.click();
      await dialog(page);
    },
  },
  { name: "fedex-as-staff", path: "/", as: "staff", heading: "Fedex Orders" },
  { name: "users", path: "/users", heading: "Users" },
  { name: "users-filtered", path: "/users?verified=true&withBalance=true&customPricing=false", heading: "Users" },
  {
    name: "user-menu",
    path: "/users",
    heading: "Users",
    async open(page) {
      await press(page, /^More actions/);
      await expect(page.getByRole("menuitem", { name: "Enable Custom Pricing" })).toBeVisible();
    },
  },
  { name: "user-balance", path: "/users", heading: "Users", open: opening(/^Add Balance/) },
  {
    name: "user-balance-warned",
    path: "/users?search=oswald",
    heading: "Users",
    async open(page) {
      await opening(/^Add Balance/)(page);
      await page.getByRole("dialog").getByLabel("Amount").fill("-50000");
      await expect(page.getByText("A balance cannot go below zero.")).toBeVisible();
    },
  },
  { name: "custom-pricing", ...pricingOf("pricing-customer") },
  { name: "custom-pricing-none", ...pricingOf("oswald") },
  { name: "custom-pricing-add", ...pricingOf("pricing-customer", opening("Add Price")) },
  { name: "custom-pricing-edit", ...pricingOf("pricing-customer", editingCustomPrice) },
  { name: "custom-pricing-change", ...pricingOf("pricing-customer", raisingPrices) },
  { name: "custom-pricing-copy", ...pricingOf("oswald", copyingPrices) },
  { name: "what-they-pay", ...pricingOf("pricing-customer", askingWhatTheyPay) },
  { name: "custom-pricing-delete", ...pricingOf("pricing-customer", opening(/^Delete/)) },
  { name: "customer-balance", ...pageOf("northwind") },
  { name: "customer-balance-reverse", ...pageOf("northwind", opening(/^Reverse/)) },
  { name: "customer-orders", ...pageOf("northwind", tab(/^Orders/)) },
  { name: "customer-invoices", ...pageOf("northwind", tab(/^Invoices/)) },
  { name: "customer-activity", ...pageOf("northwind", tab(/^Activity/)) },
  { name: "customer-unverified", ...pageOf("newcomer-01") },
  { name: "new-users", path: "/new-users", heading: "New Users" },
  { name: "new-user-decline", path: "/new-users", heading: "New Users", open: opening(/^Decline/) },
  { name: "invoices", path: "/invoices", heading: "Invoices" },
  { name: "invoice-mark-paid", path: "/invoices", heading: "Invoices", open: opening(/^Mark as Paid/) },
  {
    name: "invoice-mark-paid-failed",
    path: "/invoices?status=failed",
    heading: "Invoices",
    async open(page) {
      await opening(/^Mark as Paid/)(page);
      await expect(page.getByText("This payment failed.")).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    },
  },
  { name: "invoice-payment", path: "/invoices?status=paid", heading: "Invoices", open: opening(/^Payment/) },
  { name: "statements", path: "/invoices/statements", heading: "Statements" },
  {
    name: "statement-columns",
    path: "/invoices/statements",
    heading: "Statements",
    open: dropStatement("columns.csv"),
  },
  { name: "statement", path: "/invoices/statements", heading: "Statements", open: showLines },
  {
    name: "statement-line",
    path: "/invoices/statements",
    heading: "Statements",
    async open(page) {
      await showLines(page);
      await firstRow(page);
    },
  },
  {
    name: "statement-assign",
    path: "/invoices/statements",
    heading: "Statements",
    async open(page) {
      await showLines(page);
      await opening(/^Assign/)(page);
      await expect(page.getByRole("radio").first()).toBeVisible();
    },
  },
  {
    name: "statement-refused",
    path: "/invoices/statements",
    heading: "Statements",
    async open(page) {
      await showLines(page);
      await page.getByRole("link", { name: /^Refused lines/ }).click();
      await expect(page.getByText("“later” is no date").first()).toBeVisible();
    },
  },
  { name: "transfers", path: "/transfers", heading: "Transfers" },
  { name: "transfers-of-customer", path: "/transfers", heading: "Transfers", open: opening(/^Customer$/) },
  { name: "usps", path: "/usps", heading: "USPS Tracking" },
  { name: "usps-create", path: "/usps", heading: "USPS Tracking", open: opening("Create codes") },
  {
    name: "usps-delete-range",
    path: "/usps",
    heading: "USPS Tracking",
    async open(page) {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Delete a range" }).click();
      await page.getByRole("dialog").getByLabel("First code").fill("9200190255140000000010");
      await page.getByRole("dialog").getByLabel("Last code").fill("9200190255140000001239");
    },
  },
  {
    name: "usps-code",
    path: "/usps?search=92001902551&used=true",
    heading: "USPS Tracking",
    async open(page) {
      await page.locator("[data-row]").first().click();
      await expect(page.getByText("Registered before batches were kept.")).toBeVisible();
    },
  },
  { name: "usps-alert", path: "/usps", heading: "USPS Tracking", open: opening(/change when priority/) },
  { name: "usps-batches", path: "/usps/batches", heading: "USPS Tracking" },
  { name: "usps-delete", path: "/usps", heading: "USPS Tracking", open: opening(/^Delete/) },
  { name: "pricing", path: "/pricing", heading: "Label Pricing" },
  { name: "pricing-add", path: "/pricing", heading: "Label Pricing", open: opening("Add Label Type") },
  { name: "pricing-edit", path: "/pricing", heading: "Label Pricing", open: opening(/^Edit/) },
  { name: "label-type-prices", ...pricesOf("WWBiz Ground") },
  { name: "label-type-prices-edit", ...pricesOf("USPS Priority", editingPrice) },
  { name: "label-type-prices-paste", ...pricesOf("USPS Priority", pastingPrices) },
  { name: "label-type-prices-add", ...pricesOf("WWBiz Ground", opening("Add Weight for 5–10 lb")) },
  { name: "website", path: "/website", heading: "Website Settings" },
  {
    name: "website-refused-file",
    path: "/website",
    heading: "Website Settings",
    open: (page) =>
      page
        .getByLabel("QR image")
        .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") }),
  },
  {
    name: "website-handle",
    path: "/website",
    heading: "Website Settings",
    ownPanel: true,
    answers: answerHandle,
    async open(page) {
      await expect(page.getByText("The QR code pays $north-wind")).toBeVisible();
      const name = "stranger.gif";
      const buffer = Buffer.from(encodeQR("https://cash.app/$stranger", "gif", { scale: 6 }));
      await page.getByLabel("QR image").setInputFiles({ name, mimeType: "image/gif", buffer });
      await expect(page.getByRole("button", { name: `Remove ${name}` })).toBeVisible();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await expect(changeQuestion(page).getByRole("textbox")).toBeVisible();
    },
  },
  {
    name: "website-earlier-handles",
    path: "/website",
    heading: "Website Settings",
    async answers(page) {
      const by = { username: "admin", kind: "account", _id: settingsId };
      const entry = { previous: "$north", image: null, qr: [], by, warnings: [], isCurrent: false };
      const createdAt = "2026-01-31T12:00:00.000Z";
      const says = "https://cash.app/$north-wind";
      const history = [
        { ...entry, _id: "1", cashappId: "$north-wind", image: "qr.png", qr: [says], isCurrent: true, createdAt },
        { ...entry, _id: "2", cashappId: "$north", image: "qr.png", warnings: ["No QR code could be read"], createdAt },
        { ...entry, _id: "3", cashappId: "$north-of-everything", previous: "", image: "x.png", qr: [says], createdAt },
      ];
      await answering(page, website.cashappHistory, { history });
      const picture = Buffer.from(encodeQR(says, "gif", { scale: 6 }));
      await page.route("**/cashapp-image/*", (route) => route.fulfill({ contentType: "image/gif", body: picture }));
    },
    async open(page) {
      await press(page, "Earlier handles");
      await expect(page.getByRole("dialog").getByText("$north-of-everything")).toBeVisible();
    },
  },
  { name: "website-keys", ...keysShown() },
  {
    name: "website-key-create",
    path: "/website",
    heading: "Website Settings",
    async open(page) {
      await opening("Create key")(page);
      await page.getByRole("dialog").getByText("Limits", { exact: true }).click();
    },
  },
  {
    name: "website-key-edit",
    ...keysShown(opening("Edit Market stall")),
  },
  {
    name: "website-new-key",
    path: "/website",
    heading: "Website Settings",
    answers: (page) => answering(page, website.createApiKey, { message: "", key: `fp_${"a1B2c3-_".repeat(5)}xyz` }),
    async open(page) {
      await press(page, "Create key");
      await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
      await expect(page.getByRole("dialog", { name: "Your new key" })).toBeVisible();
      await expect(page.getByRole("dialog")).toHaveCount(1);
    },
  },
  {
    name: "website-history",
    path: "/website",
    heading: "Website Settings",
    async answers(page) {
      const moment = "2026-01-31T12:00:00.000Z";
      const subject = { kind: "settings", _id: settingsId };
      const admin = { username: "admin", kind: "account", _id: settingsId };
      const entry = { admin, type: "website", subject, customer: null, createdAt: moment };
      const limits = { staffCredit: null, staffCreditPerDay: 500 };
      await answering(
        page,
        { path: `${logs.list.path}?*` },
        {
          logs: [
            {
              ...entry,
              _id: "01990000-0000-7000-8000-000000000001",
              action: "Changed the limits of staff accounts: largest credit none to $50.00",
              before: limits,
              after: { ...limits, staffCredit: 50 },
            },
            {
              ...entry,
              _id: "01990000-0000-7000-8000-000000000002",
              action: "Updated the payment settings: handle $north to $north-wind",
              before: { cashappId: "$north" },
              after: { cashappId: "$north-wind" },
            },
          ],
          by: null,
          total: 20,
          totalPages: 2,
        },
      );
    },
    async open(page) {
      await press(page, "History of the settings");
      await expect(page.getByRole("dialog").getByText("$north-wind").first()).toBeVisible();
    },
  },
  { name: "website-webhooks", ...webhooksShown() },
  {
    name: "website-webhook-menu",
    ...webhooksShown(async (page) => {
      await press(page, "More actions for Main shop");
      await expect(page.getByRole("menuitem", { name: "Delete" })).toBeVisible();
    }),
  },
  {
    name: "website-webhook-create",
    path: "/website",
    heading: "Website Settings",
    async open(page) {
      await opening("Create webhook")(page);
      await page.getByRole("checkbox", { name: "All events" }).uncheck();
    },
  },
  {
    name: "website-webhook-secret",
    ...webhooksShown(async (page) => {
      await act("Main shop", "Rotate secret")(page);
      await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
      await expect(page.getByRole("dialog", { name: "The webhook's secret" })).toBeVisible();
      await expect(page.getByRole("dialog")).toHaveCount(1);
    }),
  },
  {
    name: "website-webhook-rotate",
    ...webhooksShown(act("Main shop", "Rotate secret")),
  },
  {
    name: "website-webhook-test",
    ...webhooksShown(async (page) => {
      await act("Main shop", "Send test event")(page);
      await page.getByRole("dialog").getByRole("button", { name: "Send test event" }).click();
      await expect(page.getByRole("dialog").getByText("unknown type")).toBeVisible();
    }),
  },
  {
    name: "website-webhook-delete",
    ...webhooksShown(act("Discord bot of the night shift", "Delete")),
  },
  { name: "webhook", ...deliveriesOf("hooks.market-stall.example.org/v2/integrations/footprint/3f9c1d7e5b") },
  { name: "webhook-paused", ...deliveriesOf("Discord bot of the night shift") },
  {
    name: "webhook-delivery",
    ...deliveriesOf("Main shop", async (page) => {
      await firstRow(page);
      await expect(page.getByText("Try 2", { exact: true })).toBeVisible();
    }),
  },
  { name: "webhook-period", ...deliveriesOf("Main shop", opening("Send a period again")) },
  {
    name: "notices",
    path: "/orders",
    heading: "Orders",
    async answers(page) {
      const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const notice = (text: string, minutes: number, done = "", isNew = false) => ({
        ...{ _id: `${text} ${minutes}`, text, done, isNew, to: "/orders", createdAt: ago(minutes) },
      });
      const group = (kind: string, title: string, act: string, count: number, ...shown: object[]) => ({
        ...{ kind, title, act, count, to: "/orders", notices: shown },
      });
      await answering(
        page,
        { path: `${notices.list.path}?*` },
        {
          unseen: 17,
          newest: 1,
          groups: [
            group(
              ...(["newcomers", "14 new customers", "Verify", 14] as const),
              notice("Nora Whitfield", 2, "", true),
              notice("A customer with a rather long name that has to go on in a second line", 5, "", true),
              notice("Bright Harbor", 9, "Verified", true),
            ),
            group(
              ...(["approvals", "A request for approval", "Approve or decline", 1] as const),
              notice("maren wants to add $500.00 to alice's balance", 12, "", true),
            ),
            group(
              ...(["payment-handle", "The payment handle was changed", "Check it", 1] as const),
              notice("Customers pay to $north-wind", 31, "", true),
            ),
            group("invoices", "New invoices", "Look for the deposit", 0, notice("$50.00 of alice by Cash App", 90)),
            group("fedex", "New Fedex orders", "Claim", 0, notice("Tidewater", 300, "Claimed by night-shift")),
          ],
        },
      );
    },
    async open(page) {
      await press(page, /^Notices/);
      await expect(page.getByRole("dialog").getByText("Nora Whitfield")).toBeVisible();
    },
  },
  { name: "logs", path: "/logs", heading: "Transaction Logs" },
  { name: "unusual", path: "/unusual", heading: "Unusual events" },
  { name: "unusual-details", path: "/unusual?rule=address", heading: "Unusual events", open: firstRow },
  { name: "unusual-dismiss", path: "/unusual?rule=spend", heading: "Unusual events", open: opening(/^Dismiss Spend/) },
  { name: "unusual-rules", path: "/unusual", heading: "Unusual events", open: opening("Rules") },
  { name: "approvals", ...requestsShown() },
  {
    name: "approvals-details",
    ...requestsShown(firstRow),
  },
  {
    name: "approvals-approve",
    ...requestsShown(opening(/^Approve/)),
  },
  { name: "summary", path: `/summary?day=${today}`, heading: `Daily summary, ${todayInWords}` },
  { name: "log-changes", path: "/logs?search=Seeded", heading: "Transaction Logs", open: opening(/^Changes/) },
  { name: "staff", path: "/staff", heading: "Staff Members" },
  {
    name: "staff-grid",
    path: "/staff",
    heading: "Staff Members",
    open: (page) => page.getByText("Grid", { exact: true }).click(),
  },
  { name: "staff-create", path: "/staff", heading: "Staff Members", open: opening("Create staff") },
  { name: "staff-edit", path: "/staff", heading: "Staff Members", open: opening(/^Edit/) },
  {
    name: "staff-edit-messages",
    path: "/staff",
    heading: "Staff Members",
    async open(page) {
      await press(page, /^Edit/);
      await page.getByRole("dialog").getByRole("switch", { name: "Notification access" }).click();
      await expect(page.getByRole("dialog").getByLabel("From")).toBeVisible();
    },
  },
  {
    name: "staff-messages",
    path: "/staff",
    heading: "Staff Members",
    async answers(page) {
      const moment = new Date(Date.now() - 3_600_000).toISOString();
      const outcome = { at: moment, status: 403, answer: '{"ok":false,"description":"Forbidden: bot was blocked"}' };
      const one = { _id: settingsId, createdAt: moment, isTest: false, nextTryAt: null };
      const text = "2 new customers\n• Nora Whitfield\n• Bright Harbor\nVerify: https://panel.example/new-users";
      await page.route(`**${staff.messages.path.replace(":id", "*")}`, (route) =>
        route.fulfill({
          json: {
            provider: "telegram",
            messages: [
              { ...one, _id: "1", state: "waiting", text, outcomes: [outcome, outcome], nextTryAt: moment },
              { ...one, _id: "2", state: "sent", text, outcomes: [{ ...outcome, status: 200 }] },
            ],
          },
        }),
      );
    },
    async open(page) {
      await firstRow(page);
      await page
        .getByRole("navigation", { name: "About this account" })
        .getByRole("link", { name: "Messages" })
        .click();
      await expect(page.getByText("Not sent yet")).toBeVisible();
    },
  },
  { name: "staff-delete", path: "/staff", heading: "Staff Members", open: opening(/^Delete/) },
  { name: "staff-nothing-found", path: "/staff?search=no-such-person", heading: "Staff Members" },
  {
    name: "staff-reset-two-step",
    path: "/staff?search=two-step-member",
    heading: "Staff Members",
    open: opening("Reset two-step sign-in of two-step-member"),
  },
  { name: "staff-administrators", path: "/staff?role=admin", heading: "Staff Members" },
  {
    name: "staff-menu",
    path: "/staff",
    heading: "Staff Members",
    async open(page) {
      await press(page, /^More actions/);
      await expect(page.getByRole("menuitem", { name: "Suspend" })).toBeVisible();
    },
  },
  ...["Sessions", "Sign-ins", "What they did"].map((tab) => ({
    name: `staff-account-${tab.toLowerCase().replaceAll(" ", "-")}`,
    path: "/staff?role=admin&search=admin",
    heading: "Staff Members",
    async open(page: Page) {
      await press(page, /^More actions/);
      await page.getByRole("menuitem", { name: "Sessions and sign-ins" }).click();
      await dialog(page);
      await page.getByRole("navigation", { name: "About this account" }).getByRole("link", { name: tab }).click();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    },
  })),
  { name: "staff-two-step", path: "/staff", heading: "Staff Members", open: opening("Two-step sign-in") },
  {
    name: "staff-new-password",
    path: "/staff",
    heading: "Staff Members",
    answers(page) {
      const reset = { path: staff.resetPassword.path.replace(":id", "*") };
      return answering(page, reset, { message: "", password: "abcde-fghij-kmnpq-rstuv" });
    },
    async open(page) {
      await press(page, /^More actions/);
      await page.getByRole("menuitem", { name: "Reset password" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Reset password" }).click();
      await expect(page.getByRole("dialog", { name: /^New password of/ })).toBeVisible();
      await expect(page.getByRole("dialog")).toHaveCount(1);
    },
  },
  {
    name: "must-change-password",
    ...mustFirst("password", "Choose your password"),
  },
  {
    name: "must-set-up-two-step",
    ...mustFirst("two-step", "Set up two-step sign-in"),
  },
  {
    name: "new-sign-in",
    path: "/orders",
    heading: "Orders",
    ownPanel: true,
    async answers(page) {
      const now = new Date().toISOString();
      const open = { _id: "01990000-0000-7000-8000-000000000001", createdAt: now, lastUsedAt: now, failuresBefore: 0 };
      const seen = { ...open, device: "Firefox on Windows", address: "203.0.113.7", newDevice: true, current: false };
      await answering(page, session.sessions, { sessions: [seen] });
    },
    open: (page) => expect(page.getByText("New sign-in from Firefox on Windows")).toBeVisible(),
  },
  { name: "account-setting", path: "/admin-settings", heading: "Account Setting" },
  {
    name: "two-step-on",
    path: "/admin-settings",
    heading: "Account Setting",
    answers: (page) => answering(page, session.twoStep, { onSince: new Date().toISOString(), recoveryCodesLeft: 2 }),
    open: (page) => expect(page.getByText("2 recovery codes are left")).toBeVisible(),
  },
  {
    name: "passkeys",
    ...passkeysShown(),
  },
  {
    name: "passkey-edit",
    ...passkeysShown(opening("Edit Laptop")),
  },
  {
    name: "confirm-it-is-you",
    path: "/website",
    heading: "Website Settings",
    problem: /403/,
    ownPanel: true,
    async answers(page) {
      await answering(page, passkeys.list, { passkeys: ownPasskeys() });
      await answering(page, website.updateLimits, { message: "Confirm", confirmationRequired: true }, 403);
    },
    async open(page) {
      await press(page, "Save limits");
      await expect(page.getByRole("dialog", { name: "Confirm it's you" })).toBeVisible();
    },
  },
  { name: "two-step-password", path: "/admin-settings", heading: "Account Setting", open: opening("Turn on") },
  { name: "two-step-secret", path: "/admin-settings", heading: "Account Setting", open: showSecret },
  {
    name: "two-step-recovery-codes",
    path: "/admin-settings",
    heading: "Account Setting",
    answers: (page) =>
      answering(page, session.confirmTwoStep, { recoveryCodes: [...recoveryCodes, ...recoveryCodes.map(backwards)] }),
    async open(page) {
      await showSecret(page);
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Code" }).fill("123456");
      await dialog.getByRole("button", { name: "Turn on" }).click();
      await expect(page.getByRole("list", { name: "Recovery codes" })).toBeVisible();
      await expect(page.getByRole("dialog")).toHaveCount(1);
    },
  },
  {
    name: "two-step-turn-off",
    path: "/admin-settings",
    heading: "Account Setting",
    answers: (page) => answering(page, session.twoStep, { onSince: new Date().toISOString(), recoveryCodesLeft: 10 }),
    open: opening("Turn off"),
  },
  {
    name: "account-menu",
    path: "/admin-settings",
    heading: "Account Setting",
    async open(page) {
      await press(page, "Admin");
      await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeVisible();
    },
  },
  { name: "unknown-address", path: "/no-such-page", heading: "Unexpected Application Error!" },
];

/** Opens a view and waits until it has finished loading. */
export async function openView(
  page: Page,
  { path, heading, answers, open }: View,
  go: (page: Page, path: string) => Promise<unknown> = () => page.goto(path),
) {
  await answers?.(page);
  await go(page, path);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await open?.(page);
}
