import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import type { Page } from "@playwright/test";
import { type Api, apiOf, uniqueName } from "./api.ts";
import { expect, test, testAlone } from "./fixtures.ts";
import { adminAccount, startSeededServer } from "./server.ts";
import { openScreen, rowOf, toast } from "./steps.ts";

const openStaff = (page: Page, address = "/staff") => openScreen(page, address, "Staff Members");

async function find(page: Page, username: string) {
  await page.getByRole("searchbox").fill(username);
  await expect(page).toHaveURL(new RegExp(`search=${username}`));
}

const accountsNamed = async (api: Api, token: string, search: string) =>
  (await api.call(token, staff.list, { query: { search } })).staff;

testAlone(
  "a created account is in the list and can sign in; the dialog closes two seconds after",
  async ({ admin: { page, token }, server, stopClock }) => {
    const username = uniqueName("maren");
    await page.clock.install();
    await openStaff(page);
    await page.getByRole("button", { name: "Create staff" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Username" }).fill(username);
    await dialog.getByRole("textbox", { name: "Password" }).fill("a fine secret");
    await stopClock();
    await dialog.getByRole("button", { name: "Create" }).click();

    await expect(dialog.getByRole("alert")).toHaveText(`Staff account ${username} created`);
    await page.clock.runFor(1900);
    await expect(dialog).toBeVisible();
    await page.clock.runFor(200);
    await expect(dialog).toBeHidden();
    // A timer draws the list again.
    await page.clock.resume();
    await expect(rowOf(page, username)).toBeVisible();

    expect(await accountsNamed(server.api, token, username)).toMatchObject([{ username, role: "staff" }]);
    await server.api.signIn({ username, password: "a fine secret" });
  },
);

test("a double click on Create makes one account", async ({ admin: { page } }) => {
  const username = uniqueName("twice");
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().endsWith(staff.create.path)) sent += 1;
  });
  await openStaff(page);
  await page.getByRole("button", { name: "Create staff" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Username" }).fill(username);
  await dialog.getByRole("textbox", { name: "Password" }).fill("a fine secret");
  await dialog.getByRole("button", { name: "Create" }).dblclick();
  await expect(dialog.getByRole("alert")).toHaveText(`Staff account ${username} created`);
  await expect(dialog).toBeHidden();
  expect(sent).toBe(1);
});

test("a refused account stays in the form with the server's message", async ({
  admin: { page },
  server,
  adminToken,
  watch,
}) => {
  watch.expectProblem(/409|taken/);
  const taken = await server.api.addStaff(adminToken);
  await openStaff(page);
  await page.getByRole("button", { name: "Create staff" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Username" }).fill(taken.username.toUpperCase());
  await dialog.getByRole("textbox", { name: "Password" }).fill("a fine secret");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`The username ${taken.username.toUpperCase()} is taken`);
  await expect(dialog.getByRole("textbox", { name: "Username" })).toHaveValue(taken.username.toUpperCase());
});

test("username, chat id and notifications of an account are edited", async ({ admin: { page, token }, server }) => {
  const { username } = await server.api.addStaff(token);
  const renamed = uniqueName("renamed");
  await openStaff(page);
  await find(page, username);
  await rowOf(page, username).getByRole("button", { name: /^Edit/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("textbox", { name: "Username" })).toHaveValue(username);
  await dialog.getByRole("textbox", { name: "Username" }).fill(renamed);
  await dialog.getByRole("textbox", { name: "Chat id" }).fill("4711");
  await dialog.getByRole("switch", { name: /Notification/ }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`Staff account ${renamed} saved`);
  await expect(dialog).toBeHidden();
  expect(await accountsNamed(server.api, token, renamed)).toMatchObject([
    { username: renamed, chatId: "4711", notificationAccess: true },
  ]);
});

test("what an account is sent messages about and its quiet hours are chosen; a test is offered once a bot is set up", async ({
  admin: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/400/);
  const { username } = await server.api.addStaff(token);
  await openStaff(page);
  await find(page, username);
  await rowOf(page, username).getByRole("button", { name: /^Edit/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("CHAT_PROVIDER");
  await expect(dialog.getByRole("group", { name: "Quiet hours" })).toBeHidden();
  await dialog.getByRole("textbox", { name: "Chat id" }).fill("4711");
  await dialog.getByRole("switch", { name: "Notification access" }).click();
  await expect(dialog.getByRole("checkbox")).toHaveCount(3);
  await dialog.getByRole("checkbox", { name: "New Fedex orders" }).click();
  await dialog.getByLabel("From").fill("22:00");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toContainText("Give a time such as 22:00");
  await dialog.getByLabel("To", { exact: true }).fill("07:00");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(`Staff account ${username} saved`);
  await expect(dialog).toBeHidden();
  expect(await accountsNamed(server.api, token, username)).toMatchObject([
    {
      notificationAccess: true,
      messageKinds: ["newcomers", "invoices"],
      quietHours: { from: "22:00", to: "07:00" },
    },
  ]);

  await rowOf(page, username).getByText(username).click();
  const details = page.locator("[data-drawer]");
  await details.getByRole("link", { name: "Messages" }).click();
  await expect(details).toContainText("New customers, New invoices");
  await expect(details).toContainText("22:00 to 07:00");
  await expect(details.getByRole("button", { name: "Send test message" })).toBeDisabled();
  await expect(details).toContainText("None yet");
});

test("a test message is sent through the bot, and the provider's own answer is shown", async ({ browser }) => {
  const provider = createServer((request, response) => {
    request.resume();
    response.writeHead(400).end('{"ok":false,"description":"Bad Request: chat not found"}');
  });
  await once(provider.listen(0, "127.0.0.1"), "listening");
  const { port } = provider.address() as AddressInfo;
  const server = await startSeededServer({
    CHAT_PROVIDER: "telegram",
    CHAT_TOKEN: "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
    CHAT_API: `http://127.0.0.1:${port}`,
  });
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1440, height: 900 } });
  try {
    const api = apiOf(server.url);
    const token = await api.signIn(adminAccount);
    const { username } = await api.addStaff(token);
    const [member] = await accountsNamed(api, token, username);
    const id = member?._id ?? "";
    await api.call(token, staff.update, { params: { id }, body: { chatId: "4711" } });
    await context.addCookies([{ name: "footprint", value: token, url: server.url }]);
    const page = await context.newPage();
    await page.goto(`/staff?view=${id}&tab=messages`);
    const details = page.locator("[data-drawer]");
    await expect(details).toContainText("@userinfobot");
    await details.getByRole("button", { name: "Send test message" }).click();
    await expect(details.getByRole("status").filter({ hasText: "not sent" })).toContainText(
      "Bad Request: chat not found",
    );
    await expect(details.getByRole("region", { name: "Last messages" })).toContainText("Not sent");
  } finally {
    await context.close();
    await server.stop();
    provider.close();
  }
});

test("deleting asks first, says so in a toast, and throws the person out with their next step", async ({
  admin: { page, token },
  server,
  openAs,
  watch,
}) => {
  watch.expectProblem(/401|Sign in to continue/);
  const account = await server.api.addStaff(token);
  const colleague = await openAs(account);
  await colleague.page.goto("/admin-settings");
  await expect(colleague.page.getByRole("heading", { name: "Account Setting" })).toBeVisible();

  await openStaff(page);
  await find(page, account.username);
  await rowOf(page, account.username)
    .getByRole("button", { name: /^Delete/ })
    .click();
  const question = page.getByRole("dialog");
  await expect(question).toContainText(account.username);
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  expect(await accountsNamed(server.api, token, account.username)).toHaveLength(1);

  await rowOf(page, account.username)
    .getByRole("button", { name: /^Delete/ })
    .click();
  await question.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(toast(page, `Staff account ${account.username} deleted`)).toBeVisible();
  await expect(rowOf(page, account.username)).toHaveCount(0);

  await colleague.page.getByRole("textbox", { name: "Old password" }).fill(account.password);
  await colleague.page.getByRole("textbox", { name: "New password" }).fill("a much better secret");
  await colleague.page.getByRole("textbox", { name: "Confirm password" }).fill("a much better secret");
  await colleague.page.getByRole("button", { name: "Change password" }).click();
  await expect(colleague.page.getByRole("heading", { name: "Sign-In", exact: true })).toBeVisible();
});

test("the list can be seen as a grid, and stays one after a reload", async ({ admin: { page, token }, server }) => {
  const { username } = await server.api.addStaff(token);
  await openStaff(page, `/staff?search=${username}`);
  await expect(rowOf(page, username)).toBeVisible();
  await page.getByText("Grid", { exact: true }).click();
  await expect(page.getByRole("table")).toHaveCount(0);
  await expect(page.getByText(username, { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByText(username, { exact: true })).toBeVisible();
  await expect(page.getByRole("table")).toHaveCount(0);
  await page.getByText("List", { exact: true }).click();
  await expect(rowOf(page, username)).toBeVisible();
});

test("search and page live in the address: reload and Back show the same list", async ({
  admin: { page, token },
  server,
}) => {
  const group = uniqueName("crew");
  const names = Array.from({ length: 12 }, (_, index) => `${group}.${String(index + 1).padStart(2, "0")}`);
  for (const name of names) await server.api.addStaff(token, name);
  const shown = rowOf(page, group);

  await openStaff(page);
  await find(page, group);
  await expect(shown).toHaveCount(10);
  await expect(shown.first()).toContainText(`${group}.12`);
  await expect(page.getByRole("button", { name: "Prev" })).toBeDisabled();

  await page.getByRole("button", { name: "Next" }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect(shown).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Next" })).toBeDisabled();

  await page.reload();
  await expect(shown).toHaveCount(2);
  await expect(page.getByRole("searchbox")).toHaveValue(group);

  await page.goBack();
  await expect(shown).toHaveCount(10);
  await page.goForward();
  await expect(shown).toHaveCount(2);

  await find(page, names[4] ?? "");
  await expect(page).not.toHaveURL(/page=/);
  await expect(shown).toHaveCount(1);
});

test("a search without a match says so", async ({ admin: { page } }) => {
  await openStaff(page, "/staff?search=no-such-person");
  await expect(page.getByText("Nothing found")).toBeVisible();
  await page.getByRole("button", { name: "Clear search" }).last().click();
  await expect(page).not.toHaveURL(/search=/);
});

test("a late answer never overwrites a newer one", async ({ admin: { page, token }, server }) => {
  const slow = await server.api.addStaff(token, uniqueName("slow"));
  const quick = await server.api.addStaff(token, uniqueName("quick"));
  const late = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const asked = page.waitForRequest(`**${staff.list.path}?*search=${slow.username}*`);
  await page.route(`**${staff.list.path}?*search=${slow.username}*`, async (route) => {
    await late.promise;
    // The panel may have cancelled the request by now.
    await route.continue().catch(() => {});
    answered.resolve();
  });
  await openStaff(page);
  await find(page, slow.username);
  await asked;
  await find(page, quick.username);
  await expect(rowOf(page, quick.username)).toBeVisible();
  late.resolve();
  await answered.promise;
  await expect(rowOf(page, quick.username)).toBeVisible();
  await expect(rowOf(page, slow.username)).toHaveCount(0);
});

test("an account that somebody guesses at is marked, and named above the list", async ({
  admin: { page, token },
  server: { api },
}) => {
  const account = await api.addStaff(token);
  const wrong = { body: { ...account, password: "not the password" } };
  for (let tries = 0; tries < 5; tries++) await api.status(undefined, session.login, wrong);
  await openStaff(page, `/staff?search=${account.username}`);
  await expect(rowOf(page, account.username)).toContainText("5 failed sign-ins");
  const notice = page.getByRole("status").filter({ hasText: "Somebody may be guessing passwords" });
  await expect(notice).toContainText(`5 failed sign-ins as ${account.username} from 1 address in the last hour`);
  await notice.getByRole("link", { name: account.username }).click();
  await expect(rowOf(page, `1 failed sign-in as ${account.username} from 1 address`)).toBeVisible();
});

test("a name of the program's own is refused at its field", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/400/);
  await openStaff(page);
  await page.getByRole("button", { name: "Create staff" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Username" }).fill("System");
  await dialog.getByRole("textbox", { name: "Password" }).fill("a fine secret");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByRole("alert")).toContainText("The name System is the program's own");
});

test("where a staff account is edited, its history tells who changed what", async ({
  admin: { page, token, account },
  server: { api },
}) => {
  const { username } = await api.addStaff(token);
  const [member] = (await api.call(token, staff.list, { query: { search: username } })).staff;
  const body = { username, chatId: "4711", notificationAccess: false };
  await api.call(token, staff.update, { params: { id: member?._id ?? "" }, body });
  await openStaff(page, `/staff?search=${username}`);
  await page.getByRole("button", { name: `Edit ${username}` }).click();
  await page.getByRole("button", { name: `History of ${username}` }).click();
  const history = page.getByRole("dialog", { name: `History of ${username}` });
  const entries = history.getByRole("listitem");
  await expect(entries).toContainText([`Changed staff account ${username}`, `Created staff account ${username}`]);
  await expect(entries.first()).toContainText(account.username);
  await expect(entries.first().getByRole("row", { name: "Chat id" })).toContainText("–4711");
  await page.keyboard.press("Escape");
  await expect(history).toBeHidden();
  await expect(page.getByRole("dialog", { name: `Edit ${username}` })).toBeVisible();
});
