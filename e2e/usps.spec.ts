import { type TrackingCode, tracking } from "@footprint/contract/tracking.ts";
import type { Page } from "@playwright/test";
import type { Api } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { drawerOf, openByKeys, openScreen, rowOf, toast } from "./steps.ts";

/** The carrier's mod-10: weights 3, 1, 3, 1 … from the right. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 ? 1 : 3), 0);
  return digits + ((10 - (sum % 10)) % 10);
}

let made = 0;
/** The first code of an unused range, with room for a thousand. */
function freshRange(): string {
  made += 1;
  return withCheckDigit(`9${String(Date.now()).padStart(14, "0")}${String(made).padStart(3, "0")}000`);
}

const short = (code: string) => `${code.slice(0, 6)}…${code.slice(-6)}`;
const codesLike = async (api: Api, token: string, search: string) =>
  (await api.call(token, tracking.list, { query: { search, limit: 100 } })).trackings;

async function addCodes(api: Api, token: string, type: TrackingCode["type"], amount = 1) {
  const trackRef = freshRange();
  await api.call(token, tracking.create, { body: { amount, type, template: "pitney", trackRef } });
  return trackRef;
}

async function fillForm(page: Page, amount: string, trackRef: string) {
  await page.getByRole("button", { name: "Create codes" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount").fill(amount);
  await dialog.getByLabel("Track ref").fill(trackRef);
  return dialog;
}

const card = (page: Page, type: string) =>
  page.getByRole("list", { name: "Codes left and used" }).getByRole("listitem").filter({ hasText: type });

test("codes of a good reference are registered, listed and counted", async ({ admin: { page, token }, server }) => {
  const first = freshRange();
  const before = await server.api.call(token, tracking.stats, {});
  await openScreen(page, "/usps", "USPS Tracking");
  await expect(card(page, "ground_oz")).toContainText(`${before.left.ground_oz} left`);
  await expect(card(page, "ground_oz")).toContainText(`${before.used.ground_oz} used`);
  const dialog = await fillForm(page, "3", first);
  await dialog.getByLabel("Type").selectOption({ label: "ground_oz" });
  await dialog.getByLabel("Template").selectOption({ label: "Indicia" });
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toContainText(`Registered 3 ground_oz codes from ${first} to`);
  await expect(dialog).toBeHidden();
  await expect(card(page, "ground_oz")).toContainText(`${before.left.ground_oz + 3} left`);

  await page.getByRole("searchbox").fill(first);
  await expect(rowOf(page, short(first))).toContainText("ground_ozIndiciaUnused");
  expect(await codesLike(server.api, token, first.slice(0, 18))).toHaveLength(3);
});

testAlone(
  "a mistyped reference is refused in red inside the form, for three seconds",
  async ({ admin: { page, token }, server, watch, stopClock }) => {
    watch.expectProblem(/400/);
    const good = freshRange();
    const bad = good.slice(0, 21) + ((Number(good[21]) + 1) % 10);
    await page.clock.install();
    await openScreen(page, "/usps", "USPS Tracking");
    const dialog = await fillForm(page, "3", bad);
    await stopClock();
    await dialog.getByRole("button", { name: "Create" }).click();
    const refused = dialog.getByRole("alert");
    await expect(refused).toContainText(`${bad} is mistyped`);
    await page.clock.runFor(2900);
    await expect(refused).toBeVisible();
    await page.clock.runFor(200);
    await expect(refused).toBeHidden();
    expect(await codesLike(server.api, token, good.slice(0, 18))).toEqual([]);
  },
);

test("the form checks nothing itself: the server says what is missing", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/400/);
  await openScreen(page, "/usps", "USPS Tracking");
  const dialog = await fillForm(page, "", "");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("amount must be at least 1");
  await dialog.getByLabel("Amount").fill("5");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The first code has 22 digits and begins with 9");
  await expect(dialog.getByLabel("Type").getByRole("option")).toHaveText([
    "priority",
    "express",
    "ground_oz",
    "ground_lbs",
  ]);
  await expect(dialog.getByLabel("Template").getByRole("option")).toHaveText(["evs", "Indicia", "Pitney Bowes"]);
});

test("codes that exist already are refused, all of them", async ({ admin: { page, token }, server, watch }) => {
  watch.expectProblem(/409/);
  const taken = await addCodes(server.api, token, "priority");
  await openScreen(page, "/usps", "USPS Tracking");
  const dialog = await fillForm(page, "2", taken);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`The code ${taken} is already registered. Nothing was created.`);
  expect(await codesLike(server.api, token, taken.slice(0, 18))).toHaveLength(1);
});

test("deleting a code asks first, and the statistics follow", async ({ admin: { page, token }, server }) => {
  const code = await addCodes(server.api, token, "express");
  const { left } = await server.api.call(token, tracking.stats, {});
  await openScreen(page, `/usps?search=${code}`, "USPS Tracking");
  await expect(card(page, "express")).toContainText(`${left.express} left`);
  await rowOf(page, short(code))
    .getByRole("button", { name: /^Delete/ })
    .click();
  const question = page.getByRole("dialog");
  await expect(question).toContainText(code);
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(rowOf(page, short(code))).toBeVisible();

  await rowOf(page, short(code))
    .getByRole("button", { name: /^Delete/ })
    .click();
  await question.getByRole("button", { name: "Delete" }).click();
  await expect(toast(page, `Tracking code ${code} deleted`)).toBeVisible();
  await expect(rowOf(page, short(code))).toHaveCount(0);
  await expect(card(page, "express")).toContainText(`${left.express - 1} left`);
  expect(await codesLike(server.api, token, code)).toEqual([]);
});

test("low stock is marked with a word", async ({ admin: { page } }) => {
  await openScreen(page, "/usps", "USPS Tracking");
  await expect(card(page, "ground_lbs")).toContainText("Low");
});

test("codes are searched, sorted and turned page by page", async ({ admin: { page, token }, server }) => {
  const first = await addCodes(server.api, token, "priority", 12);
  const shown = rowOf(page, "Pitney Bowes");
  await openScreen(page, `/usps?search=${first.slice(0, 18)}`, "USPS Tracking");
  await expect(shown).toHaveCount(10);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(shown).toHaveCount(2);
  await page.getByRole("button", { name: "Newest first" }).click();
  await expect(page).toHaveURL(/sort=asc/);
  await expect(shown).toHaveCount(10);
  await expect(shown.first()).toContainText(short(first));
});

test("a used code says so", async ({ admin: { page, token }, server }) => {
  const used = (await codesLike(server.api, token, "92001902551")).find((code) => code.used);
  await openScreen(page, `/usps?search=${used?.code}`, "USPS Tracking");
  await expect(rowOf(page, short(used?.code ?? ""))).toContainText("Used");
});

test("a batch shows where its codes came from and how many are used, and its unused codes can be withdrawn", async ({
  admin: { page, token },
  server: { api },
}) => {
  const first = freshRange();
  const note = `Carrier's order ${first.slice(5, 18)}`;
  await openScreen(page, "/usps", "USPS Tracking");
  const dialog = await fillForm(page, "4", first);
  await dialog.getByLabel("Where they came from").fill(note);
  const bill = { name: "bill.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\n% a bill\n") };
  await dialog.getByLabel("File", { exact: true }).setInputFiles(bill);
  await expect(dialog.getByRole("button", { name: "Remove bill.pdf" })).toBeVisible();
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Registered 4 priority codes");
  await expect(dialog).toBeHidden();

  await page.getByRole("link", { name: "Batches" }).click();
  await expect(page).toHaveURL(/\/usps\/batches$/);
  // The search box of codes is there before the batches are.
  await expect(page.getByRole("table", { name: "Batches" })).toBeVisible();
  await page.getByRole("searchbox").fill(note);
  await expect(page).toHaveURL(/search=/);
  const row = rowOf(page, note);
  await expect(row).toContainText("0 of 4 used");
  await expect(row).toContainText("4 left");
  const download = page.waitForEvent("download");
  await row.getByRole("button", { name: "bill.pdf" }).click();
  expect((await download).suggestedFilename()).toBe("bill.pdf");

  // Its codes, and one of them by keyboard.
  await row.getByRole("link", { name: /^Codes/ }).click();
  await expect(page.getByRole("button", { name: `Batch: ${note}` })).toBeVisible();
  await expect(page.getByText("4 prepaid codes found")).toBeVisible();
  await openByKeys(page);
  const details = drawerOf(page, "Code");
  await expect(details).toContainText("No order carries it yet.");
  await expect(details).toContainText(`Came from${note}`);
  await details.getByRole("link", { name: short(first) }).click();

  await row.getByRole("button", { name: /^Withdraw/ }).click();
  const question = page.getByRole("dialog");
  await expect(question).toContainText("4 unused codes of 4 priority");
  await question.getByRole("button", { name: "Withdraw 4 unused codes" }).click();
  await expect(toast(page, "Withdrew 4 unused codes")).toBeVisible();
  await expect(row).toContainText("0 left, 4 deleted");
  await expect(row.getByRole("button", { name: /^Withdraw/ })).toHaveCount(0);
  expect(await codesLike(api, token, first.slice(0, 18))).toEqual([]);
});

test("the cards say how long codes last, and when they are low can be set", async ({
  admin: { page, token },
  server: { api },
}) => {
  const alertOf = async () =>
    (await api.call(token, tracking.runway, {})).runways.find(({ type }) => type === "ground_lbs")?.alert;
  await openScreen(page, "/usps", "USPS Tracking");
  await expect(card(page, "ground_lbs")).toContainText(/Run out t|Order now|Order by|days, to/);
  await card(page, "ground_lbs")
    .getByRole("button", { name: /change when ground_lbs codes are low$/ })
    .press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Days to spare").fill("21");
  await dialog.getByLabel("Days to get new codes").fill("9");
  await expect(dialog).toContainText("Low where they last no longer than 30 days, or fewer than 100 are left.");
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("Alert for ground_lbs codes saved");
  await expect(card(page, "ground_lbs")).toContainText("Low at 30 days");
  expect(await alertOf()).toEqual({ days: 21, leadDays: 9, codes: 100 });
});

test("a staff member who opens USPS Tracking lands on Orders", async ({ staff: { page } }) => {
  await openScreen(page, "/usps", "Orders");
  await expect(page).toHaveURL(/\/orders$/);
});
