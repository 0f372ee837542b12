import { labelTypes } from "@footprint/contract/label-types.ts";
import type { Page } from "@playwright/test";
import { type Api, uniqueName } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import { openScreen, rowOf, toast } from "./steps.ts";

type Tier = [fromWeight: number, toWeight: number, price: number];

async function labelType(api: Api, token: string, name: string) {
  const { labelTypes: all } = await api.call(token, labelTypes.list, {});
  const match = all.find((type) => type.name === name);
  if (!match) throw new Error(`no label type ${name}`);
  return match;
}

async function addLabelType(api: Api, token: string, { name = uniqueName("Parcel"), tiers = [] as Tier[] } = {}) {
  await api.call(token, labelTypes.create, { body: { name, uid: uniqueName("uid"), maxWeight: 20, type: "wwbiz" } });
  const { _id } = await labelType(api, token, name);
  for (const [fromWeight, toWeight, price] of tiers)
    await api.call(token, labelTypes.addTier, { params: { id: _id }, body: { fromWeight, toWeight, price } });
  return labelType(api, token, name);
}

const openPrices = (page: Page, { _id, name }: { _id: string; name: string }) =>
  openScreen(page, `/pricing/${_id}`, `${name} prices`);

async function fill(page: Page, values: Record<string, string>) {
  const dialog = page.getByRole("dialog");
  // The button that shows a price's history names the price, too.
  for (const [label, value] of Object.entries(values))
    await dialog.getByLabel(label, { exact: label === "Price" }).fill(value);
  return dialog;
}

/** The rows of the table as their weights and price read. */
const tiersShown = (page: Page) =>
  page.getByRole("row").evaluateAll((rows) =>
    rows.slice(1).map((row) =>
      [...row.children]
        .slice(0, 3)
        .map((cell) => cell.textContent)
        .join(" "),
    ),
  );

test("label types are exported with their prices", async ({ admin: { page } }) => {
  await openScreen(page, "/pricing", "Label Pricing");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  expect((await download).suggestedFilename()).toMatch(/^label-types-\d{4}-\d\d-\d\d\.csv$/);
});

test("a label type is added, and its prices are one click away", async ({ admin: { page, token }, server }) => {
  const name = uniqueName("Saver");
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: "Add Label Type" }).click();
  const dialog = await fill(page, { Name: name, Uid: `uid-${name}`, "Max weight": "12.5" });
  await dialog.getByLabel("Type").selectOption("shipv2");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`Label type ${name} created`);
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, name)).toContainText(`12.5 lbuid-${name}shipv2Active`);
  expect(await labelType(server.api, token, name)).toMatchObject({ maxWeight: 12.5, type: "shipv2", status: true });

  await page.getByRole("link", { name: `Prices of ${name}` }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${name} prices`);
  await expect(page.getByText("No price for 0–12.5 lb")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Label Pricing" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Label Pricing");
});

test("name, uid and maximum weight are required; a taken uid is refused in red", async ({
  admin: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/409/);
  const { uid } = await addLabelType(server.api, token);
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: "Add Label Type" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.locator("input:invalid")).toHaveCount(3);
  await expect(dialog.getByLabel("Type").getByRole("option")).toHaveText(["usps", "shipv2", "wwbiz"]);

  await fill(page, { Name: "First Class again", Uid: uid, "Max weight": "16" });
  await expect(dialog.getByLabel("Max weight (oz)")).toBeVisible();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`The uid ${uid} is taken`);
});

test("a label type is edited; a maximum below its prices is refused", async ({
  admin: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/409/);
  const { name, _id } = await addLabelType(server.api, token, { tiers: [[0, 10, 4.2]] });
  const renamed = uniqueName("Renamed");
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: `Edit ${name}` }).click();
  const dialog = await fill(page, { Name: renamed, "Max weight": "5" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toContainText(`${name} has a price for 0–10 lb at $4.20`);
  await fill(page, { "Max weight": "15" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`Label type ${renamed} saved`);
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, renamed)).toContainText("15 lb");
  expect(await labelType(server.api, token, renamed)).toMatchObject({ _id, maxWeight: 15, type: "wwbiz" });
});

test("disabling a label type asks first; enabling does not", async ({ admin: { page, token }, server }) => {
  const { name } = await addLabelType(server.api, token);
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: `Disable ${name}` }).click();
  await expect(page.getByRole("dialog")).toContainText(`Disable ${name}?`);
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await expect(toast(page, `${name} is disabled`)).toBeVisible();
  await expect(rowOf(page, name)).toContainText("Inactive");
  expect((await labelType(server.api, token, name)).status).toBe(false);

  await page.getByRole("button", { name: `Enable ${name}` }).click();
  await expect(toast(page, `${name} is enabled`)).toBeVisible();
  await expect(rowOf(page, name)).not.toContainText("Inactive");
  expect((await labelType(server.api, token, name)).status).toBe(true);
});

test("tiers stand by weight with the gaps between them, and a gap is closed from its own row", async ({
  admin: { page, token },
  server,
}) => {
  const type = await addLabelType(server.api, token, {
    tiers: [
      [10, 20, 9],
      [1, 5, 4.5],
    ],
  });
  await openScreen(page, "/pricing", "Label Pricing");
  await expect(rowOf(page, type.name)).toContainText("2 gaps");
  await page.getByRole("link", { name: `Prices of ${type.name}` }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${type.name} prices`);
  await expect
    .poll(() => tiersShown(page))
    .toEqual([
      "0 lb 1 lb No price for 0–1 lb",
      "1 lb 5 lb $4.50",
      "5 lb 10 lb No price for 5–10 lb",
      "10 lb 20 lb $9.00",
    ]);

  await page.getByRole("button", { name: "Add Weight for 5–10 lb" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("From weight (lb)")).toHaveValue("5");
  await expect(dialog.getByLabel("To weight (lb)")).toHaveValue("10");
  await dialog.getByLabel("Price", { exact: true }).fill("6.75");
  await dialog.getByRole("button", { name: "Add Weight" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`Price for ${type.name} added: 5–10 lb at $6.75`);
  await expect(dialog).toBeHidden();
  await expect
    .poll(() => tiersShown(page))
    .toEqual(["0 lb 1 lb No price for 0–1 lb", "1 lb 5 lb $4.50", "5 lb 10 lb $6.75", "10 lb 20 lb $9.00"]);
});

test("a tier that overlaps another is refused in red naming that one, for three seconds", async ({
  admin: { page, token },
  server,
  watch,
  stopClock,
}) => {
  watch.expectProblem(/409/);
  const type = await addLabelType(server.api, token, { tiers: [[0, 5, 4.2]] });
  await page.clock.install();
  await openPrices(page, type);
  await page.getByRole("button", { name: "Add Weight", exact: true }).first().click();
  const dialog = await fill(page, { "From weight": "4.5", "To weight": "8", Price: "7" });
  await stopClock();
  await dialog.getByRole("button", { name: "Add Weight" }).click();
  const refused = dialog.getByRole("alert");
  await expect(refused).toHaveText("Overlaps with 0–5 lb at $4.20");
  await page.clock.runFor(2900);
  await expect(refused).toBeVisible();
  await page.clock.runFor(200);
  await expect(refused).toBeHidden();
  expect((await labelType(server.api, token, type.name)).prices).toHaveLength(1);
});

test("the fields of a tier are required, and a price steps by cents", async ({ admin: { page, token }, server }) => {
  await openPrices(page, await addLabelType(server.api, token));
  await page.getByRole("button", { name: "Add Weight", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add Weight" }).click();
  await expect(dialog.locator("input:invalid")).toHaveCount(3);
  await expect(dialog.getByLabel("Price", { exact: true })).toHaveAttribute("step", "0.01");
});

test("a tier is edited and deleted", async ({ admin: { page, token }, server }) => {
  const name = uniqueName("First Class");
  const type = await addLabelType(server.api, token, { name, tiers: [[0, 20, 4.2]] });
  await openPrices(page, type);
  await page.getByRole("button", { name: "Edit 0–20 oz" }).click();
  const dialog = await fill(page, { "To weight (oz)": "12.5", Price: "4.95" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`Price for ${name} saved: 0–12.5 oz at $4.95`);
  await expect(dialog).toBeHidden();
  await expect.poll(() => tiersShown(page)).toEqual(["0 oz 12.5 oz $4.95", "12.5 oz 20 oz No price for 12.5–20 oz"]);

  await page.getByRole("button", { name: "Delete 0–12.5 oz" }).click();
  await expect(dialog).toContainText("Delete the price for 0–12.5 oz?");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(toast(page, `Price for ${name} deleted: 0–12.5 oz at $4.95`)).toBeVisible();
  await expect.poll(() => tiersShown(page)).toEqual(["0 oz 20 oz No price for 0–20 oz"]);
  expect((await labelType(server.api, token, name)).prices).toEqual([]);
});

test("a label type that does not exist says so", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/404|does not exist/);
  await openScreen(page, "/pricing/0198a1b2-0000-7000-8000-000000000000", "This label type does not exist");
});

test("a staff member who opens label pricing lands on Orders", async ({ staff: { page } }) => {
  await openScreen(page, "/pricing", "Orders");
  await expect(page).toHaveURL(/\/orders$/);
});

test("where a label type and a price are edited, their histories tell who changed what", async ({
  admin: { page, token, account },
  server: { api },
}) => {
  const type = await addLabelType(api, token, { tiers: [[0, 5, 4]] });
  const params = { id: type._id };
  const tier = { price_id: type.prices[0]?._id ?? "", fromWeight: 0, toWeight: 5, price: 4.5 };
  await api.call(token, labelTypes.updateTier, { params, body: tier });
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: `Edit ${type.name}` }).click();
  await page.getByRole("button", { name: `History of ${type.name}` }).click();
  const entries = page.getByRole("dialog", { name: /^History/ }).getByRole("listitem");
  await expect(entries.first()).toContainText(account.username);
  await expect(entries.first().getByRole("row", { name: "Max weight" })).toContainText("–20");

  await openPrices(page, type);
  await page.getByRole("button", { name: "Edit 0–5 lb" }).click();
  await page.getByRole("button", { name: "History of the price for 0–5 lb" }).click();
  await expect(entries).toHaveCount(2);
  await expect(entries.first().getByRole("row", { name: "Price" })).toContainText("$4.00$4.50");
});

test("a history that cannot be loaded offers Retry, and one without entries says so", async ({
  admin: { page, token },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/503|busy just now/);
  const type = await addLabelType(api, token);
  await page.route("**/api/v1/admin/logs/read?*", (route) =>
    route.fulfill({ status: 503, json: { message: "The server is busy just now" } }),
  );
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: `Edit ${type.name}` }).click();
  await page.getByRole("button", { name: `History of ${type.name}` }).click();
  await expect(page.getByText("The history could not be loaded")).toBeVisible();
  await page.unroute("**/api/v1/admin/logs/read?*");
  await page.route("**/api/v1/admin/logs/read?*", (route) =>
    route.fulfill({ json: { logs: [], by: null, total: 0, totalPages: 1 } }),
  );
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText("Nothing is known")).toBeVisible();
});
