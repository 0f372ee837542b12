import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { type Account, type Api, uniqueName } from "./api.ts";
import { expect } from "./expect.ts";
import { goInPanel } from "./panels.ts";

/** Steps and checks for tests of several screens. */
export const rowOf = (page: Page, text: string | RegExp) => page.getByRole("row").filter({ hasText: text });

export const toast = (page: Page, text: string | RegExp) => page.getByRole("alert").filter({ hasText: text });

/**
 * Does something, and waits for the toast that tells how it went. The page itself looks for it, and from before: a toast
 * leaves after a while, on a machine that stands still for so long before a test has looked.
 */
export async function doToasted(page: Page, text: string, act: () => Promise<unknown>) {
  const isSaid = (text: string) =>
    [...document.querySelectorAll("[role=alert]")].some((alert) => alert.textContent?.includes(text));
  await Promise.all([page.waitForFunction(isSaid, text, { timeout: 30_000 }), act()]);
}

/** Opens an address in the open panel, if there is one. */
export async function open(page: Page, address: string) {
  if (!(await goInPanel(page, address))) await page.goto(address);
}

export async function openScreen(page: Page, address: string, heading: string) {
  await open(page, address);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
}

/** For tests at another time: once loaded, the panel goes by the browser's clock, as if the server's were the same. */
export const withoutServersTime = (page: Page) =>
  page.addInitScript(() => {
    const { get } = Headers.prototype;
    Headers.prototype.get = function (name) {
      return name === "date" ? null : get.call(this, name);
    };
  });

export async function typePassword(page: Page, { username, password }: Account) {
  await page.getByRole("textbox", { name: "Username" }).fill(username);
  await page.getByRole("textbox", { name: "Passcode" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export async function signOut(page: Page) {
  await page.getByRole("button", { name: "Admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign-In", exact: true })).toBeVisible();
}

/**
 * Removes what the screen shows, with an answer that is long on its way: the screen fetches everything again before it
 * arrives, and has to say what it said until it is left.
 */
export async function removeSlowly(page: Page, id: string, remove: () => Promise<void>) {
  const asked: string[] = [];
  const heading = await page.getByRole("heading", { level: 1 }).innerText();
  const removed = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  await page.route(`**/*${id}`, async (route) => {
    if (route.request().method() !== "DELETE") return route.fallback();
    const response = await route.fetch();
    page.on("request", (request) => request.url().includes(id) && asked.push(request.url()));
    removed.resolve();
    await looked.promise;
    await route.fulfill({ response });
  });
  await remove();
  await removed.promise;
  const seen = page.waitForResponse(/unseen/);
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  await seen;
  await expect(page.getByRole("heading", { level: 1, includeHidden: true })).toHaveText(heading);
  looked.resolve();
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText(heading);
  expect(asked).toEqual([]);
}

/** The drawer of details, by what it shows: "Order". */
export const drawerOf = (page: Page, what: string) => page.getByRole("region", { name: new RegExp(`^${what} `) });

/** The current rows are shown, not the previous ones. */
export const expectSettled = (page: Page) => expect(page.locator("[data-stale], [aria-busy=true]")).toHaveCount(0);

/** Goes to another screen by keys at typing speed, whatever the machine's speed. */
export const goByKeys = (page: Page, letter: string) =>
  Promise.all([page.keyboard.press("g"), page.keyboard.press(letter)]);

/** Opens the first row by keys. */
export async function openByKeys(page: Page) {
  await expectSettled(page);
  await page.keyboard.press("j");
  await expect(page.locator("[data-row][aria-current]")).toBeFocused();
  await page.keyboard.press("Enter");
}

/** Goes to a list's search field by its key. */
export async function searchByKey(page: Page) {
  await expect(page.getByRole("searchbox")).toBeVisible();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
}

/** The screen has the focus, which it gets when the focused element is gone. */
export const expectFocusOnScreen = (page: Page) => expect(page.getByRole("main")).toBeFocused();

/** A customer of the seed, as it is now. */
export async function customer(api: Api, token: string, username: string) {
  const { users: found } = await api.call(token, users.list, { query: { search: username, limit: 100 } });
  const match = found.find((user) => user.username === username);
  if (!match) throw new Error(`no customer ${username}`);
  return match;
}

/** A customer that no other test uses, added as by a shop. */
export async function addCustomer(api: Api, adminToken: string) {
  const username = uniqueName("patron");
  const { key } = await api.call(adminToken, website.createApiKey, { body: { name: `shop of ${username}` } });
  const { customer } = await api.call(key, storefront.putCustomer, {
    params: { discordId: username },
    body: { username, email: `${username}@example.com` },
  });
  return { _id: customer._id, username, key };
}

/** Changes a balance by hand, as a colleague would. */
export const credit = (api: Api, token: string, user: { _id: string }, balance: number, reason: string) =>
  api.call(token, users.addBalance, { params: { id: user._id }, body: { balance, reason } });

/** The question before a payment handle changes. */
export const changeQuestion = (page: Page) => page.getByRole("dialog", { name: "Change where customers pay?" });
export const confirmChange = (page: Page) => changeQuestion(page).getByRole("button", { name: "Change it" }).click();
