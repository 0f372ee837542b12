import { pathOf } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { type Api, uniqueName } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { addCustomer, doToasted, expectSettled, goByKeys, openScreen, toast } from "./steps.ts";

const rows = (page: Page) => page.getByRole("list", { name: "Orders", exact: true }).getByRole("button");
const current = (page: Page) => page.locator("[aria-current=true]").filter({ visible: true });
const form = (page: Page) => page.getByRole("form", { name: "Update" });
const details = (page: Page) => page.getByRole("region", { name: "Details" });
const dialog = (page: Page) => page.getByRole("dialog");

/** A label as a carrier sends it; another text makes another file. */
const label = (name: string, text = name) => ({
  name,
  mimeType: "application/pdf",
  buffer: Buffer.from(`%PDF-1.4\n% ${text}\n<< /Type /Page /MediaBox [0 0 288 432] >>\n%%EOF\n`),
});

const wards = ["North", "South", "East", "West", "Harbor", "Hill"];

/** Orders of a customer that no other test uses, oldest first, each to its own receiver. */
async function placeOrders(api: Api, adminToken: string, amount: number, { balance = 0, weight = 12.5 } = {}) {
  const customer = await addCustomer(api, adminToken);
  const params = { id: customer._id };
  await api.call(adminToken, users.verify, { params });
  if (balance) await api.call(adminToken, users.addBalance, { params, body: { balance } });
  const town = { street: "88 Wharf Rd", city: "Portland", state: "ME", zip: "04101" };
  const batch = uniqueName("desk");
  const orders = [];
  for (const ward of wards.slice(0, amount)) {
    const { order } = await api.call(customer.key, storefront.createFedexOrder, {
      body: {
        discordId: customer.username,
        from: { name: "Tobias Brandt", ...town },
        to: { name: `${batch} ${ward}`, ...town },
        ...{ weight, length: 10, width: 8, height: 6, dimensionUnit: "in", weightUnit: "lb" },
      },
    });
    orders.push({ ...order, receiver: `${batch} ${ward}` });
  }
  return { customer, batch, orders };
}

/** Answers every file chooser of a page. Listens from the start, so that none is missed. */
function chooseFiles(page: Page) {
  let files: ReturnType<typeof label>[] = [];
  page.on("filechooser", (chooser) => chooser.setFiles(files));
  return (...next: typeof files) => {
    files = next;
  };
}

async function openDesk(page: Page, batch: string, amount: number) {
  await openScreen(page, `/fedex?desk=open&search=${batch}`, "Fedex Orders");
  await expect(rows(page)).toHaveCount(amount);
  await expect(current(page)).toHaveCount(1);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
}

const read = (api: Api, token: string, { _id }: { _id: string }) =>
  api.call(token, fedex.read, { params: { id: _id } });

test("five labels are attached, priced and completed by keyboard alone, in few strokes", async ({
  staff: { page, token },
  adminToken,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 5);
  // Meanwhile the customer has answered.
  const [{ _id: id } = { _id: "" }] = orders;
  await api.call(token, fedex.update, { params: { id }, body: { status: "Awaiting User Input" } });
  const choose = chooseFiles(page);
  await openDesk(page, batch, 5);
  let strokes = 0;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    strokes += keys.length;
  };
  for (const [place, { receiver }] of orders.entries()) {
    await expect(form(page)).toBeVisible();
    await expect(page.getByRole("heading", { level: 2, name: receiver })).toBeVisible();
    choose(label(`label-${place}.pdf`, `${batch} ${place}`));
    await press("f");
    await expect(form(page).getByLabel("Price")).toBeFocused();
    await expect(form(page).getByLabel("Status")).toHaveValue("Completed");
    await press("4", "2", ".", "6", "0", "Control+Enter");
  }
  await expect(rows(page)).toHaveCount(0);
  for (const [place, order] of orders.entries())
    expect((await read(api, token, order)).order).toMatchObject({
      status: "Completed",
      price: 42.6,
      file: { name: `label-${place}.pdf` },
    });
  // At most one press per second fits into a minute.
  expect(strokes).toBeLessThanOrEqual(60);
});

test("a typed price replaces the quoted price of a chosen label", async ({
  staff: { page, token },
  adminToken,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 2);
  const [changed, kept] = orders as [(typeof orders)[number], (typeof orders)[number]];
  for (const { _id: id } of orders) await api.call(token, fedex.update, { params: { id }, body: { price: 13.78 } });
  const choose = chooseFiles(page);
  await openDesk(page, batch, 2);
  for (const [{ receiver }, typed] of [[changed, "42.60"] as const, [kept, ""] as const]) {
    await expect(page.getByRole("heading", { level: 2, name: receiver })).toBeVisible();
    choose(label(`${receiver}.pdf`));
    await page.keyboard.press("f");
    await expect(form(page).getByLabel("Price")).toBeFocused();
    await page.keyboard.type(typed);
    await page.keyboard.press("Control+Enter");
  }
  await expect(rows(page)).toHaveCount(0);
  expect((await read(api, token, changed)).order).toMatchObject({ status: "Completed", price: 42.6 });
  expect((await read(api, token, kept)).order).toMatchObject({ status: "Completed", price: 13.78 });
});

test("the price's key chooses the quoted price, and what is typed takes its place", async ({
  staff: { page, token },
  adminToken,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 1);
  const [order] = orders as [(typeof orders)[number]];
  await api.call(token, fedex.update, { params: { id: order._id }, body: { price: 13.78 } });
  await openDesk(page, batch, 1);
  const price = form(page).getByLabel("Price");
  await expect(price).toHaveValue("13.78");
  await page.keyboard.press("p");
  await expect(price).toBeFocused();
  await page.keyboard.type("42.60");
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await read(api, token, order)).order.price).toBe(42.6);
});

for (const [where, go] of [
  ["another order", (page: Page) => rows(page).last().click()],
  ["another screen", (page: Page) => page.getByRole("link", { name: "Invoices" }).click()],
] as const)
  test(`an order that takes long to save does not lead away from ${where} that was opened meanwhile`, async ({
    staff: { page },
    adminToken,
    server: { api },
  }) => {
    const { batch, orders } = await placeOrders(api, adminToken, 3);
    await openDesk(page, batch, 3);
    const gone = Promise.withResolvers<void>();
    await page.route(`**${pathOf(fedex.update, { id: orders[0]?._id ?? "" })}`, async (route) => {
      await gone.promise;
      await route.continue();
    });
    await form(page).getByLabel("Note").fill("Ask for the dimensions");
    await page.keyboard.press("Control+Enter");
    await expect(form(page).getByRole("button", { name: "Updating…" })).toBeVisible();
    await go(page);
    const opened = where === "another order" ? (orders[2]?.receiver ?? "") : "Invoices";
    await expect(page.getByRole("heading", { name: opened, exact: true })).toBeVisible();
    const address = page.url();
    await doToasted(page, "Order Updated Successfully", async () => gone.resolve());
    await expectSettled(page);
    await expect(page.getByRole("heading", { name: opened, exact: true })).toBeVisible();
    expect(page.url()).toBe(address);
    await page.unrouteAll({ behavior: "wait" });
  });

test("an order that one comes back to while it is being saved says so, and is saved then", async ({
  staff: { page },
  adminToken,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 2);
  await openDesk(page, batch, 2);
  const gone = Promise.withResolvers<void>();
  const update = `**${pathOf(fedex.update, { id: orders[0]?._id ?? "" })}`;
  await page.route(update, async (route) => {
    await gone.promise;
    await route.continue();
  });
  await form(page).getByLabel("Note").fill("Ask for the dimensions");
  await form(page).getByLabel("File", { exact: true }).setInputFiles(label("late.pdf", batch));
  await page.keyboard.press("Control+Enter");
  await expect(form(page).getByRole("button", { name: "Updating…" })).toBeVisible();
  await rows(page).last().click();
  await expect(form(page).getByLabel("Note")).toHaveValue("");
  await rows(page).first().click();
  await expect(form(page).getByLabel("Note")).toHaveValue("Ask for the dimensions");
  await expect(form(page).getByRole("button", { name: "Updating…" })).toBeDisabled();
  await form(page).getByLabel("Price").fill("7.00");
  gone.resolve();
  await expect(form(page).getByRole("button", { name: "Update", exact: true })).toBeEnabled();
  await expect(form(page).getByRole("button", { name: "Remove late.pdf" })).toBeVisible();
  await expect(form(page).getByLabel("Price")).toHaveValue("7.00");
  await form(page).getByLabel("Price").fill("");
  await expect(form(page).getByText("Not saved")).toHaveCount(0);
  await page.unroute(update);
});

test("an order that could not be saved after it was left is named", async ({
  staff: { page },
  adminToken,
  watch,
  server: { api },
}) => {
  watch.expectProblem(/503/);
  const { batch, orders } = await placeOrders(api, adminToken, 2);
  await openDesk(page, batch, 2);
  const gone = Promise.withResolvers<void>();
  const update = `**${pathOf(fedex.update, { id: orders[0]?._id ?? "" })}`;
  await page.route(update, async (route) => {
    await gone.promise;
    await route.fulfill({ status: 503, json: { message: "Too busy" } });
  });
  await form(page).getByLabel("Note").fill("Ask for the dimensions");
  await page.keyboard.press("Control+Enter");
  await expect(form(page).getByRole("button", { name: "Updating…" })).toBeVisible();
  await rows(page).last().click();
  await expect(form(page).getByLabel("Note")).toHaveValue("");
  await doToasted(page, `Fedex order to ${orders[0]?.receiver}: Too busy`, async () => gone.resolve());
  await rows(page).first().click();
  await expect(form(page).getByLabel("Note")).toHaveValue("Ask for the dimensions");
  await form(page).getByRole("button", { name: "Discard" }).click();
  await page.unroute(update);
});

test("after a lost answer an order's next change is one of its own", async ({
  staff: { page, token },
  adminToken,
  watch,
  server: { api },
}) => {
  watch.expectProblem(/503/);
  const { batch, orders } = await placeOrders(api, adminToken, 1);
  await openDesk(page, batch, 1);
  const update = `**${pathOf(fedex.update, { id: "*" })}`;
  await page.route(update, async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503, json: { message: "Too busy" } });
  });
  await form(page).getByLabel("Note").fill("Ask for the dimensions");
  await form(page).getByRole("button", { name: "Update", exact: true }).click();
  await expect(form(page).getByText("Too busy")).toBeVisible();
  await expect(form(page).getByText("Not saved")).toHaveCount(0);
  await page.unroute(update);
  await form(page).getByLabel("Price").fill("7.00");
  await form(page).getByRole("button", { name: "Update", exact: true }).click();
  await expect(form(page).getByText("Not saved")).toHaveCount(0);
  const { order } = await read(api, token, orders[0] as (typeof orders)[number]);
  expect(order).toMatchObject({ note: "Ask for the dimensions", price: 7 });
});

test("files are matched to orders by id and by name, the match can be changed, and all are attached at once", async ({
  staff: { page, token },
  adminToken,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 4);
  const [byId, byEnd, byName, byHand] = orders as [(typeof orders)[number], ...typeof orders];
  if (!byEnd || !byName || !byHand) throw new Error("there are four");
  const choose = chooseFiles(page);
  choose(
    label(`FEDEX_${byId.uuid.toUpperCase()}.pdf`, `${batch} 1`),
    label(`label ${byEnd.uuid.slice(-6)}.pdf`, `${batch} 2`),
    label(`${byName.receiver.replaceAll(" ", "-")}.pdf`, `${batch} 3`),
    label("scan0001.pdf", `${batch} 4`),
  );
  await openDesk(page, batch, 4);
  await page.keyboard.press("u");
  await expect(dialog(page)).toBeVisible();
  const orderOf = (file: string | RegExp) => dialog(page).getByLabel(file);
  await expect(orderOf(/^Order of FEDEX/)).toHaveValue(byId._id);
  await expect(orderOf(/^Order of label/)).toHaveValue(byEnd._id);
  await expect(orderOf(/^Order of desk/)).toHaveValue(byName._id);
  await expect(orderOf("Order of scan0001.pdf")).toHaveValue("");
  await expect(dialog(page).getByRole("button", { name: "Attach 3 files" })).toBeFocused();
  await orderOf("Order of scan0001.pdf").selectOption(byName._id);
  await expect(dialog(page)).toContainText("Two files go to the same order.");
  await orderOf("Order of scan0001.pdf").selectOption(byHand._id);
  await dialog(page).getByRole("button", { name: "Attach 4 files" }).press("Enter");
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByText("Nothing found")).toBeVisible();
  for (const order of orders) {
    const { order: now } = await read(api, token, order);
    expect([now.status, now.file !== null]).toEqual(["Completed", true]);
  }

  // The next files are matched with the orders as they are by then.
  const next = await placeOrders(api, adminToken, 1);
  const receiver = next.orders[0]?.receiver ?? "";
  choose(label(`${receiver.replaceAll(" ", "-")}.pdf`), label(`${byName.receiver}.pdf`));
  await page.keyboard.press("u");
  await expect(orderOf(`Order of ${receiver.replaceAll(" ", "-")}.pdf`)).toHaveValue(next.orders[0]?._id ?? "");
  await expect(orderOf(`Order of ${byName.receiver}.pdf`)).toHaveValue("");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
});

test("files that are chosen before the orders are there can be attached once they are", async ({
  staff: { page },
  adminToken,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 1);
  const choose = chooseFiles(page);
  const chosen = Promise.withResolvers<void>();
  await page.route(`**${fedex.list.path}?*search=${batch}*`, async (route) => {
    await chosen.promise;
    await route.continue();
  });
  await openScreen(page, `/fedex?desk=open&search=${batch}`, "Fedex Orders");
  choose(label(`${batch} North.pdf`));
  await page.getByRole("button", { name: "Several files…" }).click();
  await expect(dialog(page).getByRole("button", { name: "Attach 1 file" })).toBeVisible();
  chosen.resolve();
  await expect(page.getByRole("heading", { name: orders[0]?.receiver ?? "", includeHidden: true })).toBeVisible();
  await expect(dialog(page).getByRole("button", { name: "Attach 1 file" })).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });
});

test("a claim on an order is shown to others until it is released", async ({
  staff: { page, account },
  adminToken,
  openAs,
  server: { api },
}) => {
  const { batch } = await placeOrders(api, adminToken, 2);
  await openDesk(page, batch, 2);
  await page.keyboard.press("j");
  await expect(current(page)).toContainText("South");
  await page.keyboard.press("c");
  await expect(page.getByText("Claimed by you")).toBeVisible();
  await expect(details(page)).toContainText(`Claimed by ${account.username}`);

  const colleague = (await openAs(await api.addStaff(adminToken))).page;
  await openDesk(colleague, batch, 2);
  await expect(rows(colleague).nth(1)).toContainText("In Process");
  await colleague.keyboard.press("j");
  await expect(colleague.getByText(`Claimed by ${account.username}`).first()).toBeVisible();
  await expect(colleague.getByRole("button", { name: "Claim", exact: true })).toHaveCount(0);

  await page.keyboard.press("c");
  await expect(page.getByRole("button", { name: "Claim", exact: true })).toBeVisible();
  await expect(rows(page).nth(1)).toContainText("Pending");
});

test("an order that is claimed before it is all there is shown as claimed", async ({
  staff: { page },
  adminToken,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 2);
  await openDesk(page, batch, 2);
  // An older answer of the server arrives after the claim.
  const params = { id: orders[1]?._id ?? "" };
  const claimed = page.waitForResponse(`**${pathOf(fedex.claim, params)}`);
  await page.route(`**${pathOf(fedex.read, params)}`, async (route) => {
    const answer = await route.fetch();
    await claimed;
    // The panel may have given up waiting for it.
    await route.fulfill({ response: answer }).catch(() => {});
  });
  await page.keyboard.press("j");
  await expect(current(page)).toContainText("South");
  await page.keyboard.press("c");
  await expect(page.getByText("Claimed by you")).toBeVisible();
});

testAlone(
  "the desk shows a label, warns of what is odd, and price and file are removed again",
  async ({ staff: { page, token }, adminToken, server: { api } }) => {
    // A browser without windows says that it cannot show a PDF.
    await page.addInitScript(() => Object.defineProperty(navigator, "pdfViewerEnabled", { value: true }));
    // So heavy that no order of another test is similar.
    const { batch, orders } = await placeOrders(api, adminToken, 6, { weight: 640 });
    const [first, second, ...similar] = orders as [(typeof orders)[number], ...typeof orders];
    if (!second) throw new Error("there are six");
    for (const { _id: id } of similar) await api.call(token, fedex.update, { params: { id }, body: { price: 40 } });
    await openDesk(page, batch, 6);
    await form(page).getByLabel("Status").selectOption("Completed");
    await expect(form(page)).toContainText("Completed without a file or a price.");
    await form(page).getByLabel("Price").fill("9000");
    await expect(form(page)).toContainText("An unusual price: similar parcels cost $40.00 to $40.00.");
    await form(page).getByLabel("File", { exact: true }).setInputFiles(label("same.pdf", batch));
    await expect(form(page)).not.toContainText("Completed without");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("heading", { level: 2, name: second.receiver })).toBeVisible();

    await form(page).getByLabel("File", { exact: true }).setInputFiles(label("other name.pdf", batch));
    await form(page).getByRole("button", { name: "Update", exact: true }).click();
    await expect(toast(page, `to ${first.receiver}`)).toBeVisible();
    await expect(form(page)).toContainText(`to ${first.receiver}.`);
    await expect(form(page)).toContainText("1 page, 4 × 6 in");
    await expect(form(page).locator("iframe")).toHaveAttribute("src", /^blob:/);
    await expect(details(page)).toContainText(/file other name\.pdf added/i);

    await form(page).getByRole("button", { name: "Remove other name.pdf" }).click();
    await form(page).getByRole("button", { name: "Update", exact: true }).click();
    await expect(details(page)).toContainText(/file removed/i);
    await page.goto(`/fedex?desk=all&search=${batch}&view=${first._id}`);
    const price = form(page).getByLabel("Price");
    await price.fill("1.250");
    await page.keyboard.press("Control+Enter");
    await expect(price).toHaveAccessibleDescription(/At most two decimals/);
    await expect(price).toBeFocused();
    await price.fill("9.004,5");
    await page.keyboard.press("Control+Enter");
    await expect.poll(async () => (await read(api, token, first)).order.price).toBe(9004.5);
    await page.goto(`/fedex?desk=all&search=${batch}&view=${first._id}`);
    await form(page).getByLabel("Price").fill("");
    await form(page).getByRole("button", { name: "Update", exact: true }).click();
    await expect(details(page)).toContainText(/price none/i);
    expect((await read(api, token, first)).order).toMatchObject({ price: null, file: { name: "same.pdf" } });
    expect((await read(api, token, second)).order).toMatchObject({ file: null });
  },
);

test("a charge asks first with the balance in sight, takes the money once, and can be reversed", async ({
  staff: { page, token },
  adminToken,
  server: { api },
}) => {
  const { batch, orders, customer } = await placeOrders(api, adminToken, 1, { balance: 50 });
  const [order] = orders as [(typeof orders)[number]];
  await api.call(token, fedex.update, { params: { id: order._id }, body: { price: 42.6 } });
  await openDesk(page, batch, 1);
  await details(page).getByRole("button", { name: "Charge $42.60" }).click();
  await expect(dialog(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(dialog(page)).toContainText("Current balance$50.00");
  await expect(dialog(page)).toContainText("New balance$7.40");
  await dialog(page).getByRole("button", { name: "Charge $42.60" }).click();
  await expect(details(page)).toContainText("$42.60 charged by");
  await expect(form(page).getByLabel("Price")).toHaveAttribute("readonly");

  await openScreen(page, `/users/${customer._id}?tab=balance`, customer.username);
  const charged = page.getByRole("row").filter({ hasText: "Fedex order" });
  await expect(charged).toContainText("−$42.60");
  await expect(charged.getByRole("link")).toHaveAttribute("href", `/fedex?search=${order.uuid}`);

  await openDesk(page, batch, 1);
  await details(page).getByRole("button", { name: "Reverse charge" }).click();
  await dialog(page).getByRole("button", { name: "Reverse $42.60" }).click();
  await expect(details(page).getByRole("button", { name: "Charge $42.60" })).toBeVisible();
});

test("desk and list are two views of one screen; on a phone list and order follow each other", async ({
  staff: { page },
  adminToken,
  server: { api },
}) => {
  const { batch } = await placeOrders(api, adminToken, 2);
  await openScreen(page, "/fedex", "Fedex Orders");
  await expect(page.getByRole("table")).toBeVisible();
  await page.getByText("Work desk", { exact: true }).click();
  await expect(page).toHaveURL(/desk=open/);
  await expect(current(page)).toHaveCount(1);
  await openScreen(page, "/fedex", "Fedex Orders");
  await expect(page.getByRole("region", { name: "Work desk" })).toBeVisible();

  // An operator who came by a link stays there, even with another filter, until they come anew.
  await openScreen(page, "/fedex?filter=Pending", "Fedex Orders");
  const table = page.getByRole("table");
  const status = page.getByRole("search").getByLabel("Status");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: /^All/ }).click();
  // It appears a moment after the list, and then stays.
  await expect(page).toHaveURL(/\?filter=All$/);
  await expect(status).toHaveValue("All");
  await page.reload();
  await expect(table).toBeVisible();
  await status.selectOption("Completed");
  await status.selectOption("All");
  await expect(page).not.toHaveURL(/Completed/);
  await expect(status).toHaveValue("All");
  await openScreen(page, "/fedex", "Fedex Orders");
  await expect(page.getByRole("region", { name: "Work desk" })).toBeVisible();
  await page.getByText("List", { exact: true }).click();
  await expect(page.getByRole("table")).toBeVisible();

  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/fedex?desk=open&search=${batch}`);
  await rows(page).nth(1).click();
  await expect(form(page)).toBeVisible();
  await expect(rows(page)).toHaveCount(0);
  await expectAccessible(page);
  await page.goBack();
  await expect(rows(page)).toHaveCount(2);
  await expect(form(page)).toHaveCount(0);
});

test("unsaved text about an order stays until it is saved or the page is left, and untouched fields are not saved", async ({
  staff: { page, token },
  adminToken,
  watch,
  server: { api },
}) => {
  const { batch, orders } = await placeOrders(api, adminToken, 2);
  const [first, second] = orders as [(typeof orders)[number], (typeof orders)[number]];
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/fed/updateOrder/")) sent += 1;
  });
  await openDesk(page, batch, 2);
  await form(page).getByLabel("File", { exact: true }).setInputFiles(label("kept.pdf", batch));
  await expect(form(page)).toContainText("kept.pdf");
  await form(page).getByLabel("Price").fill("12.00");
  await form(page).getByLabel("Note").fill("ring twice");
  await rows(page).nth(1).click();
  await expect(page.getByRole("heading", { level: 2, name: second.receiver })).toBeVisible();
  await expect(form(page).getByLabel("Note")).toHaveValue("");
  await expect(rows(page).nth(0)).toContainText("Not saved");
  await goByKeys(page, "f");
  await expect(page).not.toHaveURL(/search=/);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: second.receiver })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: first.receiver })).toBeVisible();
  await expect(form(page).getByLabel("Note")).toHaveValue("ring twice");
  await expect(form(page).getByLabel("Price")).toHaveValue("12.00");
  await expect(form(page)).toContainText("kept.pdf");

  await page.keyboard.down("Control");
  await page.keyboard.down("Enter");
  await expect(page.getByRole("heading", { level: 2, name: second.receiver })).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await expect(toast(page, "Nothing to save")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await page.keyboard.up("Control");
  await expect(toast(page, "Nothing to save")).toBeVisible();
  expect(sent).toBe(1);
  expect((await read(api, token, first)).order).toMatchObject({
    ...{ status: "Completed", price: 12, note: "ring twice", file: { name: "kept.pdf" } },
  });

  await form(page).getByLabel("Note").fill("later");
  await form(page).getByRole("button", { name: "Discard" }).click();
  await expect(form(page).getByLabel("Note")).toHaveValue("");
  await form(page).getByLabel("Note").fill("later");
  const asking = page.waitForEvent("dialog");
  const leaving = page.reload();
  const asked = await asking;
  expect(asked.type()).toBe("beforeunload");
  await asked.accept();
  await leaving;

  // After the session has ended, nobody is asked.
  watch.expectProblem(/401|Sign in/);
  await form(page).getByLabel("Note").fill("later still");
  // Of this call alone, since another that is still under way would end the session first.
  await page.route(`**${pathOf(fedex.update, { id: "*" })}`, (route) =>
    route.fulfill({ status: 401, json: { message: "Sign in again" } }),
  );
  await form(page).getByRole("button", { name: "Save and next" }).click();
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
});
