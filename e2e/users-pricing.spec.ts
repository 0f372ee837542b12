import { events } from "@footprint/contract/events.ts";
import type { Page } from "@playwright/test";
import { expect, test, testAlone } from "./fixtures.ts";
import { customer, openScreen, rowOf, toast } from "./steps.ts";

async function openPricing(page: Page, { _id, username }: { _id: string; username: string }) {
  await openScreen(page, `/users/${_id}`, username);
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(`Custom pricing for ${username}`);
}

async function fillPrice(page: Page, values: { labelType: string; from: string; to: string; price: string }) {
  await page.getByRole("button", { name: "Add Price" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label type").selectOption({ label: values.labelType });
  await dialog.getByLabel("From weight").fill(values.from);
  await dialog.getByLabel("To weight").fill(values.to);
  await dialog.getByLabel("Price").fill(values.price);
  return dialog;
}

test("Pricing leads from a customer's row to their custom prices, and back", async ({ staff: { page } }) => {
  await openScreen(page, "/users?search=pricing-customer", "Users");
  await page.getByRole("link", { name: "Pricing of pricing-customer", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("pricing-customer");
  await expect(page.getByRole("heading", { level: 2 })).toHaveText("Custom pricing for pricing-customer");
  await expect(rowOf(page, /USPS Priority\s*0 lb\s*1 lb\s*\$4\.99/)).toBeVisible();
  await expect(rowOf(page, /USPS Priority\s*1 lb\s*5 lb\s*\$7\.50/)).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Users" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Users");
});

test("a price added here is deleted in one of two windows; the other one is told", async ({
  staff: { page, token, account },
  server,
  openAs,
  watch,
}) => {
  watch.expectProblem(/409|changed meanwhile/);
  const user = await customer(server.api, token, "pricing-customer-2");
  await openPricing(page, user);
  await expect(page.getByText("No custom prices yet")).toBeVisible();
  const form = await fillPrice(page, { labelType: "USPS First Class", from: "0", to: "4.5", price: "2.75" });
  await expect(form.getByLabel("To weight (oz)")).toBeVisible();
  await form.getByRole("button", { name: "Add Price" }).click();
  await expect(form.getByRole("alert")).toHaveText(
    "Custom price for pricing-customer-2 added: USPS First Class, 0–4.5 oz at $2.75",
  );
  await expect(form).toBeHidden();
  const row = rowOf(page, /USPS First Class\s*0 oz\s*4\.5 oz\s*\$2\.75/);
  await expect(row).toBeVisible();

  const other = (await openAs(account)).page;
  await openPricing(other, user);
  await other.getByRole("button", { name: "Delete USPS First Class 0–4.5 oz" }).click();

  const sent = page.waitForRequest("**/custom-pricing/delete/*");
  await row.getByRole("button", { name: /^Delete/ }).click();
  await expect(page.getByRole("dialog")).toContainText("USPS First Class 0–4.5 oz at $2.75");
  await page.getByRole("dialog").getByLabel("Reason").fill("The agreement has ended");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(toast(page, "Custom price of pricing-customer-2 deleted")).toBeVisible();
  await expect(page.getByText("No custom prices yet")).toBeVisible();
  expect((await sent).postDataJSON()).toEqual({
    index: 0,
    _id: expect.any(String),
    reason: "The agreement has ended",
  });

  await other.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(toast(other, "This price was changed meanwhile")).toBeVisible();
  await expect(other.getByText("No custom prices yet")).toBeAttached();
});

test("a price that overlaps another is refused in the form, naming that one", async ({
  staff: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/409/);
  const user = await customer(server.api, token, "pricing-customer");
  await openPricing(page, user);
  const form = await fillPrice(page, { labelType: "USPS Priority", from: "0.5", to: "2", price: "6" });
  await form.getByRole("button", { name: "Add Price" }).click();
  await expect(form.getByRole("alert")).toHaveText("Overlaps with 0–1 lb at $4.99");
  expect((await customer(server.api, token, "pricing-customer")).customPricing).toHaveLength(2);
});

test("without a label type nothing is sent", async ({ staff: { page, token }, server }) => {
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "PUT" && !request.url().endsWith(events.setPresence.path)) sent += 1;
  });
  await openPricing(page, await customer(server.api, token, "pricing-customer-2"));
  await page.getByRole("button", { name: "Add Price" }).first().click();
  const form = page.getByRole("dialog");
  for (const [label, value] of [
    ["From weight", "0"],
    ["To weight", "1"],
    ["Price", "1"],
  ] as const)
    await form.getByLabel(label).fill(value);
  await form.getByRole("button", { name: "Add Price" }).click();
  await expect(form.locator("select:invalid")).toHaveCount(1);
  await form.getByLabel("Label type").selectOption({ label: "USPS Priority" });
  await form.getByLabel("Price").fill("1.005");
  await form.getByRole("button", { name: "Add Price" }).click();
  await expect(form.locator("input:invalid")).toHaveCount(1);
  expect(sent).toBe(0);
});

testAlone(
  "custom pricing is switched on the customer's screen, with the server's word in green for three seconds",
  async ({ staff: { page, token }, server, stopClock }) => {
    const user = await customer(server.api, token, "pricing-customer-2");
    await page.clock.install();
    await openPricing(page, user);
    const state = page.getByRole("region", { name: "Custom pricing" });
    await expect(state).toContainText("Disabled");
    await stopClock();
    await state.getByRole("button", { name: "Enable Custom Pricing" }).click();
    await expect(state.getByRole("alert")).toHaveText("Custom pricing is enabled for pricing-customer-2");
    await page.clock.runFor(2900);
    await expect(state.getByRole("alert")).toBeVisible();
    await page.clock.runFor(200);
    await expect(state.getByRole("alert")).toBeHidden();
    // A timer draws what was fetched again.
    await page.clock.resume();
    await expect(state).toContainText("Enabled");
    await state.getByRole("button", { name: "Disable Custom Pricing" }).click();
    await expect(state.getByRole("alert")).toHaveText("Custom pricing is disabled for pricing-customer-2");
    expect((await customer(server.api, token, "pricing-customer-2")).customPricingEnabled).toBe(false);
  },
);

test("a failure to enable custom pricing is a red alert in the form", async ({
  staff: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/503/);
  await page.route("**/custom-pricing/enable/*", (route) =>
    route.fulfill({ status: 503, json: { message: "The server is busy just now" } }),
  );
  await openPricing(page, await customer(server.api, token, "pricing-customer-2"));
  const state = page.getByRole("region", { name: "Custom pricing" });
  await state.getByRole("button", { name: "Enable Custom Pricing" }).click();
  await expect(state.getByRole("alert")).toHaveText("The server is busy just now");
  await expect(state).toContainText("Disabled");
});

for (const id of ["0198a1b2-0000-7000-8000-000000000000", "no-id"]) {
  test(`the address of nobody (${id}) says so and leads back`, async ({ staff: { page }, watch }) => {
    watch.expectProblem(/404|400|does not exist|id is not/);
    await openScreen(page, `/users/${id}`, "This customer does not exist");
    await page.getByRole("link", { name: "Go to Users" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Users");
  });
}
