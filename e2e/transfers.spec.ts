import { transfers } from "@footprint/contract/transfers.ts";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { addCustomer, credit, openScreen, rowOf, toast } from "./steps.ts";

const rows = (page: Page) => page.locator("main table[aria-busy=false] tbody tr");
const open = (page: Page, address = "/transfers") => openScreen(page, address, "Transfers");

test("who credited whom, how much and why, is one list", async ({
  staff: { page, token, account },
  lasting,
  server: { api },
}) => {
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 120, "Paid at the counter");
  await credit(api, token, user, 8, "Goodwill");
  await open(page);
  await expect(page.getByRole("columnheader")).toHaveText([
    "When",
    "Customer",
    "Kind",
    "What",
    "Who",
    "Amount",
    "Actions",
  ]);
  const mine = rowOf(page, user.username);
  await expect(mine).toHaveCount(2);
  await expect(mine.last()).toContainText(/Adjustment\s*Paid at the counter/);
  await expect(mine.last()).toContainText(account.username);
  await expect(mine.last()).toContainText("+$120.00");

  await page.getByRole("button", { name: "Amount", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "$100 and more" }).click();
  await expect(page).toHaveURL(/over=100/);
  await expect(mine).toHaveCount(1);
  await page.getByRole("combobox", { name: "Kind" }).selectOption("refund");
  await expect(page).toHaveURL(/kind=refund/);
  await expect(mine).toHaveCount(0);
  await page.getByRole("combobox", { name: "Kind" }).selectOption("adjustment");
  await mine.getByRole("link", { name: user.username, exact: true }).click();
  await expect(page).toHaveURL(`/users/${user._id}?tab=balance`);
});

test("one person's transfers are a click away, and the chip shows everybody's again", async ({
  admin: { page },
  server: { api },
  lasting,
}) => {
  const member = await api.addStaff(lasting.admin);
  const user = await addCustomer(api, lasting.admin);
  await credit(api, await api.signIn(member), user, 3.21, "A try");
  await open(page);
  await rowOf(page, "+$3.21")
    .getByRole("button", { name: `Only those by ${member.username}` })
    .click();
  await expect(page).toHaveURL(/by=/);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("A try");
  await page.getByRole("button", { name: "Remove filter By" }).click();
  await expect(page).toHaveURL(/\/transfers$/);
  await expect(rows(page)).toHaveCount(10);
});

test("a mistaken credit is reversed from the list", async ({ staff: { page, token }, lasting, server: { api } }) => {
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 17, "");
  await open(page, `/transfers?customer=${user._id}`);
  await expect(rows(page)).toHaveCount(1);
  await rows(page).getByRole("button", { name: "Reverse the adjustment of +$17.00" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reverse $17.00" }).click();
  await expect(toast(page, `$17.00 taken back from ${user.username}`)).toBeVisible();
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).last()).toContainText("Reversed");
  const { transfers: found } = await api.call(token, transfers.list, { query: { customer: user._id } });
  expect(found.map(({ amount }) => amount)).toEqual([-17, 17]);
});

test("a list without a transfer says so", async ({ staff: { page, token }, lasting, server: { api } }) => {
  const user = await addCustomer(api, lasting.admin);
  await credit(api, token, user, 1, "");
  await open(page, `/transfers?customer=${user._id}&over=99999`);
  await expect(page.getByText("Nothing found")).toBeVisible();
  await page.getByRole("button", { name: /^Clear/ }).click();
  await expect(rows(page)).toHaveCount(10);
});
