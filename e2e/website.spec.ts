import { scopes } from "@footprint/contract/endpoint.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { uniqueName } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { changeQuestion, confirmChange, expectFocusOnScreen, openScreen, toast } from "./steps.ts";

const png = (text: string) => Buffer.concat([Buffer.from(pixel, "base64"), Buffer.from(text)]);
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const handle = (page: Page) => page.getByRole("textbox", { name: "Payment-app handle" });
const file = (page: Page) => page.getByLabel("QR image");
const current = (page: Page) => page.getByRole("figure", { name: /^Current handle/ });
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
/** Saves, and confirms the question that shows old and new side by side. */
async function saveAndConfirm(page: Page) {
  await save(page).click();
  await confirmChange(page);
}
const open = (page: Page) => openScreen(page, "/website", "Website Settings");

/** Chooses an image, and waits until the form has read it. */
async function choose(page: Page, name: string, buffer: Buffer) {
  await file(page).setInputFiles({ name, mimeType: "image/png", buffer });
  await expect(page.getByRole("button", { name: `Remove ${name}` })).toBeVisible();
}

/** The width of an <img>'s image: 0 if it is not or cannot be loaded. */
const widthOf = (page: Page, name: RegExp) =>
  page.getByRole("img", { name }).evaluate((image: HTMLImageElement) => image.naturalWidth);

function countUpdates(page: Page) {
  const updates: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith(website.updateCashapp.path)) updates.push(request.postData() ?? "");
  });
  return updates;
}

test("handle and image are saved, said in a toast, and there after a reload", async ({
  admin: { page, token },
  server,
}) => {
  await open(page);
  await handle(page).fill("$north-wind");
  await file(page).setInputFiles({ name: "code.png", mimeType: "image/png", buffer: png("one") });
  await expect.poll(() => widthOf(page, /^Preview of code.png/)).toBe(1);
  await saveAndConfirm(page);
  await expect(toast(page, "Payment settings updated")).toBeVisible();

  await expect(current(page)).toContainText("$north-wind");
  await expect(current(page)).toContainText("No QR code could be read");
  await expect.poll(() => widthOf(page, /^QR code of \$north-wind/)).toBe(1);
  await expect(page.getByRole("img", { name: /^Preview/ })).toHaveCount(0);
  const { cashapp } = await server.api.call(token, website.getCashapp, {});
  expect(cashapp.cashappId).toBe("$north-wind");
  await expect(page.getByRole("img", { name: /^QR code/ })).toHaveAttribute("src", server.url + cashapp.image);

  await page.reload();
  await expect(handle(page)).toHaveValue("$north-wind");
  await expect.poll(() => widthOf(page, /^QR code of \$north-wind/)).toBe(1);
});

test("only what was changed is sent", async ({ admin: { page, token }, server: { api }, watch }) => {
  watch.expectProblem(/409/);
  const updates = countUpdates(page);
  await open(page);
  await expect(handle(page)).toBeVisible();
  await api.call(token, website.updateCashapp, { body: { cashappId: "$colleague" } });
  await choose(page, "code.png", png("two"));
  await saveAndConfirm(page);
  await expect(page.getByRole("region", { name: /changed this/ })).toContainText("$colleague");
  await saveAndConfirm(page);
  await expect(page.getByRole("button", { name: "Remove code.png" })).toHaveCount(0);
  await expect(current(page)).toContainText("$colleague");

  await handle(page).fill("$mine");
  await saveAndConfirm(page);
  await expect(current(page)).toContainText("$mine");
  expect(updates).toHaveLength(3);
  expect(updates[1]).not.toContain('name="cashappId"');
  expect(updates[2]).toContain('name="cashappId"');
  expect(updates[2]).not.toContain('name="image"');
});

test("saving without a change is no error", async ({ admin: { page } }) => {
  await open(page);
  await save(page).click();
  await expect(toast(page, "Payment settings updated")).toBeVisible();
  await expect(save(page)).toBeFocused();
});

testAlone("where there is no image yet, its place is dark in the dark", async ({ admin: { page } }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.route(`**${website.getCashapp.path}`, (route) =>
    route.fulfill({ json: { cashapp: { cashappId: "$shop", image: null, qr: [], warnings: [], version: "1" } } }),
  );
  await open(page);
  await expect(page.getByText("No image yet")).not.toHaveCSS("background-color", "rgb(255, 255, 255)");
});

test("a refused handle is said in a toast and beside the field, and nothing changes", async ({
  admin: { page, token },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/400|handle/);
  await api.call(token, website.updateCashapp, { body: { cashappId: "$before" } });
  await open(page);
  await handle(page).fill("no dollar");
  await save(page).click();
  await expect(page.getByRole("alert").filter({ hasText: /handle/i })).toBeVisible();
  await expect(handle(page)).toHaveAttribute("aria-invalid", "true");
  await expect(current(page)).toContainText("$before");
  await page.reload();
  await expect(handle(page)).toHaveValue("$before");
});

test("a file of a wrong type or too large is refused with a hint before it is sent", async ({ admin: { page } }) => {
  const updates = countUpdates(page);
  await open(page);
  await file(page).setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("text") });
  await expect(page.getByText("notes.txt is of another type. Choose a PNG, JPEG, WebP or GIF file.")).toBeVisible();
  const large = Buffer.alloc(2 * 1024 * 1024 + 1);
  await file(page).setInputFiles({ name: "large.png", mimeType: "image/png", buffer: large });
  await expect(page.getByText("large.png has 2.1 MB. At most 2 MB can be sent.")).toBeVisible();
  await expect(page.getByRole("img", { name: /^Preview/ })).toHaveCount(0);
  expect(updates).toEqual([]);

  await file(page).setInputFiles({ name: "code.png", mimeType: "image/png", buffer: png("three") });
  await expect(page.getByText("can be sent")).toBeHidden();
  await page.getByRole("button", { name: "Remove code.png" }).click();
  await expect(page.getByText("Choose a file or drop it here")).toBeVisible();
  await expect(file(page)).toBeFocused();
});

testAlone(
  "a file that only claims to be an image is refused by the server, in its words",
  async ({ admin: { page }, watch, stopClock }) => {
    watch.expectProblem(/415|must be one of/);
    const words: string[] = [];
    page.on("response", async (response) => {
      if (response.status() === 415) words.push((await response.json()).message);
    });
    await page.clock.install();
    await open(page);
    await choose(page, "claims.png", Buffer.from("not an image"));
    await save(page).click();
    await expect(changeQuestion(page)).toBeVisible();
    await stopClock();
    await confirmChange(page);
    await expect(toast(page, "The file must be one of")).toBeVisible();
    await expect.poll(() => words).toEqual([expect.stringMatching(/^The file must be one of/)]);
    await expect(page.getByText("claims.png")).toBeVisible();
  },
);

test("an image can be dropped", async ({ admin: { page } }) => {
  await open(page);
  const data = await page.evaluateHandle((base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "dropped.png", { type: "image/png" }));
    return transfer;
  }, pixel);
  await file(page).dispatchEvent("drop", { dataTransfer: data });
  await expect.poll(() => widthOf(page, /^Preview of dropped.png/)).toBe(1);
});

test("the settings are open to administrators only", async ({ staff: { page }, server }) => {
  await page.goto("/website");
  await expect(page).toHaveURL(`${server.url}/orders`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
});

test("staff may credit no more than the limits say; an empty field lifts one, and the history tells both", async ({
  admin: { page, token },
  lasting: { staff: staffToken },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/400|not negative/);
  const credit = { params: (await newShop(api, token)).params, body: { balance: 30 } };
  await open(page);
  const limits = page.getByRole("region", { name: "Staff limits" });
  const [largest, perDay] = [limits.getByLabel("Largest credit"), limits.getByLabel("Refunds per day")];
  await largest.fill("-1");
  await limits.evaluate((box) => box.querySelector("form")?.setAttribute("novalidate", ""));
  await limits.getByRole("button", { name: "Save limits" }).click();
  await expect(largest).toHaveAccessibleDescription("A limit is not negative");

  await largest.fill("29.99");
  await perDay.fill("500");
  await limits.getByRole("button", { name: "Save limits" }).click();
  await expect(toast(page, "Limits saved")).toBeVisible();
  expect(await api.status(staffToken, users.addBalance, credit)).toBe(403);
  expect(await api.status(token, users.addBalance, credit)).toBe(200);

  await page.reload();
  await expect(largest).toHaveValue("29.99");
  await expect(limits.getByLabel("Credits per day")).toHaveValue("");
  await largest.fill("");
  await perDay.fill("");
  await limits.getByRole("button", { name: "Save limits" }).click();
  await expect.poll(() => api.status(staffToken, users.addBalance, credit)).toBe(200);

  await limits.getByRole("button", { name: "History of the settings" }).click();
  const history = page.getByRole("dialog", { name: "History of the settings" });
  await expect(history.getByRole("listitem").first()).toContainText("Changed the limits of staff accounts");
  await expect(history.getByRole("row", { name: "Staff credit" }).first()).toContainText("$29.99–");
});

test("an API key is created, shown once, used by a shop, and deleted", async ({ admin: { page }, server }) => {
  await open(page);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Corner shop");
  await page.getByRole("button", { name: "Create", exact: true }).click();

  const shown = page.getByRole("dialog", { name: "Your new key" });
  const key = await shown.getByText(/^fp_/).innerText();
  await shown.getByRole("button", { name: "I have kept it" }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  const row = page.getByRole("row", { name: /Corner shop/ });
  await expect(row).toContainText(key.slice(0, 8));
  await expect(row).toContainText("Everything");
  await expect(row).toContainText("Never");

  const { cashapp } = await server.api.call(key, storefront.paymentSettings, {});
  expect(cashapp).toHaveProperty("cashappId");
  await page.reload();
  await expect(row).toContainText("just now");

  await row.getByRole("button", { name: "Delete Corner shop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(toast(page, "API key Corner shop deleted")).toBeVisible();
  await expect(row).toHaveCount(0);
});

test("a new key that nobody has kept stays, whatever is pressed", async ({ admin: { page } }) => {
  await openScreen(page, "/orders", "Orders");
  await page.getByRole("link", { name: "Website" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(uniqueName("Kept shop"));
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const shown = page.getByRole("dialog", { name: "Your new key" });
  await expect(shown.getByText(/^fp_/)).toBeVisible();
  await page.evaluate(() => window.history.back());
  await expect(shown.getByRole("alert")).toHaveText("Copy the key first, then say that you have kept it.");
  await page.evaluate(() => window.history.back());
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  await shown.getByRole("button", { name: "Close" }).click();
  await shown.getByRole("button", { name: "Copy" }).click();
  await page.keyboard.press("Escape");
  await expect(shown.getByText(/^fp_/)).toBeVisible();
  await shown.getByRole("button", { name: "I have kept it" }).click();
  await expect(shown).toHaveCount(0);
  await expectFocusOnScreen(page);
  await expect(page).toHaveURL(/website$/);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
});

test("a last day that is over and a wrong address are said at their fields, folded or not", async ({
  admin: { page },
  watch,
}) => {
  watch.expectProblem(/400|Give addresses/);
  await open(page);
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog");
  const [limits, day, addresses] = [
    form.getByText("Limits", { exact: true }),
    form.getByLabel("Last day"),
    form.getByRole("textbox", { name: "Addresses" }),
  ];
  await form.getByRole("textbox", { name: "Name" }).fill(uniqueName("Late"));
  await limits.click();
  await day.fill("2020-01-31");
  await limits.click();
  await expect(day).toBeHidden();
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await expect(day).toHaveAttribute("aria-invalid", "true");
  await expect(day).toHaveAccessibleDescription(/This day is over/);
  await expect(day).toBeVisible();

  await day.fill("");
  await addresses.fill("203.0.113.7\nnowhere");
  await limits.click();
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await expect(addresses).toHaveAccessibleDescription(/Give addresses such as/);
  await expect(addresses).toBeVisible();
});

testAlone(
  "the last day of a key ends at midnight, also where clocks are changed on it or right after it",
  async ({ admin: { page } }) => {
    const days = [
      { timezone: "America/New_York", day: "2036-03-09", end: "2036-03-10T03:59:59.000Z" },
      { timezone: "America/Havana", day: "2036-03-08", end: "2036-03-09T04:59:59.000Z" },
      { timezone: "Africa/Cairo", day: "2036-04-24", end: "2036-04-24T21:59:59.000Z" },
      { timezone: "Australia/Lord_Howe", day: "2036-10-04", end: "2036-10-04T13:29:59.000Z" },
    ];
    const sent: unknown[] = [];
    await page.route(`**${website.createApiKey.path}`, (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      sent.push(route.request().postDataJSON().expiresAt);
      return route.fulfill({ json: { message: "Made", key: "fp_shown" } });
    });
    for (const { timezone, day } of days) {
      const session = { role: "admin", username: "admin", timezone, demo: false };
      await page.route("**/api/v1/auth/admin-access", (route) => route.fulfill({ json: session }));
      await page.goto("/website");
      await page.getByRole("button", { name: "Create key" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Name" }).fill("Far away");
      await dialog.getByText("Limits", { exact: true }).click();
      await dialog.getByLabel("Last day").fill(day);
      await dialog.getByRole("button", { name: "Create", exact: true }).click();
      await expect(page.getByRole("dialog", { name: "Your new key" })).toBeVisible();
    }
    expect(sent).toEqual(days.map(({ end }) => end));
  },
);

test("a key for the same shop is made with limits, and they are changed", async ({
  admin: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/400|addresses/);
  const [shop, till] = [uniqueName("Harbour"), uniqueName("Till")];
  await server.api.call(token, website.createApiKey, { body: { name: shop } });
  const { shops } = await server.api.call(token, website.listApiKeys, {});
  await open(page);
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Name" }).fill(till);
  await form.getByRole("combobox", { name: "Shop" }).selectOption(shops.find(({ name }) => name === shop)?._id ?? "");
  await form.getByText("Limits", { exact: true }).click();
  await form.getByRole("checkbox", { name: "Customers" }).uncheck();
  await form.getByRole("textbox", { name: "Marked as paid per day" }).fill("250");
  await form.getByLabel("Last day").fill("2031-05-31");
  await form.getByRole("textbox", { name: "Addresses" }).fill("203.0.113.0/24\n198.51.100.7");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("button", { name: "I have kept it" }).click();

  const row = page.getByRole("row", { name: till });
  await expect(row).toContainText(`of ${shop}`);
  await expect(row).toContainText("Orders, Deposits, Mark as paid");
  await expect(row).toContainText("Up to $250.00 a day");
  await expect(row).toContainText("Until May 31, 2031");
  await expect(row).toContainText("From 2 addresses");

  await row.getByRole("button", { name: `Edit ${till}` }).click();
  await form.getByRole("textbox", { name: "Marked as paid per day" }).fill("");
  await form.getByRole("textbox", { name: "Addresses" }).fill("nowhere");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByRole("alert")).toContainText("Give addresses such as");
  await form.getByRole("textbox", { name: "Addresses" }).fill("");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByRole("alert")).toHaveText(`API key ${till} saved`);
  await expect(row).not.toContainText("a day");
  await expect(row).toContainText("Until May 31, 2031");
});

test("a key from before is marked, with the advice to replace it", async ({ admin: { page } }) => {
  await page.route(`**${website.listApiKeys.path}`, async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as { keys: object[] };
    const shop = { _id: "01990000-0000-7000-8000-000000000001", name: "Old shop" };
    const old = { ...shop, start: "fp_old00", shop, isBounded: false, scopes: [...scopes], ...noLimits };
    await route.fulfill({ json: { ...reply, keys: [...reply.keys, old] } });
  });
  await open(page);
  await expect(page.getByRole("row", { name: /Old shop/ })).toContainText("From before");
  await expect(page.getByText("Keys from before see and change what every shop brought in.")).toBeVisible();
});

const noLimits = {
  ...{ depositsPerDay: null, expiresAt: null, addresses: [], lastUsedAt: null },
  createdAt: "2026-01-31T12:00:00.000Z",
};
