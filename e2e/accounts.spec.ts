import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import type { Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { type Account, type Api, uniqueName } from "./api.ts";
import { expect, test } from "./fixtures.ts";
import { adminAccount } from "./server.ts";
import { drawerOf, openScreen, rowOf, toast } from "./steps.ts";

const codeOf = (secret: string) => TOTP.generate({ secret: Secret.fromBase32(secret) });

async function protect(api: Api, token: string, password: string) {
  const { secret } = await api.call(token, session.beginTwoStep, { body: { password } });
  await api.call(token, session.confirmTwoStep, { body: { code: codeOf(secret) } });
}

async function signIn(page: Page, { username, password }: Account) {
  await page.getByRole("textbox", { name: "Username" }).fill(username);
  await page.getByRole("textbox", { name: "Passcode" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const panelMenu = (page: Page) => page.getByRole("navigation").getByRole("link", { name: "Orders", exact: true });
const openStaff = (page: Page, username: string) => openScreen(page, `/staff?search=${username}`, "Staff Members");

async function choose(page: Page, username: string, act: string) {
  await page.getByRole("button", { name: `More actions for ${username}` }).click();
  await page.getByRole("menuitem", { name: act }).click();
}

test("a colleague who forgot password and phone is back at work with an administrator's help alone", async ({
  page,
  openAs,
  server: { api },
  adminToken,
  watch,
}) => {
  watch.expectProblem(/400|401|the one you were given/);
  const account = await api.addStaff(adminToken);
  await protect(api, await api.signIn(account), account.password);

  const desk = (await openAs(adminAccount)).page;
  await openStaff(desk, account.username);
  await desk.getByRole("button", { name: `Reset two-step sign-in of ${account.username}` }).click();
  await desk.getByRole("dialog").getByRole("button", { name: "Reset", exact: true }).click();
  await expect(toast(desk, `${account.username} signs in with the password alone now`)).toBeVisible();
  await choose(desk, account.username, "Reset password");
  await desk.getByRole("dialog").getByRole("button", { name: "Reset password" }).click();
  const shown = desk.getByRole("dialog", { name: `New password of ${account.username}` });
  const given = (await shown.getByLabel("New password").textContent()) ?? "";
  await expect(shown.getByRole("button", { name: "Copy" })).toBeFocused();
  await desk.keyboard.press("Escape");
  await expect(shown.getByRole("alert")).toContainText("Copy the password first");
  await shown.getByRole("button", { name: "I have passed it on" }).click();
  await expect(rowOf(desk, account.username)).toContainText("New password");

  await page.goto("/orders");
  await signIn(page, { ...account, password: given });
  await expect(page.getByRole("heading", { name: "Choose your password" })).toBeVisible();
  const save = async (password: string) => {
    await page.getByRole("textbox", { name: "New password" }).fill(password);
    await page.getByRole("textbox", { name: "Confirm password" }).fill(password);
    await page.getByRole("textbox", { name: "Confirm password" }).press("Enter");
  };
  await save(given);
  await expect(page.getByRole("alert")).toContainText("Choose another password than the one you were given");
  // After a reload it asks again.
  await page.reload();
  await page.getByRole("textbox", { name: "Password you were given" }).fill(given);
  await save("a sentence of her own");
  await expect(panelMenu(page)).toBeVisible();
  await api.signIn({ ...account, password: "a sentence of her own" });
});

test("an account that is suspended while working is out with its next step, and back when it is resumed", async ({
  admin: { page, token },
  openAs,
  server: { api },
  watch,
}) => {
  watch.expectProblem(/401|403|Sign in to continue|suspended/);
  const account = await api.addStaff(token);
  const colleague = (await openAs(account)).page;
  await openScreen(colleague, "/orders", "Orders");
  await openStaff(page, account.username);
  await choose(page, account.username, "Suspend");
  await page.getByRole("dialog").getByLabel("Reason").fill("Lost her badge");
  await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await expect(rowOf(page, account.username)).toContainText("Suspended");

  await colleague.getByRole("button", { name: "Newest first" }).click();
  await expect(colleague.getByRole("heading", { name: "Sign-In", exact: true })).toBeVisible();
  await signIn(colleague, account);
  await expect(colleague.getByRole("alert")).toHaveText("This account is suspended");

  await rowOf(page, account.username).click();
  await expect(drawerOf(page, "Account")).toContainText("Lost her badge");
  await page.keyboard.press("Escape");
  await expect(drawerOf(page, "Account")).toBeHidden();
  await choose(page, account.username, "Resume");
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("dialog", { name: /^Resume/ })).toBeHidden();
  await expect(rowOf(page, account.username)).not.toContainText("Suspended");
  await colleague.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(panelMenu(colleague)).toBeVisible();
});

test("once two-step sign-in is required, accounts without it set it up before anything else", async ({
  page,
  openAs,
  server: { api, url },
  adminToken,
  watch,
}) => {
  watch.expectProblem(/403|Set up two-step sign-in first/);
  const member = await api.addStaff(adminToken);
  const boss = { username: uniqueName("boss"), password: "a fine secret of theirs" };
  await api.call(adminToken, staff.create, { body: { ...boss, role: "admin" } });
  const token = await api.signIn(boss);
  await protect(api, token, boss.password);
  await page.context().addCookies([{ name: "footprint", value: token, url }]);
  const colleague = (await openAs(member)).page;
  await openScreen(colleague, "/users", "Users");
  try {
    await openScreen(page, "/staff", "Staff Members");
    await page.getByRole("button", { name: "Two-step sign-in", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Required of").selectOption("Everybody");
    await expect(dialog.getByRole("status")).toContainText("have none yet");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("alert")).toHaveText("Two-step sign-in is required of everybody");

    await colleague.getByRole("button", { name: "Newest first" }).click();
    await expect(colleague.getByRole("heading", { name: "Set up two-step sign-in" })).toBeVisible();
    await colleague.getByRole("button", { name: "Set up" }).click();
    const setUp = colleague.getByRole("dialog");
    await setUp.getByRole("textbox", { name: "Password" }).fill(member.password);
    await setUp.getByRole("button", { name: "Continue" }).click();
    const secret = ((await setUp.getByLabel("Key", { exact: true }).textContent()) ?? "").replaceAll(" ", "");
    await setUp.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
    await setUp.getByRole("button", { name: "Turn on" }).click();
    await setUp.getByRole("button", { name: "I have kept them" }).click();
    await expect(colleague.getByRole("heading", { name: "Users", level: 1 })).toBeVisible();
  } finally {
    await api.call(token, staff.updateTwoStepRequired, { body: { twoStepRequired: "nobody" } });
  }
});

test("a sign-in on a new device is announced to the account's other sessions, which can end it", async ({
  openAs,
  server: { api },
  adminToken,
}) => {
  const account = await api.addStaff(adminToken);
  const { page } = await openAs(account);
  await openScreen(page, "/orders", "Orders");
  await expect(page.getByText("New sign-in from")).toHaveCount(0);
  const { accessToken: elsewhere } = await api.call(undefined, session.login, { body: account });
  await page.reload();
  const notice = page.getByRole("status").filter({ hasText: "New sign-in from" });
  await expect(notice).toContainText("127.0.0.1");
  await notice.getByRole("button", { name: "End it" }).click();
  await expect(notice).toHaveCount(0);
  expect(await api.status(elsewhere, session.access, {})).toBe(401);

  await openScreen(page, "/admin-settings", "Account Setting");
  await expect(page.getByRole("region", { name: "Sign-ins" })).toContainText("New device");
  await expect(page.getByRole("region", { name: /^What you did/ })).toContainText("signed out their session");
});

test("administrators see where a colleague is signed in and what they did, sign them out, and change their role", async ({
  admin: { page, token, account: admin },
  server: { api },
}) => {
  const account = await api.addStaff(token);
  const theirs = await api.signIn(account);
  await api.signIn(account);
  await openStaff(page, account.username);
  await rowOf(page, account.username).click();
  const drawer = drawerOf(page, "Account");
  await drawer.getByRole("link", { name: "Sign-ins" }).click();
  await expect(drawer.getByRole("row").filter({ hasText: "Signed in" })).toHaveCount(2);
  await drawer.getByRole("link", { name: "What they did" }).click();
  await expect(drawer.getByRole("listitem").first()).toContainText(`${account.username} signed in`);
  await drawer.getByRole("link", { name: "Sessions" }).click();
  await drawer.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(drawer).toContainText("Signed in nowhere");
  expect(await api.status(theirs, session.access, {})).toBe(401);

  await drawer.getByRole("button", { name: "Close" }).click();
  await choose(page, account.username, "Make administrator");
  await page.getByRole("dialog").getByRole("button", { name: "Make administrator" }).click();
  await expect(rowOf(page, account.username)).toHaveCount(0);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Administrators" }).click();
  await expect(rowOf(page, account.username)).toContainText("admin");
  await page.getByRole("searchbox").fill(admin.username);
  const own = rowOf(page, admin.username).filter({
    has: page.getByRole("button", { name: `Edit ${admin.username}`, exact: true }),
  });
  await expect(own.getByRole("button", { name: /^Delete/ })).toHaveCount(0);
});
