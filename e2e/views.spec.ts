import { staff } from "@footprint/contract/staff.ts";
import { views } from "@footprint/contract/views.ts";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { uniqueName } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import { expectFocusOnScreen, openScreen } from "./steps.ts";

const tab = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: new RegExp(`^${name}`) });
const expectLit = (page: Page, name: string) => expect(tab(page, name)).toHaveAttribute("aria-current", "page");
const choose = async (page: Page, view: string, item: string) => {
  await page.getByRole("button", { name: `View ${view}`, exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

test("a view is saved and shared, a colleague opens it, and it is changed, renamed and deleted", async ({
  admin: { page },
  openAs,
  lasting,
  server: { api },
}) => {
  const name = uniqueName("paging");
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await expectLit(page, "All");
  await expect(tab(page, "All")).toContainText("changed");
  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("checkbox", { name: "Share with everybody" }).check();
  await dialog.getByRole("textbox", { name: "Name" }).press("Enter");
  await expectLit(page, name);
  await expect(tab(page, name)).toContainText("25");
  await expect(page.getByRole("button", { name: "Save view" })).toHaveCount(0);
  await expectFocusOnScreen(page);

  const { page: theirs } = await openAs(lasting.member);
  await openScreen(theirs, "/orders", "Orders");
  await tab(theirs, name).click();
  await expect(theirs).toHaveURL(/search=paging-customer/);
  await expect(theirs.getByText("25 orders found")).toBeVisible();
  await expect(theirs.getByRole("button", { name: `View ${name}`, exact: true })).toHaveCount(0);

  await page.getByRole("combobox", { name: "Status" }).selectOption("Refunded");
  await expect(tab(page, name)).toContainText("changed");
  await expectLit(page, name);
  await page.getByRole("button", { name: `View ${name}`, exact: true }).click();
  await expect(page.getByText("Shared by admin")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("menuitem", { name: "Update to what is shown" }).click();
  await expect(tab(page, name)).not.toContainText("changed");
  await theirs.reload();
  await tab(theirs, name).click();
  await expect(theirs).toHaveURL(/status=Refunded/);

  const other = `${name}-again`;
  await choose(page, name, "Rename");
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill(other);
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await expectLit(page, other);
  await choose(page, other, "Stop sharing");
  const seen = async () => (await api.call(lasting.staff, views.list, { query: { screen: "orders" } })).views;
  await expect.poll(async () => (await seen()).map((view) => view.name)).not.toContain(other);
  await choose(page, other, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(tab(page, other)).toHaveCount(0);
  await expectLit(page, "All");
});

test("a tab shows its list, Back the one before, and days that have a name are kept by it", async ({
  staff: { page, token },
  server: { api },
}) => {
  const name = uniqueName("today");
  await openScreen(page, "/orders", "Orders");
  await tab(page, "Refunded").click();
  await expect(page).toHaveURL(/\?status=Refunded$/);
  await expectLit(page, "Refunded");
  await tab(page, "Today").click();
  await expectLit(page, "Today");
  await page.goBack();
  await expectLit(page, "Refunded");
  await page.goBack();
  await expectLit(page, "All");
  await expect(page).toHaveURL(/\/orders$/);

  await tab(page, "Today").click();
  await expectLit(page, "Today");
  await page.getByRole("combobox", { name: "Status" }).selectOption("Active");
  await expect(tab(page, "Today")).toContainText("changed");
  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await expect(dialog.getByRole("checkbox", { name: "Share with everybody" })).toHaveCount(0);
  await expect(dialog.getByRole("checkbox", { name: "Always “Today”" })).toBeChecked();
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expectLit(page, name);
  const { views: kept } = await api.call(token, views.list, { query: { screen: "orders" } });
  expect(kept.find((view) => view.name === name)?.query).toBe("status=Active&days=Today");
});

test("of two views that show the same, the clicked one is lit and can be deleted", async ({
  staff: { page, token },
  server: { api },
}) => {
  const names = [uniqueName("twin"), uniqueName("twin")];
  for (const name of names) {
    await api.call(token, views.create, { body: { screen: "invoices", name, query: "status=expired" } });
  }
  await openScreen(page, "/invoices", "Invoices");
  for (const name of [...names].reverse()) {
    await tab(page, name).click();
    await expectLit(page, name);
  }
  await tab(page, "Paid").click();
  await tab(page, names[1] as string).click();
  await choose(page, names[1] as string, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(tab(page, names[1] as string)).toHaveCount(0);
  await expectLit(page, names[0] as string);
});

test("whoever is no longer an administrator is not offered to change what they shared", async ({
  lasting,
  openAs,
  server: { api },
}) => {
  const admin = await lasting.confirmed();
  const account = await api.addStaff(admin);
  const [member] = (await api.call(admin, staff.list, { query: { search: account.username } })).staff;
  const params = { id: member?._id ?? "" };
  await api.call(admin, staff.changeRole, { params, body: { role: "admin" } });
  const name = uniqueName("shared");
  const body = { screen: "orders", name, query: "search=paging-customer", shared: true } as const;
  await api.call(await api.signIn(account), views.create, { body });
  await api.call(admin, staff.changeRole, { params, body: { role: "staff" } });
  const { page } = await openAs(account);
  await openScreen(page, "/orders", "Orders");
  await tab(page, name).click();
  await expectLit(page, name);
  await expect(page.getByRole("button", { name: `View ${name}`, exact: true })).toHaveCount(0);
});

test("a view whose filter does not exist any more can be deleted", async ({
  staff: { page, token },
  server: { api },
}) => {
  const name = uniqueName("gone");
  const body = { screen: "orders", name, query: "colour=red" } as const;
  await api.call(token, views.create, { body });
  await openScreen(page, "/orders", "Orders");
  await tab(page, name).click();
  await expectLit(page, name);
  await choose(page, name, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(tab(page, name)).toHaveCount(0);
  await expectLit(page, "All");
});

test("a list works without its views", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/403|Not today/);
  await page.route(`**${views.list.path}?*`, (route) => route.fulfill({ status: 403, json: { message: "Not today" } }));
  await openScreen(page, "/orders?search=paging-customer", "Orders");
  await expect(page.getByText("25 orders found")).toBeVisible();
  await tab(page, "Refunded").click();
  await expectLit(page, "Refunded");
  await page.unrouteAll({ behavior: "wait" });
});
