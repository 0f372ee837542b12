import { labelTypes } from "@footprint/contract/label-types.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import type { Page } from "@playwright/test";
import { type Api, uniqueName } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { newShop } from "./shop.ts";
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
  // The button for a price's history contains the price too.
  for (const [label, value] of Object.entries(values))
    await dialog.getByLabel(label, { exact: label === "Price" }).fill(value);
  return dialog;
}

/** The rows of the table as weights and price, without the row of sums. */
const tiersShown = (page: Page) =>
  page.getByRole("row").evaluateAll((rows) =>
    rows
      .slice(1)
      .map((row) =>
        [...row.children]
          .slice(0, 2)
          .map((cell) => cell.textContent)
          .join(" "),
      )
      .filter((text) => !text.startsWith("All tiers")),
  );

/** The part below the row of a tier that is being edited. */
const editor = (page: Page, weights: string) => page.getByRole("form", { name: `Edit ${weights}` });

test("a weight with a comma in thousands is that weight, and what is no number is refused at its field", async ({
  admin: { page, token },
  server: { api },
}) => {
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: "Add label type" }).click();
  const name = uniqueName("First Class heavy");
  const dialog = await fill(page, { Name: name, Uid: uniqueName("uid") });
  const weight = dialog.getByLabel("Max weight (oz)");
  const add = dialog.getByRole("button", { name: "Add", exact: true });
  for (const [written, said] of [
    ["1e3", "Not a number"],
    ["1,000,0", "Not a number"],
    ["1,000.5005", "At most three decimals"],
  ] as const) {
    await weight.fill(written);
    await add.click();
    await expect(weight).toBeFocused();
    await expect(weight).toHaveAccessibleDescription(new RegExp(said));
  }
  await weight.fill("1,000");
  await weight.press("Tab");
  await expect(weight).toHaveValue("1000");
  await add.click();
  await expect(dialog).toBeHidden();
  expect((await labelType(api, token, name)).maxWeight).toBe(1000);
});

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
  await expect(page.getByRole("row", { name: "0–12.5 lb No price" })).toBeVisible();
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

test("which codes a label type takes is chosen in its form: its uid proposes, and only labels of the postal carrier take some", async ({
  admin: { page, token },
  server,
}) => {
  const name = uniqueName("Coded");
  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: "Add Label Type" }).click();
  const dialog = await fill(page, { Name: name, Uid: "Ground_Lbs", "Max weight": "12" });
  const codes = dialog.getByLabel("Codes");
  await expect(codes).toHaveValue("ground_lbs");
  await fill(page, { Uid: `uid-${name}` });
  await expect(codes).toHaveValue("");
  await dialog.getByLabel("Type").selectOption("wwbiz");
  await expect(codes).toBeDisabled();
  await dialog.getByLabel("Type").selectOption("usps");
  await codes.selectOption("express");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, name)).toContainText("uspsActiveexpress");
  expect(await labelType(server.api, token, name)).toMatchObject({ codes: "express" });
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
  watch,
}) => {
  watch.expectProblem(/503|busy just now/);
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
    .toEqual(["0–1 lb No price", "1–5 lb $4.50", "5–10 lb No price", "10–20 lb $9.00"]);

  await page.getByRole("button", { name: "Add Weight for 5–10 lb" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("From weight (lb)")).toHaveValue("5");
  await expect(dialog.getByLabel("To weight (lb)")).toHaveValue("10");
  await dialog.getByLabel("Price", { exact: true }).fill("6.75");
  // Without a preview nothing is sent.
  const preview = "**/api/v1/labeltype/preview/*";
  await page.route(preview, (route) =>
    route.fulfill({ status: 503, json: { message: "The server is busy just now" } }),
  );
  await dialog.getByRole("button", { name: "Add Weight" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The server is busy just now");
  await page.unroute(preview);
  await dialog.getByRole("button", { name: "Add Weight" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`Price for ${type.name} added: 5–10 lb at $6.75`);
  await expect(dialog).toBeHidden();
  await expect
    .poll(() => tiersShown(page))
    .toEqual(["0–1 lb No price", "1–5 lb $4.50", "5–10 lb $6.75", "10–20 lb $9.00"]);
});

testAlone(
  "a tier that overlaps another is refused in red naming that one, for three seconds",
  async ({ admin: { page, token }, server, watch, stopClock }) => {
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
  },
);

test("the fields of a tier are required, and a price steps by cents", async ({ admin: { page, token }, server }) => {
  await openPrices(page, await addLabelType(server.api, token));
  await page.getByRole("button", { name: "Add Weight", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add Weight" }).click();
  await expect(dialog.locator("input:invalid")).toHaveCount(3);
  const price = dialog.getByLabel("Price", { exact: true });
  await expect(price).toHaveAttribute("step", "0.01");
  await price.fill("8,6");
  await price.press("ArrowUp");
  await expect(price).toHaveValue("8.61");
});

test("a tier is edited and deleted", async ({ admin: { page, token }, server }) => {
  const name = uniqueName("First Class");
  const type = await addLabelType(server.api, token, { name, tiers: [[0, 20, 4.2]] });
  await openPrices(page, type);
  await page.getByRole("button", { name: "Edit 0–20 oz" }).click();
  const form = editor(page, "0–20 oz");
  await form.getByLabel("To weight (oz)").fill("12.5");
  await form.getByLabel("Price", { exact: true }).fill("4.95");
  await form.getByRole("button", { name: "Save $4.95" }).click();
  // This opens a gap, so it asks first.
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("12.5–20 oz would have no price");
  await dialog.getByRole("button", { name: "Save $4.95" }).click();
  await expect(page.getByRole("alert")).toHaveText(`Price for ${name} saved: 0–12.5 oz at $4.95`);
  await expect(page.getByRole("form")).toHaveCount(0);
  await expect.poll(() => tiersShown(page)).toEqual(["0–12.5 oz $4.95", "12.5–20 oz No price"]);

  await page.getByRole("button", { name: "Delete 0–12.5 oz" }).click();
  await expect(dialog).toContainText("Delete the price for 0–12.5 oz?");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(toast(page, `Price for ${name} deleted: 0–12.5 oz at $4.95`)).toBeVisible();
  await expect.poll(() => tiersShown(page)).toEqual(["0–20 oz No price"]);
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
  const told = page.getByRole("region", { name: "History of 0–5 lb" }).getByRole("listitem");
  await expect(told).toHaveCount(2);
  await expect(told.first()).toContainText(`${account.username}, just now$4.00  $4.50+12.5 %`);
});

test("a price is changed with a preview beside it; one ten times too low asks again; an earlier one can be restored", async ({
  admin: { page, token },
  server: { api },
}) => {
  const shop = await newShop(api, token);
  await api.call(shop.key, storefront.createOrder, { body: { ...shop.who, ...shop.label } });
  await openPrices(page, { _id: shop.labelType, name: shop.name });
  await expect(page.getByText("1 order in the last 30 days")).toBeVisible();
  await page.getByRole("button", { name: "Edit 1–3 lb" }).press("Enter");
  const form = editor(page, "1–3 lb");
  const price = form.getByLabel("Price", { exact: true });
  await expect(price).toBeFocused();
  await price.fill("8.61");
  await expect(form).toContainText("Per label−$0.29was $8.90");
  await expect(form).toContainText("Over the last 30 days1 order, −$0.29$8.90 → $8.61");
  await expect(form).toContainText("3.3 %");
  const history = page.getByRole("region", { name: "History of 1–3 lb" });
  await expect(history.getByRole("img", { name: /^The price/ })).toHaveAccessibleName(/then \$8\.61$/);
  await expect(history).toContainText("Not saved yet");

  await price.fill("0.89");
  await expect(form.getByRole("status")).toContainText("1–3 lb: $8.90 to $0.89 is 90 % less");
  await price.press("Enter");
  const question = page.getByRole("dialog");
  await expect(question).toContainText(`Change 1–3 lb from $8.90 to $0.89?`);
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(form.getByRole("alert")).toHaveText("Nothing was changed");
  await form.getByLabel("Reason").fill("Half of it was a typo");
  await price.fill("8.5");
  await price.press("Enter");
  await expect(form.getByRole("alert")).toContainText("saved: 1–3 lb at $8.50");
  await expect(form).toHaveCount(0);
  await expect(history.getByRole("listitem").first()).toContainText("Half of it was a typo");

  await history.getByRole("button", { name: "Return to $8.90" }).click();
  await expect(price).toHaveValue("8.90");
  await form.getByRole("button", { name: "Save $8.90" }).click();
  await expect(form.getByRole("alert")).toContainText("saved: 1–3 lb at $8.90");
  await expect.poll(async () => (await tiersShown(page))[1]).toBe("1–3 lb $8.90");
});

test("a table is pasted: the change of each price is shown, and it is scheduled, listed and withdrawn", async ({
  admin: { page, token, account },
  server: { api },
}) => {
  const type = await addLabelType(api, token, {
    tiers: [
      [0, 5, 4],
      [5, 20, 9],
    ],
  });
  await openPrices(page, type);
  await page.getByRole("button", { name: "Paste table" }).click();
  const dialog = page.getByRole("dialog", { name: `Paste prices of ${type.name}` });
  const table = dialog.getByLabel("Table", { exact: true });
  await table.fill("From;To;Price\n0;5;4,40\n5;10;x");
  await expect(dialog.getByRole("row", { name: "Line 3" })).toContainText("Refused “x” is not a price");
  await table.fill("From;To;Price\n0;5;4,40\n5;10;9,50\n10;20;11");
  await expect(dialog.getByRole("row", { name: "0–5 lb" })).toContainText("Changed$4.00 → $4.40 (+10 %)");
  await expect(dialog.getByRole("row", { name: "5–20 lb" })).toContainText("Removed$9.00");
  await dialog.getByLabel("Reason").fill("New contract");
  await dialog.getByLabel(/^Starts/).fill(`${new Date().getFullYear() + 1}-06-01T00:00`);
  await dialog.getByRole("button", { name: "Schedule" }).click();
  await expect(dialog.getByRole("alert")).toContainText(`${type.name} will have these prices from Jun 1`);
  await expect(dialog).toBeHidden();
  await expect.poll(() => tiersShown(page)).toEqual(["0–5 lb $4.00", "5–20 lb $9.00"]);

  const scheduled = page.getByRole("region", { name: "Scheduled prices" });
  await expect(scheduled).toContainText(/From Jun 1.*00:00: 0–5 lb \$4\.40, 5–10 lb \$9\.50/);
  await expect(scheduled).toContainText(`by ${account.username}: New contract`);
  await scheduled.getByRole("button", { name: "Take back" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
  await expect(toast(page, "The scheduled change is taken back")).toBeVisible();
  await expect(scheduled).toHaveCount(0);
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
