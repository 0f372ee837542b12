import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { fedex, fedexStatuses } from "@footprint/contract/fedex.ts";
import type { Page } from "@playwright/test";
import { type Api, uniqueName } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import { doToasted, openScreen } from "./steps.ts";

// The seed's orders of fedex-customer go to "Fedex Update 1" … "Fedex Update 4", "Fedex Process" and "Fedex File".

const rows = (page: Page) => page.locator("table[aria-busy=false] tbody tr");
const dialog = (page: Page) => page.getByRole("dialog");
const stats = (page: Page) => page.getByRole("list", { name: "Orders by status" });
const figures = ({ pending, completed, completedToday, cancelled, cancelledThisWeek }: Reply<typeof fedex.stats>) =>
  new RegExp(
    `^Pending${pending}Oldest \\d+ (min|h|d)Completed${completed}${completedToday} todayCancelled${cancelled}${cancelledThisWeek} this week$`,
  );
const update = (page: Page) => dialog(page).getByRole("button", { name: "Update", exact: true });

/** Bytes that pass for a PDF, in more than one of the server's pieces. */
const pdf = () => Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(400_000)]);

async function orderTo(api: Api, token: string, receiver: string) {
  const [order] = (await api.call(token, fedex.list, { query: { search: receiver } })).docs;
  if (!order) throw new Error(`no Fedex order to ${receiver}`);
  return order;
}

async function open(page: Page, receiver: string, action: "View" | "Update") {
  await openScreen(page, `/fedex?search=${encodeURIComponent(receiver)}`, "Fedex Orders");
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: new RegExp(`^${action}`) }).click();
  await expect(dialog(page)).toBeVisible();
}

/** Drops a file on the form's file field, as from a desktop. */
async function drop(page: Page, file: { name: string; type: string; content: string }) {
  const dataTransfer = await page.evaluateHandle(({ name, type, content }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], name, { type }));
    return transfer;
  }, file);
  await dialog(page).getByLabel("File", { exact: true }).dispatchEvent("drop", { dataTransfer });
}

test("the cards count the pending, completed and cancelled orders", async ({ staff: { page, token }, server }) => {
  const counted = await server.api.call(token, fedex.stats, {});
  await openScreen(page, "/fedex", "Fedex Orders");
  await expect(stats(page)).toHaveText(figures(counted));
});

test("an order is updated with status, note, price and a chosen file, which comes back byte for byte", async ({
  staff: { page, token },
  server,
}) => {
  const before = await server.api.call(token, fedex.stats, {});
  const content = pdf();
  await open(page, "Fedex Update 1", "Update");
  const status = dialog(page).getByRole("combobox", { name: "Status" });
  await expect(status.getByRole("option")).toHaveText(["Pending", "Completed", "Cancelled", "Awaiting User Input"]);
  await status.selectOption("Completed");
  await dialog(page).getByRole("textbox", { name: "Note" }).fill("Handed over.\nPick-up on Friday.");
  await expect(dialog(page).getByLabel("Price")).toHaveAttribute("step", "0.01");
  await dialog(page).getByLabel("Price").fill("1204.5");
  const choosing = page.waitForEvent("filechooser");
  await dialog(page).getByLabel("File", { exact: true }).click();
  await (await choosing).setFiles({ name: "läbel 1.pdf", mimeType: "application/pdf", buffer: content });
  await expect(dialog(page)).toContainText("läbel 1.pdf");
  await expect(dialog(page)).toContainText("391 kB");
  await doToasted(page, "Order Updated Successfully", () => update(page).click());
  await expect(dialog(page)).toBeHidden();
  await expect(rows(page)).toContainText("Completed");
  await expect(rows(page)).toContainText("$1,204.50");
  const { pending, completed, completedToday } = before;
  await expect(stats(page)).toHaveText(
    figures({ ...before, pending: pending - 1, completed: completed + 1, completedToday: completedToday + 1 }),
  );

  await page.getByRole("button", { name: /^View/ }).click();
  await expect(dialog(page)).toContainText("Handed over.");
  const downloading = page.waitForEvent("download");
  await dialog(page).getByRole("button", { name: "Download läbel 1.pdf" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("läbel 1.pdf");
  expect(await readFile(await download.path())).toEqual(content);
});

test("a file can be dropped; the wrong ones are refused before they are sent, and a chosen one can be removed", async ({
  staff: { page, token },
  server,
}) => {
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().includes("/fed/updateOrder/")) sent += 1;
  });
  await open(page, "Fedex Update 2", "Update");
  await drop(page, { name: "notes.txt", type: "text/plain", content: "hello" });
  await expect(dialog(page)).toContainText("notes.txt is of another type.");
  await drop(page, { name: "huge.pdf", type: "application/pdf", content: "%PDF-".padEnd(10 * 1024 * 1024 + 1, "x") });
  await expect(dialog(page)).toContainText("huge.pdf has 10.1 MB. At most 10 MB can be sent.");

  await drop(page, { name: "label.pdf", type: "application/pdf", content: "%PDF-1.4 dropped" });
  await expect(dialog(page)).not.toContainText("At most");
  await dialog(page).getByRole("button", { name: "Remove label.pdf" }).click();
  await expect(dialog(page)).toContainText("Choose a file or drop it here");
  expect(sent).toBe(0);

  await drop(page, { name: "label.pdf", type: "application/pdf", content: "%PDF-1.4 dropped" });
  await expect(dialog(page).getByRole("button", { name: "Remove label.pdf" })).toBeVisible();
  await doToasted(page, "Order Updated Successfully", () => update(page).click());
  const order = await orderTo(server.api, token, "Fedex Update 2");
  expect(order).toMatchObject({ status: "Pending", file: { name: "label.pdf", size: 16 } });
  expect(sent).toBe(1);
});

test("the details of an order lead to its update, and show it once it is saved", async ({
  staff: { page, token },
  server,
}) => {
  const { _id: id } = await orderTo(server.api, token, "Fedex Update 3");
  const note = uniqueName("seen from the details");
  await open(page, "Fedex Update 3", "View");
  await update(page).click();
  const form = page.getByRole("dialog", { name: /^Update order/ });
  await form.getByLabel("Note").fill(note);
  await doToasted(page, "Order Updated Successfully", () => form.getByRole("button", { name: "Update" }).click());
  await expect(form).toBeHidden();
  await expect(dialog(page)).toContainText(note);
  await expect(page).toHaveURL(new RegExp(`view=${id}`));
});

test("a refused update stays open with the server's message in a red alert", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/415/);
  await open(page, "Fedex Update 3", "Update");
  await drop(page, { name: "fake.pdf", type: "application/pdf", content: "not a PDF at all" });
  await expect(dialog(page).getByRole("button", { name: "Remove fake.pdf" })).toBeVisible();
  await dialog(page).getByRole("textbox", { name: "Note" }).fill("with a fake");
  await update(page).click();
  await expect(dialog(page).getByRole("alert")).toContainText("The file must be one of PDF");
  await expect(dialog(page).getByRole("textbox", { name: "Note" })).toHaveValue("with a fake");
});

test("an order in process keeps its status unless another one is chosen", async ({
  staff: { page, token },
  server,
}) => {
  await open(page, "Fedex Process", "Update");
  const status = dialog(page).getByRole("combobox", { name: "Status" });
  await expect(status).toHaveValue("In Process");
  await expect(status.locator("option:not([hidden])")).toHaveText([
    "Pending",
    "Completed",
    "Cancelled",
    "Awaiting User Input",
  ]);
  await dialog(page).getByRole("textbox", { name: "Note" }).fill("still on its way");
  const sent = page.waitForRequest(/updateOrder/);
  await update(page).click();
  expect((await sent).headers()["content-type"]).toContain("multipart/form-data");
  expect((await sent).postData()).not.toContain('name="status"');
  await expect(dialog(page)).toBeHidden();
  expect(await orderTo(server.api, token, "Fedex Process")).toMatchObject({
    status: "In Process",
    note: "still on its way",
    price: 61.2,
  });
});

test("saving an order as it is is no error", async ({ staff: { page, token }, server }) => {
  const before = await orderTo(server.api, token, "Fedex File");
  await open(page, "Fedex File", "Update");
  await doToasted(page, "Order Updated Successfully", () => update(page).click());
  await expect(dialog(page)).toBeHidden();
  expect(await orderTo(server.api, token, "Fedex File")).toEqual(before);
});

test("a double click on Update sends it once", async ({ staff: { page } }) => {
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().includes("/fed/updateOrder/")) sent += 1;
  });
  await open(page, "Fedex Update 4", "Update");
  await dialog(page).getByLabel("Price").fill("9.99");
  await update(page).dblclick();
  await expect(dialog(page)).toBeHidden();
  await expect(rows(page)).toContainText("$9.99");
  expect(sent).toBe(1);
});

test("an order shows sender, receiver and package, and its file downloads", async ({
  admin: { page, token },
  server,
}) => {
  const order = await orderTo(server.api, token, "Fedex File");
  await open(page, "Fedex File", "View");
  await expect(dialog(page).getByRole("region", { name: "Sender" })).toContainText(order.from.name);
  await expect(dialog(page).getByRole("region", { name: "Receiver" })).toContainText(
    `${order.to.city}, ${order.to.state} ${order.to.zip}`,
  );
  const parcel = dialog(page).getByRole("region", { name: "Package details" });
  await expect(parcel).toContainText("Weight12.5 lb");
  await expect(parcel).toContainText("Dimensions10 x 8 x 6.25 in");
  await expect(parcel).toContainText("Weight unitlb");
  await expect(dialog(page)).toContainText("Label attached, pick-up on Friday.");
  await expect(dialog(page)).toContainText("$48.75");

  const downloading = page.waitForEvent("download");
  await dialog(page).getByRole("button", { name: "Download stored label.pdf" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("stored label.pdf");
  expect(await readFile(await download.path(), "utf8")).toMatch(/^%PDF-1\.4\n% a label of the tests\n/);
});

test("a download that fails says why", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/404|replaced a moment ago/);
  await page.route("**/api/v1/fed/file/*", (route) =>
    route.fulfill({ status: 404, json: { message: "This file was replaced a moment ago" } }),
  );
  await open(page, "Fedex File", "View");
  const download = dialog(page).getByRole("button", { name: /^Download/ });
  await doToasted(page, "This file was replaced a moment ago", () => download.click());
});

test("administrators see and search the discord id; staff see three asterisks, at the root too", async ({
  admin: { page, token },
  server,
  openAs,
}) => {
  const { user } = await orderTo(server.api, token, "Fedex File");
  await openScreen(page, `/fedex?search=${user.discordId}`, "Fedex Orders");
  await expect(
    rows(page)
      .first()
      .getByRole("button", { name: `Copy discord id ${user.discordId}` }),
  ).toBeVisible();

  const colleague = (await openAs(await server.api.addStaff(token))).page;
  await openScreen(colleague, "/?search=Fedex+File", "Fedex Orders");
  await expect(rows(colleague)).toHaveCount(1);
  await expect(rows(colleague)).toContainText("***");
  await colleague.getByRole("button", { name: /^View/ }).click();
  await expect(dialog(colleague)).toContainText("User discord id***");
  await expect(dialog(colleague).getByRole("link", { name: user.username })).toBeVisible();
  await openScreen(colleague, `/?search=${user.discordId}`, "Fedex Orders");
  await expect(colleague.getByText("Nothing found")).toBeVisible();
});

test("orders are filtered by each of the five statuses; a missing price is a dash", async ({
  staff: { page, token },
  server,
}) => {
  await openScreen(page, "/fedex", "Fedex Orders");
  const filter = page.getByRole("combobox", { name: "Status" });
  await expect(filter.getByRole("option")).toHaveText(["All", ...fedexStatuses]);
  for (const status of fedexStatuses) {
    await filter.selectOption(status);
    await expect(page).toHaveURL(new RegExp(`filter=${status.replaceAll(" ", "\\+")}`));
    const { total } = await server.api.call(token, fedex.list, { query: { filter: status } });
    await expect(rows(page)).toHaveCount(Math.min(total, 10));
    await expect(rows(page).filter({ hasText: status })).toHaveCount(Math.min(total, 10));
  }
  await openScreen(page, "/fedex?search=Amelia+Stone", "Fedex Orders");
  await expect(rows(page).getByRole("cell", { name: "–", exact: true })).toBeVisible();
});

test("list and statistics that cannot be loaded each offer Retry", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/Failed to load resource|Cannot reach the server/);
  await page.route("**/api/v1/fed/**", (route) => route.abort());
  await openScreen(page, "/fedex", "Fedex Orders");
  await expect(page.getByRole("button", { name: "Retry" })).toHaveCount(2);
  await page.unroute("**/api/v1/fed/**");
  await page.getByRole("button", { name: "Retry" }).first().click();
  await expect(stats(page)).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(rows(page)).toHaveCount(10);
});
