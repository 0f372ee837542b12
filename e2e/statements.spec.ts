import { pathOf } from "@footprint/contract/endpoint.ts";
import { statements } from "@footprint/contract/statements.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import type { Page } from "@playwright/test";
import { uniqueName } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import {
  addCustomer,
  credit,
  customer,
  doToasted,
  drawerOf,
  openByKeys,
  openScreen,
  removeSlowly,
  rowOf,
  toast,
} from "./steps.ts";

const heading = "Transaction ID,Date,Transaction Type,Currency,Amount,Status,Notes,Name of sender/receiver";

const fileOf = (name: string, lines: string[]) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\n")),
});

const drop = async (page: Page, file: ReturnType<typeof fileOf>) => {
  await page.getByLabel("Statement of the payment app or of PayPal").setInputFiles(file);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(file.name);
};
const tab = (page: Page, name: RegExp) =>
  page.getByRole("navigation", { name: "Lines and invoices" }).getByRole("link", { name });

test("a statement is uploaded, certain matches are paid at once, and the rest is worked through by keyboard", async ({
  staff: { page, token },
  server: { api },
  adminToken,
}) => {
  const { username, key } = await addCustomer(api, adminToken);
  const open = async (amount: number) =>
    (
      await api.call(key, storefront.createInvoice, {
        body: { discordId: username, amount, payment_method: "cashapp" },
      })
    ).invoice;
  const [byNote, , byHand] = [await open(311.17), await open(77.41), await open(95.5)];
  const at = new Date().toISOString();
  const id = uniqueName("tx");
  const line = (place: number, amount: string, note: string, who: string) =>
    `${id}-${place},${at},Received P2P,USD,"${amount}",PAYMENT DEPOSITED,${note},${who}`;
  const file = fileOf(`${id}.csv`, [
    heading,
    line(1, "$311.17", `labels ${byNote._id.slice(-6)}`, "Somebody"),
    line(2, "$77.41", "", username),
    line(3, "$4,095.51", "", "Wrong Amount"),
    line(4, "$4,012.34", "happy birthday", "Grandmother"),
    line(5, "a lot", "", "Nobody"),
  ]);

  await openScreen(page, "/invoices", "Invoices");
  await page.getByRole("link", { name: "Match a statement" }).click();
  await drop(page, file);
  await expect(page.getByLabel("Amount", { exact: true })).toHaveValue("4");
  await expect(page.getByRole("table", { name: "First payments" })).toContainText("$311.17");
  await page.getByRole("button", { name: "Read 5 lines" }).click();
  await expect(page.getByText("5 lines: 2 certain, 2 left over, 1 refused")).toBeVisible();
  await expect(rowOf(page, "$311.17")).toContainText("The note names the invoice");

  await page.getByRole("button", { name: "Pay 2 certain" }).click();
  const question = page.getByRole("dialog", { name: "Pay 2 certain?" });
  await expect(question).toContainText("$388.58 for 2 payments");
  await question.getByRole("button", { name: "Pay $388.58" }).click();
  await expect(toast(page, "2 payments credited")).toBeVisible();
  await expect(tab(page, /^Paid/)).toContainText("2");
  expect((await customer(api, token, username)).balance).toBe(388.58);

  await tab(page, /^Left over/).click();
  await expect(rowOf(page, "Grandmother")).toBeVisible();
  await expect(rowOf(page, "$311.17")).toHaveCount(0);
  await rowOf(page, "Grandmother")
    .getByRole("button", { name: /^Set aside/ })
    .click();
  const aside = page.getByRole("dialog", { name: "Set this line aside?" });
  await aside.getByRole("textbox", { name: "Reason" }).fill("A birthday");
  await aside.getByRole("textbox", { name: "Reason" }).press("Enter");
  await expect(toast(page, "$4,012.34 set aside")).toBeVisible();
  await expect(rowOf(page, "Grandmother")).toHaveCount(0);
  await expect(aside).toBeHidden();
  await expect(rowOf(page, "Wrong Amount")).toBeVisible();

  await openByKeys(page);
  await drawerOf(page, "Line").getByRole("button", { name: "Assign an invoice" }).click();
  const assign = page.getByRole("dialog", { name: "Which invoice has this paid?" });
  await assign.getByRole("searchbox").fill(byHand._id);
  await expect(assign.getByRole("radio")).toHaveCount(1);
  await assign.getByRole("searchbox").press("Enter");
  await expect(assign.getByRole("searchbox")).toBeFocused();
  await assign.getByRole("radio").check();
  const pay = assign.getByRole("button", { name: `Pay $95.50 to ${username}` });
  await expect(pay).toBeDisabled();
  await assign.getByRole("checkbox", { name: "Credit $95.50 all the same" }).check();
  await assign.getByRole("textbox", { name: "Reason" }).fill("Agreed by phone");
  await pay.click();
  await expect(toast(page, `$95.50 credited to ${username}`)).toBeVisible();
  expect((await customer(api, token, username)).balance).toBe(484.08);

  await tab(page, /^Refused lines/).click();
  await expect(rowOf(page, "Line 6")).toContainText("“a lot” is no amount");
});

test("likely lines that were looked at are paid together, and the rest is matched again", async ({
  staff: { page, token },
  server: { api },
  adminToken,
}) => {
  const [one, two] = [await addCustomer(api, adminToken), await addCustomer(api, adminToken)];
  for (const { key, username: discordId } of [one, two])
    await api.call(key, storefront.createInvoice, {
      body: { discordId, amount: 613.37, payment_method: "cashapp" },
    });
  const id = uniqueName("tx");
  const at = new Date().toISOString();
  const line = (who: string) => `${id}-${who},${at},Received P2P,USD,"$613.37",PAYMENT DEPOSITED,,${who}`;
  await openScreen(page, "/invoices/statements", "Statements");
  await drop(page, fileOf(`${id}.csv`, [heading, line(one.username), line(two.username), line("A Stranger")]));
  await page.getByRole("button", { name: "Read 3 lines" }).click();
  await tab(page, /^Likely/).click();
  for (const { username } of [one, two]) await rowOf(page, username).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Pay 2 payments" }).click();
  const question = page.getByRole("dialog", { name: "Pay 2 payments?" });
  const pairs = question.getByRole("list", { name: "Lines and invoices" }).getByRole("listitem");
  await expect(pairs).toHaveCount(2);
  await expect(pairs.first()).toContainText("but others have invoices of $613.37 too");
  await question.getByRole("button", { name: "Pay $1,226.74" }).click();
  await expect(question).toContainText("This is not $1,226.74");
  await question.getByRole("textbox").fill("1226.74");
  await question.getByRole("button", { name: "Pay $1,226.74" }).click();
  await expect(toast(page, "2 payments credited")).toBeVisible();
  await expect(tab(page, /^Paid/)).toContainText("2");
  await expect(page.getByRole("region", { name: "Chosen rows" })).toBeHidden();
  expect((await customer(api, token, two.username)).balance).toBe(613.37);
});

test("what was credited to one customer is not said of another whose invoice is chosen next", async ({
  staff: { page, token },
  server: { api },
  adminToken,
}) => {
  const [one, two] = [await addCustomer(api, adminToken), await addCustomer(api, adminToken)];
  for (const { key, username: discordId } of [one, two])
    await api.call(key, storefront.createInvoice, { body: { discordId, amount: 418.55, payment_method: "cashapp" } });
  await credit(api, token, one, 418.55, "paid in cash");
  const id = uniqueName("tx");
  await openScreen(page, "/invoices/statements", "Statements");
  const line = `${id},${new Date().toISOString()},Received P2P,USD,"$4,111.22",PAYMENT DEPOSITED,,${id}`;
  await drop(page, fileOf(`${id}.csv`, [heading, line]));
  await page.getByRole("button", { name: "Read 1 line" }).click();
  await page.getByRole("button", { name: "Assign line 2" }).click();
  const assign = page.getByRole("dialog", { name: "Which invoice has this paid?" });
  await assign.getByRole("searchbox").fill("patron");
  await assign.getByRole("radio", { name: new RegExp(one.username) }).check();
  await expect(assign).toContainText(`$418.55 was credited to ${one.username} already`);
  const looked = Promise.withResolvers<void>();
  await page.route(`**${transfers.list.path}?*customer=${two._id}*`, async (route) => {
    await looked.promise;
    await route.continue();
  });
  await assign.getByRole("radio", { name: new RegExp(two.username) }).check();
  await expect(assign).toContainText("Current balance$0.00");
  await expect(assign).not.toContainText("was credited to");
  looked.resolve();
  await expect(assign.locator("[aria-busy=true]")).toHaveCount(0);
  await expect(assign).not.toContainText("was credited to");
  await page.unrouteAll({ behavior: "wait" });
});

test("columns that are not recognised are corrected, and remembered for the next file", async ({ staff: { page } }) => {
  const id = uniqueName("tx");
  const headings = `Wann;Wieviel;Wer ${id}`;
  await openScreen(page, "/invoices/statements", "Statements");
  await drop(page, fileOf(`${id}.csv`, [headings, "03/02/2026;4.020,55;Maren Olsen"]));
  const table = page.getByRole("table", { name: "First payments" });
  await expect(table).toContainText("$4,020.55");
  await expect(table).toContainText("Feb 3");
  await expect(page.getByText("A guess: no date of the file shows it")).toBeVisible();
  await page.getByLabel("Name of the payer").selectOption({ label: `Wer ${id} (Maren Olsen)` });
  await expect(table).toContainText("Maren Olsen");
  await page.getByLabel("Dates such as 03/11").selectOption("month first");
  await expect(table).toContainText("Mar 2");
  await page.getByLabel("Statement of").selectOption("cashapp");
  await page.getByRole("button", { name: "Read 1 line" }).click();
  await expect(page.getByText("1 line: 1 left over")).toBeVisible();

  await page.getByRole("link", { name: "Statements" }).click();
  await drop(page, fileOf(`next-${id}.csv`, [headings, "04/02/2026;4.020,55;Lena Okafor"]));
  await expect(page.getByText("As they were confirmed for such a file before.")).toBeVisible();
  await expect(table).toContainText("Lena Okafor");
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Statements");
  await expect(rowOf(page, `${id}.csv`)).toHaveCount(1);
});

test("statements that are no longer on the first page are reached, and a page that is gone leads to the last", async ({
  staff: { page },
}) => {
  const statement = `${uniqueName("paged")}.csv`;
  await openScreen(page, "/invoices/statements", "Statements");
  await drop(
    page,
    fileOf(statement, [heading, `${statement},2026-11-03 14:22:11 UTC,Received P2P,USD,$1.00,PAYMENT DEPOSITED,,`]),
  );
  await page.route(`**${statements.list.path}?*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), totalPages: 2 } });
  });
  await openScreen(page, "/invoices/statements", "Statements");
  await expect(rowOf(page, statement)).toBeVisible();
  await page.getByRole("button", { name: "Older" }).click();
  await expect(page).toHaveURL(/page=2$/);
  await expect(page.getByRole("button", { name: "Older" })).toBeDisabled();
  await page.unrouteAll({ behavior: "wait" });
  await page.reload();
  await expect(page).toHaveURL(/page=1$/);
  await expect(rowOf(page, statement)).toBeVisible();
});

test("while a statement is being removed, its screen does not say that it does not exist", async ({
  staff: { page },
}) => {
  const id = uniqueName("tx");
  await openScreen(page, "/invoices/statements", "Statements");
  await drop(
    page,
    fileOf(`${id}.csv`, [
      heading,
      `${id},${new Date().toISOString()},Received P2P,USD,"$5",PAYMENT DEPOSITED,,Somebody`,
    ]),
  );
  await page.getByRole("button", { name: "Read 1 line" }).click();
  await expect(page.getByText("1 line: 1 left over")).toBeVisible();
  await removeSlowly(page, page.url().split("/").at(-1) ?? "", async () => {
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Statements");
});

test("a statement that takes long to arrive does not lead back whoever has gone on to another screen", async ({
  staff: { page },
}) => {
  const id = uniqueName("tx");
  const gone = Promise.withResolvers<void>();
  await page.route(`**${statements.drop.path}`, async (route) => {
    await gone.promise;
    await route.continue();
  });
  await openScreen(page, "/invoices/statements", "Statements");
  await page
    .getByLabel("Statement of the payment app or of PayPal")
    .setInputFiles(
      fileOf(`${id}.csv`, [heading, `${id},${new Date().toISOString()},Received P2P,USD,"$5",,,Somebody`]),
    );
  await expect(page.getByText("Sending…")).toBeVisible();
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  await doToasted(page, "Statement received", async () => gone.resolve());
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  await expect(page).toHaveURL(/\/orders$/);
  await page.unrouteAll({ behavior: "wait" });
});

test("columns that are corrected faster than the lines are read again are all corrected", async ({
  staff: { page },
}) => {
  const id = uniqueName("tx");
  await openScreen(page, "/invoices/statements", "Statements");
  await drop(page, fileOf(`${id}.csv`, [`Wann;Wieviel;Wer ${id}`, "03/02/2026;4.020,55;Maren Olsen"]));
  const table = page.getByRole("table", { name: "First payments" });
  await expect(table).toContainText("Feb 3");
  const chosen = Promise.withResolvers<void>();
  await page.route(`**${pathOf(statements.columns, { id: "*" })}`, async (route) => {
    await chosen.promise;
    await route.continue();
  });
  const order = page.getByLabel("Dates such as 03/11");
  await order.selectOption("month first");
  await expect(page.getByRole("button", { name: "Read 1 line" })).toBeDisabled();
  await expect(order).toHaveValue("month first");
  await page.getByLabel("Statement of").selectOption("paypal");
  chosen.resolve();
  await expect(page.getByRole("button", { name: "Read 1 line" })).toBeEnabled();
  await expect(table).toContainText("Mar 2");
  await expect(page.getByLabel("Statement of")).toHaveValue("paypal");
  await page.unrouteAll({ behavior: "wait" });
});

test("the address of a statement that does not exist says so, and leads back", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/404|400|does not exist|id is not/);
  for (const id of ["01990000-0000-7000-8000-00000000000f", "unknown"])
    await openScreen(page, `/invoices/statements/${id}`, "This statement does not exist");
  await page.getByRole("link", { name: "Go to Statements" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Statements");
});

test("a statement that could not be loaded says so, and is asked for again", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/500|Out of order|404|does not exist/);
  const path = "/invoices/statements/01990000-0000-7000-8000-00000000000f";
  const call = `**/api/**/${path.slice(-36)}`;
  await page.route(call, (route) => route.fulfill({ status: 500, json: { message: "Out of order" } }));
  await openScreen(page, path, "Statement");
  await expect(page.getByRole("alert")).toContainText("This statement could not be loaded");
  await page.unroute(call);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This statement does not exist");
});
