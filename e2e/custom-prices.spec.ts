import { labelTypes } from "@footprint/contract/label-types.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { addCustomer, openScreen, rowOf } from "./steps.ts";

const saved = (page: Page, text: string) =>
  expect(page.getByRole("dialog").getByRole("alert").filter({ hasText: text })).toBeVisible();

test("custom prices are edited, raised together and copied, each after a preview", async ({
  adminToken,
  staff: { page },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/503|busy just now/);
  const shop = await newShop(api, adminToken);
  const { params, name, labelType } = shop;
  await api.call(adminToken, users.setCustomPricing, { params, body: { customPricingEnabled: true } });
  const price = { labelType, fromWeight: 1, toWeight: 3, price: 8.5 };
  await api.call(adminToken, users.addCustomPrice, { params, body: price });
  await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who } });

  await openScreen(page, `/users/${params.id}`, name);
  await expect(rowOf(page, /1 lb\s*3 lb\s*\$8\.50\s*\$8\.90\s*−\$0\.40\s*−4\.5 %/)).toBeVisible();

  // Ten times too low.
  await page.getByRole("button", { name: `Edit ${name} 1–3 lb` }).click();
  const form = page.getByRole("dialog", { name: `Edit ${name} 1–3 lb of ${name}` });
  await form.getByLabel("Price").fill("0.85");
  await expect(form).toContainText("1 order, −$7.65");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  const question = page.getByRole("dialog", { name: "all the same?" });
  await expect(question).toContainText(`${name} 1–3 lb: $8.50 → $0.85, −90.0 %`);
  await expect(question.getByRole("button", { name: "Go back" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(form.getByRole("alert")).toHaveText("Nothing was saved");
  // However it is typed.
  for (const [typed, price] of [
    [".74", "$0.74"],
    [",05", "$0.05"],
  ] as const) {
    await form.getByLabel("Price").fill(typed);
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await expect(question).toContainText(`$8.50 → ${price}`);
    await question.getByRole("button", { name: "Go back" }).click();
    await expect(question).toBeHidden();
  }
  // If the preview fails, nothing is sent.
  const preview = "**/custom-pricing/preview/*";
  await page.route(preview, (route) =>
    route.fulfill({ status: 503, json: { message: "The server is busy just now" } }),
  );
  await form.getByLabel("Price").fill("0.86");
  await expect(form.getByText("The server is busy just now")).toBeVisible();
  await expect(form).not.toContainText("1 order");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await expect(form.getByRole("alert")).toHaveText("The server is busy just now");
  await page.unroute(preview);
  await form.getByLabel("Price").fill("8.4");
  await form.getByLabel("Reason").fill("Agreed by phone");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await saved(page, `Custom price of ${name} saved`);
  await expect(form).toBeHidden();

  await page.getByRole("button", { name: "Raise or lower" }).click();
  await page.getByLabel("Per cent").fill("10");
  await expect(page.getByRole("region", { name: "What becomes of the prices" })).toContainText("$9.24");
  await expect(page.getByRole("dialog")).toContainText("1 order, +$0.84");
  await page.getByRole("button", { name: "Raise by 10 %" }).click();
  await expect(question).toContainText("$9.24 is above the standard price of $8.90");
  await question.getByRole("button", { name: "Change all the same" }).click();
  await saved(page, `Raised 1 custom price of ${name} by 10 %`);

  const other = await addCustomer(api, adminToken);
  await openScreen(page, `/users/${other._id}`, other.username);
  await page.getByRole("button", { name: "Copy from…" }).click();
  await page.getByRole("dialog").getByLabel("Copy from").fill(name);
  await page.getByRole("listbox").getByRole("option", { name }).click();
  await expect(page.getByRole("dialog")).toContainText("1 added");
  await page.getByRole("button", { name: "Copy Prices" }).click();
  await question.getByRole("button", { name: "Copy all the same" }).click();
  await saved(page, `Copied 1 custom price of ${name} to ${other.username}`);
  const { user } = await api.call(adminToken, users.read, { params: { id: other._id } });
  expect(user.customPricing).toMatchObject([{ fromWeight: 1, toWeight: 3, price: 9.24 }]);
});

test("what a customer would pay is shown from the palette, their page and the prices; a name that changes the unit asks first", async ({
  admin: { page, token },
  server: { api },
}) => {
  const { name, labelType, params } = await newShop(api, token);
  const dialog = page.getByRole("dialog", { name: "What would they pay?" });
  const answer = dialog.getByRole("region", { name: "Answer" });

  await openScreen(page, "/orders", "Orders");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: "Search or jump to" });
  await expect(palette).toBeFocused();
  // Enter at once: a part of the name finds the customer too, but acting before the full name is found does nothing.
  await palette.fill(name);
  await expect(page.getByRole("option", { name: `What would ${name} pay…` })).toBeVisible();
  await page.keyboard.press("Alt+w");
  await expect(dialog.getByLabel("Customer")).toHaveValue(name);
  await dialog.getByLabel("Label type").selectOption(labelType);
  await dialog.getByLabel("Weight (lb)").fill("2.4");
  await expect(answer).toContainText(/\$8\.90.*tier 1–3 lb.*custom pricing is switched off.*leaves \$41\.10/);
  await page.keyboard.press("Escape");

  await openScreen(page, `/users/${params.id}`, name);
  await page.getByRole("button", { name: `More actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "What would they pay?" }).click();
  await expect(dialog.getByLabel("Customer")).toHaveValue(name);
  await page.keyboard.press("Escape");

  await openScreen(page, `/pricing/${labelType}`, `${name} prices`);
  await page.getByRole("button", { name: "What would they pay?" }).click();
  await dialog.getByLabel("Customer").fill(name);
  await page.getByRole("listbox").getByRole("option", { name }).click();
  await dialog.getByLabel("Weight (lb)").fill("71");
  await expect(answer).toContainText(/No price.*would be refused:.*carries at most 20 lb/);
  await page.keyboard.press("Escape");

  await openScreen(page, "/pricing", "Label Pricing");
  await page.getByRole("button", { name: `Edit ${name}` }).click();
  const form = page.getByRole("dialog", { name: `Edit ${name}` });
  await form.getByLabel("Name").fill(`${name} First Class`);
  const concerned = "This concerns 1 tier, 0 custom prices and 0 orders of the last 30 days.";
  await expect(form).toContainText(
    `Weights change from lb to oz, and their numbers stay: 1 lb becomes 1 oz. ${concerned}`,
  );
  await form.getByRole("button", { name: "Save", exact: true }).click();
  const question = page.getByRole("dialog", { name: /in ounces from now on/ });
  await expect(question).toContainText(concerned);
  await question.getByRole("button", { name: "Save, in ounces" }).click();
  await expect(form.getByRole("alert")).toHaveText(`Label type ${name} First Class saved`);
  const read = await api.call(token, labelTypes.read, { params: { id: labelType } });
  expect(read.labelType.name).toBe(`${name} First Class`);
});
