import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import type { Locator, Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import type { Api } from "./api.ts";
import { expect, testAlone as test } from "./fixtures.ts";
import { openScreen, rowOf, signOut, toast, typePassword } from "./steps.ts";

test.use({ ownSession: true });

/** A code is accepted once: the next one is half a minute ahead, as clocks may be. */
const codeOf = (secret: string, stepsAhead = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + stepsAhead * 30_000 });

const openSettings = (page: Page) => openScreen(page, "/admin-settings", "Account Setting");
const codeField = (page: Page | Locator) => page.getByRole("textbox", { name: "Code", exact: true });
const panelMenu = (page: Page) => page.getByRole("navigation").getByRole("link", { name: "Orders", exact: true });

/** The recovery codes that the dialog shows. */
async function shownCodes(page: Page) {
  const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(10);
  return codes.allTextContents();
}

/** The same through the API, for tests of what comes after. */
async function protect(api: Api, token: string, password: string) {
  const { secret } = await api.call(token, session.beginTwoStep, { body: { password } });
  const { recoveryCodes } = await api.call(token, session.confirmTwoStep, { body: { code: codeOf(secret) } });
  return { secret, recoveryCodes };
}

test("two-step sign-in is turned on, asked for at the next sign-in, and turned off again", async ({
  staff: { page, account },
  server,
  watch,
}) => {
  // The password alone is answered with 401.
  watch.expectProblem(/401/);
  await openSettings(page);
  const panel = page.getByRole("region", { name: "Two-step sign-in" });
  await expect(panel).toContainText("Off");
  await panel.getByRole("button", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Password" }).fill(account.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await expect(codeField(page)).toBeFocused();
  const secret = ((await dialog.getByLabel("Key", { exact: true }).textContent()) ?? "").replaceAll(" ", "");
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  await codeField(page).fill(codeOf(secret));
  await dialog.getByRole("button", { name: "Turn on" }).click();

  const codes = await shownCodes(page);
  const saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  expect((await saved).suggestedFilename()).toBe("footprint-recovery-codes.txt");
  await page.keyboard.press("Escape");
  await expect(dialog.getByRole("alert")).toContainText("Copy or download the codes first");
  await dialog.getByRole("button", { name: "I have kept them" }).click();
  await expect(dialog).toBeHidden();
  await expect(panel).toContainText("10 recovery codes are left");

  await signOut(page);
  await typePassword(page, account);
  await expect(codeField(page)).toBeFocused();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await codeField(page).fill(codeOf(secret, 1));
  await codeField(page).press("Enter");
  await expect(panelMenu(page)).toBeVisible();

  await openSettings(page);
  await panel.getByRole("button", { name: "Turn off" }).click();
  await dialog.getByRole("textbox", { name: "Password" }).fill(account.password);
  await codeField(dialog).fill(codes[0] ?? "");
  await dialog.getByRole("button", { name: "Turn off" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Two-step sign-in is off");
  await expect(dialog).toBeHidden();
  await expect(panel).toContainText("Off");
  await server.api.signIn(account);
});

test("a wrong code is reported at its field; a recovery code works instead; Back leads to the password", async ({
  page,
  server,
  adminToken,
  watch,
}) => {
  watch.expectProblem(/401|The code is wrong/);
  const account = await server.api.addStaff(adminToken);
  const { recoveryCodes } = await protect(server.api, await server.api.signIn(account), account.password);
  await page.goto("/");
  await typePassword(page, account);
  await codeField(page).fill("not a code");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("alert")).toHaveText("The code is wrong or was used before");
  await expect(codeField(page)).toBeFocused();

  await page.getByRole("button", { name: "Back" }).click();
  await expect(page.getByRole("textbox", { name: "Username" })).toHaveValue(account.username);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();

  await expect(codeField(page)).toHaveAttribute("inputmode", "numeric");
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await expect(codeField(page)).toHaveAttribute("inputmode", "text");
  await expect(codeField(page)).toBeFocused();
  await codeField(page).fill(recoveryCodes[3]?.toUpperCase() ?? "");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(panelMenu(page)).toBeVisible();
  await openSettings(page);
  await expect(page.getByText("9 recovery codes are left")).toBeVisible();
});

test("new recovery codes are made with password and code", async ({ staff: { page, account, token }, server }) => {
  const { recoveryCodes } = await protect(server.api, token, account.password);
  await openSettings(page);
  await page.getByRole("button", { name: "New recovery codes" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Password" }).fill(account.password);
  await codeField(dialog).fill(recoveryCodes[0] ?? "");
  await dialog.getByRole("button", { name: "Make new codes" }).click();
  const codes = await shownCodes(page);
  await dialog.getByRole("button", { name: "I have kept them" }).click();
  const signIn = (code: string | undefined) =>
    server.api.status(undefined, session.login, { body: { ...account, code } });
  expect(await signIn(recoveryCodes[1])).toBe(401);
  expect(await signIn(codes[0])).toBe(200);
});

test("a password is changed with a code where two-step sign-in is on", async ({
  staff: { page, account, token },
  server,
  watch,
}) => {
  watch.expectProblem(/400|The code is wrong/);
  const { recoveryCodes } = await protect(server.api, token, account.password);
  const elsewhere = await server.api.call(undefined, session.login, { body: { ...account, code: recoveryCodes[1] } });
  await openSettings(page);
  const change = async (code: string) => {
    await page.getByRole("textbox", { name: "Old password" }).fill(account.password);
    await page.getByRole("textbox", { name: "New password" }).fill("a much better secret");
    await page.getByRole("textbox", { name: "Confirm password" }).fill("a much better secret");
    await codeField(page).fill(code);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await change("not a code");
  await expect(page.getByRole("alert")).toHaveText("The code is wrong or was used before");
  await expect(codeField(page)).toHaveValue("");
  await change(recoveryCodes[0] ?? "");
  await expect(page.getByRole("alert")).toHaveText("Password changed");
  expect(await server.api.status(elsewhere.accessToken, session.access, {})).toBe(401);
  await expect(page.getByText("8 recovery codes are left")).toBeVisible();
});

test("a password is changed with a code also where it is not known whether one is asked for", async ({
  staff: { page, account, token },
  server,
  watch,
}) => {
  watch.expectProblem(/400|503|authenticator|busy/);
  const { recoveryCodes } = await protect(server.api, token, account.password);
  await page.route(`**${session.twoStep.path}`, (route) =>
    route.request().method() === "GET" ? route.fulfill({ status: 503, json: { message: "busy" } }) : route.continue(),
  );
  await openSettings(page);
  const change = async () => {
    await page.getByRole("textbox", { name: "Old password" }).fill(account.password);
    await page.getByRole("textbox", { name: "New password" }).fill("a much better secret");
    await page.getByRole("textbox", { name: "Confirm password" }).fill("a much better secret");
  };
  await change();
  await expect(codeField(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(codeField(page)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Old password" })).toHaveValue("");
  await change();
  await codeField(page).fill(recoveryCodes[0] ?? "");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Password changed" })).toBeVisible();
});

test("turning it off ends the other sessions, and the list shows it", async ({
  staff: { page, account, token },
  server,
}) => {
  const { recoveryCodes } = await protect(server.api, token, account.password);
  await server.api.call(undefined, session.login, { body: { ...account, code: recoveryCodes[1] } });
  await openSettings(page);
  const sessions = page.getByRole("table", { name: "Sessions" });
  await expect(sessions.getByRole("row")).toHaveCount(3);
  await page.getByRole("button", { name: "Turn off" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Password" }).fill(account.password);
  await codeField(dialog).fill(recoveryCodes[0] ?? "");
  await dialog.getByRole("button", { name: "Turn off" }).click();
  await expect(dialog).toBeHidden();
  await expect(sessions.getByRole("row")).toHaveCount(2);
});

test("a wrong password gets no secret, and the dialog stays", async ({ staff: { page }, watch }) => {
  watch.expectProblem(/400/);
  await openSettings(page);
  await page.getByRole("button", { name: "Turn on" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Password" }).fill("not the password");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The password is wrong");
  await expect(dialog.getByRole("img", { name: "QR code" })).toHaveCount(0);
});

test("an administrator sees who has it and resets it after a question", async ({
  admin: { page, token },
  server,
  adminToken,
}) => {
  const account = await server.api.addStaff(adminToken);
  const theirs = await server.api.signIn(account);
  await protect(server.api, theirs, account.password);
  await openScreen(page, `/staff?search=${account.username}`, "Staff Members");
  const reset = page.getByRole("button", { name: `Reset two-step sign-in of ${account.username}` });
  await reset.click();
  const question = page.getByRole("dialog");
  await expect(question).toContainText(`${account.username} is signed out at once`);
  await question.getByRole("button", { name: "Cancel" }).click();
  await reset.click();
  await question.getByRole("button", { name: "Reset", exact: true }).click();
  await expect(toast(page, `${account.username} signs in with the password alone now`)).toBeVisible();
  await expect(reset).toHaveCount(0);
  const { staff: found } = await server.api.call(token, staff.list, { query: { search: account.username } });
  expect(found).toMatchObject([{ twoStep: false }]);
  expect(await server.api.status(theirs, session.access, {})).toBe(401);
  await server.api.signIn(account);
});

test("a session elsewhere is signed out from the list, and is thrown out with its next step", async ({
  staff: { page, account },
  openAs,
  watch,
}) => {
  watch.expectProblem(/401|Sign in to continue/);
  await page.goto("/");
  await signOut(page);
  await typePassword(page, account);
  await expect(panelMenu(page)).toBeVisible();
  const elsewhere = await openAs(account);
  await openSettings(elsewhere.page);

  await openSettings(page);
  const sessions = page.getByRole("table", { name: "Sessions" });
  await expect(sessions.getByRole("row")).toHaveCount(3);
  await expect(rowOf(page, "This session")).toContainText(/Chrome on \w+.*127\.0\.0\.1/);
  await expect(rowOf(page, "This session").getByRole("button")).toHaveCount(0);
  await sessions.getByRole("button", { name: /^Sign out/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(toast(page, "Session signed out")).toBeVisible();
  await expect(sessions.getByRole("row")).toHaveCount(2);

  await elsewhere.page.reload();
  await expect(elsewhere.page.getByRole("heading", { name: "Sign-In", exact: true })).toBeVisible();
  await expect(panelMenu(page)).toBeVisible();
});
