import { scopes } from "@footprint/contract/endpoint.ts";
import { logs, settingsId } from "@footprint/contract/logs.ts";
import { session } from "@footprint/contract/session.ts";
import { website } from "@footprint/contract/website.ts";
import { expect, type Page } from "@playwright/test";
import { adminAccount } from "./server.ts";

/** What can be seen of the panel: the tests of looks and accessibility, and the pictures, go through this table. */
export type View = {
  name: string;
  path: string;
  /** Who is looking; an administrator unless said otherwise. */
  as?: "nobody" | "staff";
  /** What the screen's heading says, once it is there. */
  heading: string;
  /** What to open on the screen. */
  open?: (page: Page) => Promise<void>;
  /** What the browser complains about on the way there. */
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
const pricesOf = (labelType: string, open?: View["open"]) => ({
  path: "/pricing",
  heading: "Label Pricing",
  open: following(`Prices of ${labelType}`, `${labelType} prices`, open),
});

/** Lets the next call of this kind be answered like this: for what would change the account that looks. */
const answering = (page: Page, { path }: { path: string }, json: object, status = 200) =>
  page.route(`**${path}`, (route) => route.fulfill({ status, json }), { times: 1 });

async function showSecret(page: Page) {
  await press(page, "Turn on");
  await page.getByRole("dialog").getByRole("textbox", { name: "Password" }).fill(adminAccount.password);
  await press(page, "Continue");
  await expect(page.getByRole("img", { name: "QR code" })).toBeVisible();
}

/** Keys of every kind, which the seed has none of. */
async function showKeys(page: Page) {
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
  await page.reload();
  await expect(page.getByText("Market stall").first()).toBeVisible();
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
    async open(page) {
      await answering(page, session.login, { message: "Enter the code", codeRequired: true }, 401);
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
    open: opening("Charge $48.75"),
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
      await expect(page.getByText("A balance below zero is refused.")).toBeVisible();
    },
  },
  { name: "custom-pricing", ...pricingOf("pricing-customer") },
  { name: "custom-pricing-none", ...pricingOf("oswald") },
  { name: "custom-pricing-add", ...pricingOf("pricing-customer", opening("Add Price")) },
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
  { name: "usps-delete", path: "/usps", heading: "USPS Tracking", open: opening(/^Delete/) },
  { name: "pricing", path: "/pricing", heading: "Label Pricing" },
  { name: "pricing-add", path: "/pricing", heading: "Label Pricing", open: opening("Add Label Type") },
  { name: "pricing-edit", path: "/pricing", heading: "Label Pricing", open: opening(/^Edit/) },
  { name: "label-type-prices", ...pricesOf("WWBiz Ground") },
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
  { name: "website-keys", path: "/website", heading: "Website Settings", open: showKeys },
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
    path: "/website",
    heading: "Website Settings",
    async open(page) {
      await showKeys(page);
      await opening("Edit Market stall")(page);
    },
  },
  {
    name: "website-new-key",
    path: "/website",
    heading: "Website Settings",
    async open(page) {
      await answering(page, website.createApiKey, { message: "", key: `fp_${"a1B2c3-_".repeat(5)}xyz` });
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
    async open(page) {
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
      await press(page, "History of the settings");
      await expect(page.getByRole("dialog").getByText("$north-wind").first()).toBeVisible();
    },
  },
  { name: "logs", path: "/logs", heading: "Transaction Logs" },
  { name: "log-changes", path: "/logs?search=Seeded", heading: "Transaction Logs", open: opening(/^Changes/) },
  { name: "staff", path: "/staff", heading: "Staff Members" },
  {
    name: "staff-grid",
    path: "/staff",
    heading: "Staff Members",
    open: (page) => page.getByText("Grid", { exact: true }).click(),
  },
  {
    name: "staff-create",
    path: "/staff",
    heading: "Staff Members",
    async open(page) {
      await press(page, "Create staff");
      await dialog(page);
    },
  },
  {
    name: "staff-edit",
    path: "/staff",
    heading: "Staff Members",
    async open(page) {
      await press(page, /^Edit/);
      await dialog(page);
    },
  },
  {
    name: "staff-delete",
    path: "/staff",
    heading: "Staff Members",
    async open(page) {
      await press(page, /^Delete/);
      await dialog(page);
    },
  },
  { name: "staff-nothing-found", path: "/staff?search=no-such-person", heading: "Staff Members" },
  {
    name: "staff-reset-two-step",
    path: "/staff?search=two-step-member",
    heading: "Staff Members",
    open: opening("Reset two-step sign-in of two-step-member"),
  },
  { name: "account-setting", path: "/admin-settings", heading: "Account Setting" },
  {
    name: "two-step-on",
    path: "/admin-settings",
    heading: "Account Setting",
    async open(page) {
      await answering(page, session.twoStep, { onSince: new Date().toISOString(), recoveryCodesLeft: 2 });
      await page.reload();
      await expect(page.getByText("2 recovery codes are left")).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    },
  },
  { name: "two-step-password", path: "/admin-settings", heading: "Account Setting", open: opening("Turn on") },
  { name: "two-step-secret", path: "/admin-settings", heading: "Account Setting", open: showSecret },
  {
    name: "two-step-recovery-codes",
    path: "/admin-settings",
    heading: "Account Setting",
    async open(page) {
      await showSecret(page);
      await answering(page, session.confirmTwoStep, {
        recoveryCodes: [...recoveryCodes, ...recoveryCodes.map(backwards)],
      });
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
    async open(page) {
      await answering(page, session.twoStep, { onSince: new Date().toISOString(), recoveryCodesLeft: 10 });
      await page.reload();
      await press(page, "Turn off");
      await dialog(page);
    },
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

/** Opens a view and waits until nothing of it is loading any more. */
export async function openView(page: Page, { path, heading, open }: View) {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await open?.(page);
}
