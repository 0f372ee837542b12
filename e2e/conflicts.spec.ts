import { fedex } from "@footprint/contract/fedex.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { uniqueName } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import { adminAccount } from "./server.ts";
import { addCustomer, confirmChange, openScreen, toast } from "./steps.ts";

const conflict = (page: Page) => page.getByRole("region", { name: /changed this/ });
const decision = (page: Page, field: string) => conflict(page).getByRole("group", { name: field, exact: true });
const mine = (page: Page, field: string) => decision(page, field).getByRole("radio", { name: /^(Yours|Before)/ });
const theirs = (page: Page, field: string) => decision(page, field).getByRole("radio", { name: /^Now/ });

test("three people edit one label type, and lose nothing", async ({ admin, openAs, server: { api }, watch }) => {
  watch.expectProblem(/409/);
  const name = uniqueName("Parcel");
  const { token } = admin;
  await api.call(token, labelTypes.create, { body: { name, uid: `uid-${name}`, maxWeight: 20, type: "usps" } });
  const saved = async () =>
    (await api.call(token, labelTypes.list, {})).labelTypes.find(({ uid }) =>
      uid.includes(name.toLowerCase().slice(7)),
    );
  const [one, two, three] = [admin.page, (await openAs(adminAccount)).page, (await openAs(adminAccount)).page];
  const edit = async (page: Page) => {
    await openScreen(page, "/pricing", "Label Pricing");
    await page.getByRole("button", { name: `Edit ${name}`, exact: false }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
  };
  const field = (page: Page, label: string | RegExp) =>
    page.getByRole("dialog").getByLabel(label, { exact: typeof label === "string" });
  const save = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Save", exact: true });
  for (const page of [one, two, three]) await edit(page);

  await field(one, "Name").fill(`${name} Plus`);
  await save(one).click();
  await expect(one.getByRole("dialog").getByRole("alert")).toContainText("saved");

  // Each changed another field: the first one's change is shown and adopted.
  await field(two, /^Max weight/).fill("35");
  await save(two).click();
  await expect(conflict(two)).toBeFocused();
  await expect(decision(two, "Max weight")).toHaveCount(0);
  await expect(decision(two, "Name")).toContainText(`Before ${name}`);
  await expect(decision(two, "Name")).toContainText(`${name} Plus`);
  await expect(theirs(two, "Name")).toBeChecked();
  await expect(field(two, "Name")).toHaveValue(`${name} Plus`);
  await save(two).click();
  await expect(two.getByRole("dialog").getByRole("alert")).toContainText("saved");
  expect(await saved()).toMatchObject({ name: `${name} Plus`, maxWeight: 35 });

  // Two changed the same field: one has to decide, and nothing is saved before.
  await field(three, "Name").fill(`${name} Three`);
  await field(three, "Type").selectOption("wwbiz");
  await save(three).click();
  await expect(theirs(three, "Max weight")).toBeChecked();
  await expect(mine(three, "Name")).not.toBeChecked();
  await expect(theirs(three, "Name")).not.toBeChecked();
  await save(three).click();
  await expect(conflict(three).getByRole("alert")).toHaveText("Decide about Name first.");
  await three.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(three);
  await three.setViewportSize({ width: 1440, height: 900 });
  await mine(three, "Name").focus();
  await three.keyboard.press("ArrowRight");
  await expect(field(three, "Name")).toHaveValue(`${name} Plus`);
  await three.keyboard.press("ArrowLeft");
  await expect(field(three, "Name")).toHaveValue(`${name} Three`);

  // Meanwhile there is another change, which the deciding operator meets too.
  const { _id: id = "", uid = "" } = (await saved()) ?? {};
  await api.call(token, labelTypes.update, {
    params: { id },
    body: { name: `${name} Plus`, uid, maxWeight: 40, type: "usps" },
  });
  await save(three).click();
  await expect(decision(three, "Max weight")).toContainText("40");
  await expect(decision(three, "Name")).toHaveCount(0);
  await expect(conflict(three)).toBeFocused();
  await three.keyboard.press("Enter");
  await save(three).click();
  await expect(three.getByRole("dialog").getByRole("alert")).toContainText("saved");
  expect(await saved()).toMatchObject({ name: `${name} Three`, maxWeight: 40, type: "wwbiz" });
});

test("at the Fedex desk a colleague's change is shown beside one's own, and kept while other orders are looked at", async ({
  staff: { page, token },
  adminToken,
  openAs,
  server: { api },
  watch,
}) => {
  watch.expectProblem(/409/);
  const customer = await addCustomer(api, adminToken);
  await api.call(adminToken, users.verify, { params: { id: customer._id } });
  const town = { street: "88 Wharf Rd", city: "Portland", state: "ME", zip: "04101" };
  const batch = uniqueName("both");
  const orders = [];
  for (const ward of ["North", "South"]) {
    const to = { name: `${batch} ${ward}`, ...town };
    const parcel = { weight: 12.5, length: 10, width: 8, height: 6, dimensionUnit: "in", weightUnit: "lb" };
    const body = { discordId: customer.username, from: { name: "Tobias Brandt", ...town }, to, ...parcel };
    orders.push((await api.call(customer.key, storefront.createFedexOrder, { body })).order);
  }
  const id = orders[0]?._id ?? "";
  const form = page.getByRole("form", { name: "Update" });
  const heading = (ward: string) => page.getByRole("heading", { level: 2, name: `${batch} ${ward}` });
  await openScreen(page, `/fedex?desk=open&search=${batch}`, "Fedex Orders");
  await expect(heading("North")).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await form.getByLabel("Note").fill("leave at the door");
  await form.getByLabel("Price").fill("31.50");

  const colleague = await openAs(await api.addStaff(adminToken));
  await api.call(colleague.token, fedex.update, {
    params: { id },
    body: { note: "ring twice", status: "Awaiting User Input" },
  });
  await form.getByLabel("Price").press("Control+Enter");
  await expect(conflict(page)).toBeFocused();
  await expect(conflict(page)).toContainText(`${colleague.account.username} changed this just now`);
  await expect(decision(page, "Note")).toContainText("Yours leave at the door");
  await expect(decision(page, "Note")).toContainText(`Now (by ${colleague.account.username}, just now) ring twice`);
  await expect(theirs(page, "Status")).toBeChecked();
  await expect(decision(page, "Price")).toHaveCount(0);

  await page.getByRole("list", { name: "Orders", exact: true }).getByRole("button").nth(1).click();
  await expect(heading("South")).toBeVisible();
  await expect(conflict(page)).toHaveCount(0);
  await page.goBack();
  await expect(heading("North")).toBeVisible();
  await expect(mine(page, "Note")).not.toBeChecked();
  await form.getByLabel("Note").press("Control+Enter");
  await expect(conflict(page).getByRole("alert")).toHaveText("Decide about Note first.");
  await expect(mine(page, "Note")).toBeFocused();
  await mine(page, "Note").check();
  await expectAccessible(page);
  await form.getByLabel("Note").press("Control+Enter");
  await expect(heading("South")).toBeVisible();
  expect((await api.call(token, fedex.read, { params: { id } })).order).toMatchObject({
    ...{ note: "leave at the door", status: "Awaiting User Input", price: 31.5 },
  });

  // With the same value as the other's, nothing is left to decide.
  await form.getByLabel("Note").fill("the same");
  const second = orders[1]?._id ?? "";
  await api.call(colleague.token, fedex.update, { params: { id: second }, body: { note: "the same" } });
  await form.getByRole("button", { name: "Update", exact: true }).click();
  await expect(form.getByText("Not saved")).toHaveCount(0);
  await expect(conflict(page)).toHaveCount(0);
});

test("two change the payment handle: the second sees the first's, and decides", async ({
  admin: { page, token },
  openAs,
  server: { api },
  watch,
}) => {
  watch.expectProblem(/409/);
  const other = (await openAs(adminAccount)).page;
  const handle = (of: Page) => of.getByRole("textbox", { name: "Payment-app handle" });
  const save = async (of: Page) => {
    await of.getByRole("button", { name: "Save", exact: true }).click();
    await confirmChange(of);
  };
  for (const each of [page, other]) await openScreen(each, "/website", "Website Settings");
  await handle(page).fill("$first-hand");
  await handle(other).fill("$second-hand");
  await save(page);
  await expect(toast(page, "Payment settings updated")).toBeVisible();

  await save(other);
  await expect(decision(other, "Payment-app handle")).toContainText("$first-hand");
  await expect(other.getByRole("figure", { name: /^Current handle/ })).toContainText("$first-hand");
  await expect(handle(other)).toHaveValue("$second-hand");
  await theirs(other, "Payment-app handle").check();
  await expect(handle(other)).toHaveValue("$first-hand");
  await mine(other, "Payment-app handle").check();
  await save(other);
  await expect(toast(other, "Payment settings updated")).toBeVisible();
  await expect(conflict(other)).toHaveCount(0);
  expect((await api.call(token, website.getCashapp, {})).cashapp.cashappId).toBe("$second-hand");

  // Untouched fields follow, so that saving meets no conflict.
  await page.getByRole("button", { name: "Save limits" }).click();
  await expect(handle(page)).toHaveValue("$second-hand");
  await handle(page).fill("$third-hand");
  await save(page);
  await expect(page.getByRole("figure", { name: /^Current handle/ })).toContainText("$third-hand");
});
