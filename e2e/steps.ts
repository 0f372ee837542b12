import { users } from "@footprint/contract/users.ts";
import { expect, type Page } from "@playwright/test";
import type { Api } from "./api.ts";

/** What tests of several screens do and look at. */
export const rowOf = (page: Page, text: string | RegExp) => page.getByRole("row").filter({ hasText: text });

export const toast = (page: Page, text: string | RegExp) => page.getByRole("alert").filter({ hasText: text });

export async function openScreen(page: Page, address: string, heading: string) {
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
}

/** The screen itself has the focus: where it goes when what had it is gone. */
export const expectFocusOnScreen = (page: Page) => expect(page.getByRole("main")).toBeFocused();

/** A customer of the seed, as it is now. */
export async function customer(api: Api, token: string, username: string) {
  const { users: found } = await api.call(token, users.list, { query: { search: username, limit: 100 } });
  const match = found.find((user) => user.username === username);
  if (!match) throw new Error(`no customer ${username}`);
  return match;
}
