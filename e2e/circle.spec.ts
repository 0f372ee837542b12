import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Page } from "@playwright/test";
import { uniqueName } from "./api.ts";
import { expect, test } from "./exampleShop.ts";
import { adminAccount } from "./server.ts";
import {
  askForFedex,
  buyButton,
  chooseFile,
  expectBalance,
  fileOf,
  fillLabel,
  pdf,
  said,
  signUp,
  topUp,
} from "./shopSteps.ts";
import { drawerOf, openScreen, rowOf, toast } from "./steps.ts";

const go = (page: Page, ...names: string[]) =>
  names.reduce(
    (before, name) => before.then(() => page.getByRole("link", { name, exact: true }).click()),
    Promise.resolve(),
  );

test("the whole circle: a customer in the shop, an operator in the panel, and the books at the end", async ({
  page: customer,
  openAs,
  shop,
  server: { api },
  adminToken,
}) => {
  test.slow();
  const name = uniqueName("circle");
  const { page: operator } = await openAs(adminAccount);

  await test.step("somebody signs up, and is verified in the panel", async () => {
    await signUp(customer, name);
    await go(customer, "Ship");
    await expect(buyButton(customer)).toBeDisabled();
    await openScreen(operator, `/new-users?search=${name}`, "New Users");
    await rowOf(operator, name).getByRole("button", { name: "Verify User" }).click();
    await expect(toast(operator, `${name} is verified`)).toBeVisible();
    await expect(buyButton(customer)).toBeEnabled();
  });

  await test.step("they top up, and the operator marks it as paid", async () => {
    await go(customer, "Balance");
    await topUp(customer, "100");
    await expect(customer.getByRole("heading", { name: "Pay $100.00" })).toBeVisible();
    await openScreen(operator, `/invoices?search=${name}`, "Invoices");
    await rowOf(operator, name)
      .getByRole("button", { name: `Mark as Paid: $100.00 of ${name}` })
      .click();
    await operator.getByRole("dialog").getByRole("button", { name: "Mark as Paid" }).click();
    await expect(toast(operator, `$100.00 credited to ${name}`)).toBeVisible();
    await expect(customer.getByRole("heading", { name: "Paid, thank you" })).toBeVisible();
    await expectBalance(customer, "$100.00");
  });

  await test.step("they buy a label, and three more from a file", async () => {
    await go(customer, "Ship");
    await fillLabel(customer, shop.pounds, "2.4");
    await buyButton(customer).click();
    await expect(said(customer, "Bought for $8.90")).toBeVisible();
    await expectBalance(customer, "$91.10");
    await go(customer, "Ship", "From a file");
    await chooseFile(customer, fileOf(3, shop.ounces));
    await customer.getByRole("button", { name: "Buy 3 labels" }).click();
    await expect(said(customer, "3 labels bought for $12.30")).toBeVisible();
    await expectBalance(customer, "$78.80");
  });

  await test.step("a Fedex label is made at the operator's desk, charged, and downloaded in the shop", async () => {
    await go(customer, "Ship", "Fedex");
    await askForFedex(customer);
    const row = customer.getByRole("region", { name: "Your Fedex orders" }).getByRole("listitem");
    await expect(row).toContainText("Waiting for us");
    await openScreen(operator, `/fedex?desk=open&search=${name}`, "Fedex Orders");
    const form = operator.getByRole("form", { name: "Update" });
    await form.getByLabel("Status").selectOption("Completed");
    await form.getByLabel("Price").fill("42.60");
    const file = { name: `${name}.pdf`, mimeType: "application/pdf", buffer: Buffer.from(pdf + name) };
    await form.getByLabel("File", { exact: true }).setInputFiles(file);
    await expect(form.getByRole("button", { name: `Remove ${name}.pdf` })).toBeVisible();
    await operator.keyboard.press("Control+Enter");
    await expect(row).toContainText("Ready");
    await expect(row).toContainText("$42.60");
    const [download] = await Promise.all([
      customer.waitForEvent("download"),
      row.getByRole("link", { name: "Download the label" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${name}.pdf`);
    await openScreen(operator, `/fedex?desk=all&search=${name}`, "Fedex Orders");
    await operator.getByRole("region", { name: "Details" }).getByRole("button", { name: "Charge $42.60" }).click();
    await operator.getByRole("dialog").getByRole("button", { name: "Charge $42.60" }).click();
    await expectBalance(customer, "$36.20");
  });

  await test.step("the operator refunds a label, and the shop shows it", async () => {
    await go(customer, "Orders");
    const row = customer.getByRole("link", { name: /Lena Okafor/ });
    await expect(row).toBeVisible();
    await openScreen(operator, `/orders?search=${name}`, "Orders");
    await rowOf(operator, "Lena Okafor").getByRole("button", { name: /^View/ }).click();
    await drawerOf(operator, "Order").getByRole("button", { name: "Refund Order" }).click();
    await operator.getByRole("dialog").getByRole("button", { name: "Refund $8.90" }).click();
    await expect(toast(operator, `$8.90 refunded to ${name}`)).toBeVisible();
    await expect(row).toContainText("Refunded");
    await expectBalance(customer, "$45.10");
  });

  await test.step("the operator disables the customer, who is told so", async () => {
    await openScreen(operator, `/users?search=${name}`, "Users");
    await operator.getByRole("button", { name: `More actions for ${name}`, exact: true }).click();
    await operator.getByRole("menuitem", { name: "Disable User" }).click();
    await operator.getByRole("dialog").getByRole("button", { name: "Disable User" }).click();
    await expect(toast(operator, `${name} is disabled`)).toBeVisible();
    await expect(said(customer, "Your account is disabled")).toBeVisible();
    await go(customer, "Ship");
    await expect(buyButton(customer)).toBeDisabled();
  });

  expect(await api.call(adminToken, dashboard.books, {})).toMatchObject({ balanced: true, problems: [] });
});
