import { queues } from "@footprint/contract/queues.ts";
import { search } from "@footprint/contract/search.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import type { Page, Request } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { newShop } from "./shop.ts";
import { addCustomer, customer, drawerOf, openScreen, searchByKey, toast } from "./steps.ts";

const field = (page: Page) => page.getByRole("combobox", { name: "Search or jump to" });
const group = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const chosen = (page: Page) => page.getByRole("dialog").getByRole("option", { selected: true });

async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key);
}

async function find(page: Page, text: string) {
  await press(page, "Control+k");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type(text);
}

test("by keys alone an order is found from another screen, opened and refunded", async ({
  adminToken,
  staff: { page },
  server: { api },
}) => {
  const shop = await newShop(api, adminToken);
  const { order } = await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who } });
  await openScreen(page, "/new-users", "New Users");
  const { promise: pressed, resolve: isPressed } = Promise.withResolvers<void>();
  await page.route("**/api/v1/admin/orders/**", async (route) => {
    await pressed;
    await route.continue();
  });
  await find(page, order.uuid);
  // Enter before the answer: its result opens once it is there.
  await press(page, "Enter");
  await expect(drawerOf(page, "Order")).toBeFocused();
  await expect(page).toHaveURL(`/orders?view=${order._id}`);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  // Pressed before the order is there: it asks once it is.
  await press(page, "r");
  isPressed();
  const question = page.getByRole("dialog", { name: "Refund this order?" });
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await press(page, "Tab", "Enter");
  await expect(toast(page, `$8.90 refunded to ${shop.name}`)).toBeVisible();
});

test("by keys alone a customer is found and gets balance, from a field that somebody types in", async ({
  adminToken,
  staff: { page },
  server: { api },
}) => {
  const { username } = await addCustomer(api, adminToken);
  await openScreen(page, "/orders", "Orders");
  await searchByKey(page);
  await find(page, username);
  await expect(chosen(page)).toContainText(`${username}@example.comBalance $0.00`);
  await press(page, "Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("searchbox")).toBeFocused();
  await expect(page.getByRole("searchbox")).toHaveValue("");

  await find(page, username);
  await expect(group(page, `Actions for ${username}`)).toBeVisible();
  await expect(chosen(page)).toContainText(`${username}@example.com`);
  await press(page, "ArrowUp");
  await expect(chosen(page)).toContainText("Disable…");
  await press(page, "ArrowDown", "ArrowDown");
  await expect(chosen(page)).toContainText("Users found by");
  await press(page, "Tab");
  await expect(chosen(page)).toContainText("Add Balance…");
  await press(page, "Enter");
  await expect(page.getByRole("dialog", { name: `Add Balance to ${username}` }).getByLabel("Amount")).toBeFocused();
  await page.keyboard.type("12.5");
  await press(page, "Enter");
  await expect(page.getByRole("dialog")).toContainText("$12.50");
  await expect.poll(async () => (await customer(api, adminToken, username)).balance).toBe(12.5);
});

test("the row that is reached as soon as the answer is seen stays reached", async ({ staff: { page } }) => {
  await openScreen(page, "/orders", "Orders");
  await find(page, "");
  await field(page).fill("customer");
  await expect(group(page, "Customers")).toBeVisible();
  await press(page, "Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  // Known from before, so that the answer needs no server.
  await find(page, "");
  const pressed = page.evaluate(
    () =>
      new Promise<void>((done) => {
        const observer = new MutationObserver(() => {
          if (!document.querySelector("[role=group][aria-label=Customers]")) return;
          observer.disconnect();
          const key = { key: "ArrowDown", bubbles: true, cancelable: true };
          document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", key));
          done();
        });
        observer.observe(document.body, { subtree: true, childList: true });
      }),
  );
  await field(page).fill("customer");
  await pressed;
  await expect(group(page, "Customers").getByRole("option").nth(1)).toHaveAttribute("aria-selected", "true");
});

test("nothing is lost of what is typed while the palette opens for the first time", async ({ staff: { page } }) => {
  await openScreen(page, "/new-users", "New Users");
  await press(page, "Control+k");
  // At typing speed: some letters arrive before the palette's field is there, some after.
  await page.keyboard.type("somebody with a long name", { delay: 40 });
  await expect(field(page)).toHaveValue("somebody with a long name");
});

test("a search that nobody waits for any more is given up", async ({ staff: { page } }) => {
  await openScreen(page, "/invoices", "Invoices");
  // Never answered.
  await page.route(`**${search.find.path}*`, () => {});
  const asked = (q: string) => page.waitForRequest((request) => request.url().endsWith(`?q=${q}`));
  const givenUp = (q: string) => page.waitForEvent("requestfailed", (request) => request.url().endsWith(`?q=${q}`));
  const [first, firstEnd, second, secondEnd] = [asked("ma"), givenUp("ma"), asked("maren"), givenUp("maren")];
  await find(page, "ma");
  await first;
  await page.keyboard.type("ren");
  await firstEnd;
  await second;
  await press(page, "Escape");
  await secondEnd;
});

test("administrators find codes and accounts, in a new tab too, and staff neither", async ({
  admin: { page, token },
  openAs,
  server: { api },
}) => {
  const { trackings } = await api.call(token, tracking.list, { query: { used: "false" } });
  const code = trackings[0]?.code ?? "";
  const member = await api.addStaff(token);
  const colleague = (await openAs(member)).page;
  await openScreen(page, "/invoices", "Invoices");
  await find(page, member.username);
  // A part of the name has found others too.
  await expect(group(page, "Staff").getByRole("option")).toContainText([member.username]);
  await press(page, "Control+a");
  await page.keyboard.type(code);
  const opened = page.context().waitForEvent("page");
  // Before the answer, as with Enter alone.
  await press(page, "Control+Enter");
  const tab = await opened;
  await expect(tab.getByRole("button", { name: `Delete ${code}` })).toBeVisible();
  await tab.close();

  await openScreen(colleague, "/invoices", "Invoices");
  for (const text of [member.username, code]) {
    await find(colleague, text);
    await expect(colleague.getByText(`Nothing found by “${text}”`)).toBeVisible();
    await expect(group(colleague, "Screens").getByRole("option")).toHaveText([`Users found by “${text}”GU`]);
    await press(colleague, "Control+k");
    await expect(field(colleague)).toBeHidden();
  }
  await find(colleague, "inv");
  await expect(chosen(colleague)).toContainText("Invoices");
  await press(colleague, "Control+a");
  await colleague.keyboard.type("website");
  await expect(group(colleague, "Go to")).toHaveCount(0);
});

test("a late answer is neither shown nor acted on, and a failed search can be tried again", async ({
  staff: { page },
  watch,
}) => {
  watch.expectProblem(/400|Not now/);
  const late = Promise.withResolvers<void>();
  await page.route(`**${search.find.path}?q=north`, async (route) => {
    await late.promise;
    await route.continue().catch(() => {});
  });
  await openScreen(page, "/orders", "Orders");
  const asked = page.waitForRequest(/q=north$/);
  const isLate = (request: Request) => request.url().endsWith("q=north");
  const ended = Promise.race([
    page.waitForEvent("requestfinished", isLate),
    page.waitForEvent("requestfailed", isLate),
  ]);
  await page.getByRole("button", { name: "Search or jump to…" }).click();
  await field(page).fill("north");
  await asked;
  await field(page).fill("oswald");
  await expect(group(page, "Customers")).toContainText("oswald");
  late.resolve();
  await ended;
  await expect(group(page, "Customers")).toContainText("oswald");
  await expect(group(page, "Customers")).not.toContainText("north");

  const failing = Promise.withResolvers<void>();
  await page.route(`**${search.find.path}?q=juniper`, async (route) => {
    await failing.promise;
    await route.fulfill({ status: 400, json: { message: "Not now" } });
  });
  await field(page).fill("juniper");
  // Still those of the previous answer: neither a letter nor Tab and Enter act on that customer.
  await expect(page.getByRole("group", { name: /^Actions for oswald/ })).toBeVisible();
  await press(page, "Alt+d", "Tab", "Enter");
  failing.resolve();
  await expect(page.getByRole("alert")).toContainText("The search failed. Not now");
  await expect(group(page, "Customers")).toHaveCount(0);
  await page.unroute(`**${search.find.path}?q=juniper`);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(group(page, "Customers")).toContainText("juniper");
});

test("the sidebar counts waiting customers, follows a verification, and shows nothing if it cannot count", async ({
  adminToken,
  staff: { page, token },
  server: { api },
  watch,
}) => {
  const { username } = await addCustomer(api, adminToken);
  const { newUsers } = await api.call(token, queues.read, {});
  const entry = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^New Users/ });
  await openScreen(page, `/new-users?search=${username}`, "New Users");
  await expect(entry).toHaveAccessibleName(`New Users, ${newUsers.count} waiting`);
  await page.getByRole("button", { name: `Verify User ${username}` }).click();
  await expect(entry).toHaveAccessibleName(`New Users, ${newUsers.count - 1} waiting`);
  await page.getByRole("button", { name: "Collapse sidebar" }).click();
  await expect(entry).toHaveAccessibleName(`New Users, ${newUsers.count - 1} waiting`);

  watch.expectProblem(/400|Not now/);
  await page.route(`**${queues.read.path}`, (route) => route.fulfill({ status: 400, json: { message: "Not now" } }));
  const answered = page.waitForResponse(`**${queues.read.path}`);
  await page.goto("/orders");
  await answered;
  await expect(entry).toHaveAccessibleName("New Users");
});
