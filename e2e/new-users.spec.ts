import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { expect, test } from "./fixtures.ts";
import { addCustomer, expectFocusOnScreen, openScreen, rowOf, toast } from "./steps.ts";

test("a verified customer leaves the list, and a toast says so", async ({ staff: { page, token }, server }) => {
  await openScreen(page, "/new-users?search=verify-customer-1", "New Users");
  await rowOf(page, "verify-customer-1").getByRole("button", { name: "Verify User" }).click();
  await expect(toast(page, "verify-customer-1 is verified")).toBeVisible();
  await expect(rowOf(page, "verify-customer-1")).toHaveCount(0);
  await expect(page.getByText("Nothing found")).toBeVisible();
  await expectFocusOnScreen(page);
  // The next that the list brings would be gone on with, but not by whoever is typing.
  const search = page.getByRole("searchbox");
  await search.fill("newcomer-0");
  await expect(page.getByRole("button", { name: /^Verify User newcomer/ })).toHaveCount(9);
  await page.keyboard.type("v");
  await expect(search).toHaveValue("newcomer-0v");

  const { users: waiting } = await server.api.call(token, users.listNew, { query: { search: "verify-customer-1" } });
  expect(waiting).toEqual([]);
  await openScreen(page, "/users?search=verify-customer-1", "Users");
  await expect(rowOf(page, "verify-customer-1")).toBeVisible();
});

test("an operator who verifies a customer a moment after a colleague is told", async ({
  staff: { page, account },
  openAs,
  watch,
}) => {
  watch.expectProblem(/409|already verified/);
  const other = (await openAs(account)).page;
  for (const window of [page, other]) await openScreen(window, "/new-users?search=verify-customer-2", "New Users");
  await expect(rowOf(other, "verify-customer-2")).toBeVisible();
  await rowOf(page, "verify-customer-2").getByRole("button", { name: "Verify User" }).click();
  await expect(toast(page, "verify-customer-2 is verified")).toBeVisible();

  await rowOf(other, "verify-customer-2").getByRole("button", { name: "Verify User" }).click();
  await expect(toast(other, "verify-customer-2 is already verified")).toBeVisible();
  await expect(rowOf(other, "verify-customer-2")).toHaveCount(0);
});

test("a double click verifies once", async ({ staff: { page } }) => {
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().includes("/users/verify/")) sent += 1;
  });
  await openScreen(page, "/new-users?search=verify-customer-3", "New Users");
  await rowOf(page, "verify-customer-3").getByRole("button", { name: "Verify User" }).dblclick();
  await expect(toast(page, "verify-customer-3 is verified")).toBeVisible();
  await expect(rowOf(page, "verify-customer-3")).toHaveCount(0);
  expect(sent).toBe(1);
});

test("only waiting customers are listed, and can be searched", async ({ staff: { page } }) => {
  await openScreen(page, "/new-users?search=northwind", "New Users");
  await expect(page.getByText("Nothing found")).toBeVisible();
  await page.getByRole("searchbox").fill("newcomer-0");
  await expect(page.getByRole("button", { name: /^Verify User newcomer/ })).toHaveCount(9);
  await expect(rowOf(page, "newcomer-01")).toContainText("newcomer-01@example.com");
});

test("a key that is held moves from row to row, and verifies one newcomer", async ({
  adminToken,
  staff: { page, token },
  server: { api },
}) => {
  const { username, key } = await addCustomer(api, adminToken);
  const names = [username, `${username}-2`, `${username}-3`];
  for (const name of names.slice(1))
    await api.call(key, storefront.putCustomer, { params: { discordId: name }, body: { username: name } });
  await openScreen(page, `/new-users?search=${username}`, "New Users");
  await expect(page.getByRole("button", { name: /^Verify User/ })).toHaveCount(3);
  const hold = async (key: string) => {
    await page.keyboard.down(key);
    await page.keyboard.down(key);
    await page.keyboard.up(key);
  };
  await hold("j");
  await expect(page.locator("tr[aria-current]")).toContainText(names[1] ?? "");
  await hold("v");
  await expect(toast(page, `${names[1]} is verified`)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Verify User/ })).toHaveCount(2);
  const { users: waiting } = await api.call(token, users.listNew, { query: { search: username } });
  expect(waiting.map((user) => user.username).sort()).toEqual([names[0], names[2]]);
});
