import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import type { Page, Route } from "@playwright/test";
import type { Account } from "./api.ts";
import { expect, testAlone as test } from "./fixtures.ts";
import { adminAccount } from "./server.ts";

test.use({ ownSession: true });

const signInTitle = (page: Page) => page.getByRole("heading", { name: "Sign-In", exact: true });
const panelMenu = (page: Page) => page.getByRole("navigation").getByRole("link", { name: "Orders", exact: true });
const passcode = (page: Page) => page.getByRole("textbox", { name: "Passcode" });

async function signIn(page: Page, { username, password }: { username: string; password: string }) {
  await page.getByRole("textbox", { name: "Username" }).fill(username);
  await passcode(page).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function cookieOf(page: Page) {
  return (await page.context().cookies()).find((cookie) => cookie.name === "footprint");
}

// While it lasts, a sign-in on a new device is announced on the administrator's other pages, those of other tests.
test.afterAll(async ({ server: { api }, adminToken }) => {
  const { sessions } = await api.call(adminToken, session.sessions, {});
  for (const { _id: id, current } of sessions)
    if (!current) await api.call(adminToken, session.endSession, { params: { id } });
});

test("a stranger sees Sign-In on any path", async ({ page }) => {
  for (const path of ["/", "/orders", "/staff", "/users/someone", "/no-such-page"]) {
    await page.goto(path);
    await expect(signInTitle(page)).toBeVisible();
    await expect(page.getByRole("navigation")).toHaveCount(0);
  }
});

test("signing in stores the token in the cookie footprint and goes to the root", async ({ page, server }) => {
  await page.goto("/staff");
  await signIn(page, adminAccount);
  await expect(panelMenu(page)).toBeVisible();
  await expect(page).toHaveURL(`${server.url}/`);

  const cookie = await cookieOf(page);
  expect(cookie?.path).toBe("/");
  expect(await server.api.call(cookie?.value, session.access, {})).toMatchObject({ role: "admin" });
});

test("a reload keeps the session", async ({ admin: { page } }) => {
  await page.goto("/staff");
  await expect(page.getByRole("heading", { name: "Staff Members" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Staff Members" })).toBeVisible();
});

test("a wrong password is said inside the form and nothing is stored", async ({ page, watch, server, adminToken }) => {
  watch.expectProblem(/401|Wrong username or password/);
  const account = await server.api.addStaff(adminToken);
  await page.goto("/");
  await signIn(page, { ...account, password: "not the password" });
  await expect(page.getByRole("alert")).toHaveText("Wrong username or password");
  await expect(signInTitle(page)).toBeVisible();
  expect(await cookieOf(page)).toBeUndefined();

  await passcode(page).fill(account.password);
  await passcode(page).press("Enter");
  await expect(panelMenu(page)).toBeVisible();
});

test("what Sign-In says about a failure goes after three seconds", async ({
  page,
  watch,
  server,
  adminToken,
  stopClock,
}) => {
  watch.expectProblem(/401|Wrong username or password/);
  const account = await server.api.addStaff(adminToken);
  await page.clock.install();
  await page.goto("/");
  await expect(signInTitle(page)).toBeVisible();
  await stopClock();
  await signIn(page, { ...account, password: "not the password" });
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText("Wrong username or password");
  await page.clock.runFor(2900);
  await expect(alert).toBeVisible();
  await page.clock.runFor(200);
  await expect(alert).toBeHidden();
});

test("after five wrong passwords the form says to wait", async ({ page, watch, server, adminToken }) => {
  watch.expectProblem(/429|Too many tries/);
  const account = await server.api.addStaff(adminToken);
  const wrong = { body: { ...account, password: "not the password" } };
  for (let tries = 0; tries < 5; tries++) await server.api.status(undefined, session.login, wrong);
  await page.goto("/");
  await signIn(page, account);
  await expect(page.getByRole("alert")).toContainText("Too many tries");
});

test("a browser that signed in before is not kept waiting by somebody else's guesses", async ({
  page,
  openAs,
  watch,
  server,
  adminToken,
}) => {
  watch.expectProblem(/429|Too many tries/);
  const account = await server.api.addStaff(adminToken);
  await page.goto("/");
  await signIn(page, account);
  await expect(panelMenu(page)).toBeVisible();
  const { page: other } = await openAs(account);
  await other.context().clearCookies();

  const wrong = { body: { ...account, password: "not the password" } };
  for (let tries = 0; tries < 6; tries++) await server.api.status(undefined, session.login, wrong);
  await other.goto("/");
  await signIn(other, account);
  await expect(other.getByRole("alert")).toContainText("Too many tries");

  await page.getByRole("button", { name: "Admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await signIn(page, account);
  await expect(panelMenu(page)).toBeVisible();
  await page.goto("/admin-settings");
  await expect(page.getByText("5 failed sign-ins before you signed in")).toBeVisible();
});

test("while strangers have to wait, the form says so and takes a code", async ({ page, watch, server }) => {
  watch.expectProblem(/429|Too many failed/);
  const message = "Too many failed sign-ins. Wait 60 seconds, or enter a code.";
  await page.route(`**${session.login.path}`, (route) =>
    route.fulfill({ status: 429, json: { message, codeRequired: true } }),
  );
  await page.goto("/");
  await signIn(page, adminAccount);
  await expect(page.getByRole("alert")).toHaveText(message);
  await page.getByRole("textbox", { name: "Code", exact: true }).fill("123456");
  await page.unroute(`**${session.login.path}`);
  const sent = page.waitForRequest(server.url + session.login.path);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({ ...adminAccount, code: "123456" });
  await expect(panelMenu(page)).toBeVisible();
});

test("the passcode can be shown and hidden", async ({ page }) => {
  await page.goto("/");
  await passcode(page).fill("correct horse");
  await expect(passcode(page)).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: /show or hide/i }).click();
  await expect(passcode(page)).toHaveAttribute("type", "text");
  await page.getByRole("button", { name: /show or hide/i }).click();
  await expect(passcode(page)).toHaveAttribute("type", "password");
});

/** Calls under way when the session ends are refused. */
const lateCall = /401|Sign in to continue/;

test("signing out reloads to Sign-In, and the token is dead on the server", async ({
  staff: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(lateCall);
  await page.goto("/orders");
  await page.evaluate(() => {
    document.documentElement.dataset.before = "reload";
  });
  await page.getByRole("button", { name: "Admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(signInTitle(page)).toBeVisible();
  await expect(page.locator("html")).not.toHaveAttribute("data-before");
  expect(await cookieOf(page)).toBeUndefined();
  await expect.poll(() => server.api.status(token, session.access, {})).toBe(401);
});

for (const [what, answer] of [
  ["does not answer", () => {}],
  ["cannot be reached", (route: Route) => route.abort()],
  ["fails", (route: Route) => route.fulfill({ status: 500, json: { message: "Something went wrong" } })],
] as const) {
  test(`signing out removes the cookie and reloads at once, also when the server ${what}`, async ({
    staff: { page },
    watch,
  }) => {
    watch.expectProblem(/Failed to load resource|Cannot reach the server|went wrong/);
    watch.expectProblem(lateCall);
    await page.route(`**${session.logout.path}`, answer);
    await page.goto("/orders");
    await page.getByRole("button", { name: "Admin" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect(signInTitle(page)).toBeVisible();
    expect(await cookieOf(page)).toBeUndefined();
  });
}

test("a session that ended elsewhere leads to Sign-In at the root with the next call", async ({
  admin: { page, token },
  server,
  watch,
}) => {
  watch.expectProblem(/401|Sign in to continue/);
  const lastAnswer = page.waitForResponse(`**${session.sessions.path}`);
  await page.goto("/staff");
  await expect(page.getByRole("heading", { name: "Staff Members" })).toBeVisible();
  // The screen's own calls must be answered first, or one of them is the next call.
  await expect(page.getByText(/^Page 1 of/)).toBeVisible();
  await lastAnswer;
  await server.api.call(token, session.logout, {});
  await page.getByRole("searchbox").fill("anyone");
  await expect(signInTitle(page)).toBeVisible();
  await expect(page).toHaveURL(`${server.url}/`);
  expect(await cookieOf(page)).toBeUndefined();
  const told = page.getByText("Your session has ended.");
  await expect(told).toBeVisible();
  await page.reload();
  await expect(signInTitle(page)).toBeVisible();
  await expect(told).toHaveCount(0);
});

test("a tab whose session was ended in another one shows Sign-In when it is looked at", async ({
  staff: { page },
  context,
  watch,
}) => {
  // A list that refreshes at that moment is refused, which leads to Sign-In too.
  watch.expectProblem(/401|Sign in to continue/);
  await page.goto("/orders");
  await expect(page.getByText(/^Page 1 of/)).toBeVisible();
  const other = await context.newPage();
  await other.goto("/users");
  await other.getByRole("button", { name: "Admin" }).click();
  await other.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(signInTitle(other)).toBeVisible();
  await expect(other.getByRole("status")).toHaveCount(0);

  // Only the front tab is used. Coming to the front may already be enough, and the page on its way.
  await page.bringToFront();
  await lookAt(page).catch(() => {});
  await expect(signInTitle(page)).toBeVisible();
});

test("a tab adopts a sign-in from another one, and keeps its form if it is the same account", async ({
  admin: { page, account },
  context,
  server,
  adminToken,
}) => {
  const become = async (who: Account) =>
    context.addCookies([{ name: "footprint", value: await server.api.signIn(who), url: server.url }]);
  await page.goto("/admin-settings");
  const field = page.getByRole("textbox", { name: "Old password" });
  await field.fill("half typed");

  await become(account);
  const answered = page.waitForResponse((response) => response.url().endsWith(session.access.path));
  await lookAt(page);
  await answered;
  await expect(field).toHaveValue("half typed");

  const member = await server.api.addStaff(adminToken);
  await become(member);
  await lookAt(page);
  await expect(field).toHaveValue("");
  await page.getByRole("button", { name: "Admin" }).click();
  await expect(page.getByText(`Signed in as ${member.username} (staff)`)).toBeVisible();
});

/** As a browser tells a page that its tab was chosen. */
const lookAt = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event("focus")));

test("a cookie that is worth nothing leads to Sign-In", async ({ page, context, server, watch }) => {
  watch.expectProblem(/401/);
  await context.addCookies([{ name: "footprint", value: "x".repeat(43), url: server.url }]);
  await page.goto("/staff");
  await expect(signInTitle(page)).toBeVisible();
  expect(await cookieOf(page)).toBeUndefined();
});

async function changePassword(page: Page, old: string, next: string, confirmed = next) {
  await page.getByRole("textbox", { name: "Old password" }).fill(old);
  await page.getByRole("textbox", { name: "New password" }).fill(next);
  await page.getByRole("textbox", { name: "Confirm password" }).fill(confirmed);
  await page.getByRole("button", { name: "Change password" }).click();
}

test("new passwords that differ are not sent: Passwords do not match, for three seconds", async ({
  staff: { page, account },
  stopClock,
}) => {
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") sent += 1;
  });
  await page.clock.install();
  await page.goto("/admin-settings");
  await expect(page.getByRole("heading", { name: "Account Setting" })).toBeVisible();
  await stopClock();
  await changePassword(page, account.password, "a much better secret", "a much better secre");
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText("Passwords do not match");
  await page.clock.runFor(2900);
  await expect(alert).toBeVisible();
  await page.clock.runFor(200);
  await expect(alert).toBeHidden();
  expect(sent).toBe(0);
});

test("a changed password is confirmed, the form resets after three seconds, other sessions end", async ({
  staff: { page, account },
  server,
  stopClock,
}) => {
  const elsewhere = await server.api.signIn(account);
  await page.clock.install();
  await page.goto("/admin-settings");
  await expect(page.getByRole("heading", { name: "Account Setting" })).toBeVisible();
  await stopClock();
  await changePassword(page, account.password, "a much better secret");
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText("Password changed");
  await page.clock.runFor(2900);
  await expect(alert).toBeVisible();
  await expect(page.getByRole("textbox", { name: "New password" })).not.toHaveValue("");
  await page.clock.runFor(200);
  await expect(alert).toBeHidden();
  for (const name of ["Old password", "New password", "Confirm password"]) {
    await expect(page.getByRole("textbox", { name })).toHaveValue("");
  }

  expect(await server.api.status(elsewhere, session.access, {})).toBe(401);
  expect(await server.api.status(undefined, session.login, { body: account })).toBe(401);
  await server.api.signIn({ ...account, password: "a much better secret" });
  await page.clock.resume();
  await page.reload();
  await expect(panelMenu(page)).toBeVisible();
});

test("a wrong old password is said in the form, which resets too, and nobody is thrown out", async ({
  staff: { page },
  watch,
  stopClock,
}) => {
  watch.expectProblem(/400/);
  await page.clock.install();
  await page.goto("/admin-settings");
  await expect(page.getByRole("heading", { name: "Account Setting" })).toBeVisible();
  await stopClock();
  await changePassword(page, "not the password", "a much better secret");
  await expect(page.getByRole("alert")).toHaveText("The old password is wrong");
  await page.clock.runFor(3100);
  await expect(page.getByRole("alert")).toBeHidden();
  await expect(page.getByRole("textbox", { name: "Old password" })).toHaveValue("");
  await expect(panelMenu(page)).toBeVisible();
});

test("while the server cannot be reached, Sign-In says so and works once it is back", async ({ page, watch }) => {
  watch.expectProblem(/Failed to load resource|Cannot reach the server/);
  await page.goto("/");
  await page.route("**/api/**", (route) => route.abort());
  await signIn(page, adminAccount);
  await expect(page.getByRole("alert")).toContainText("Cannot reach the server");
  await page.unroute("**/api/**");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(panelMenu(page)).toBeVisible();
});

for (const [what, path, answer] of [
  ["nothing at the sign-in", session.login.path, "null"],
  ["an empty object at the sign-in", session.login.path, "{}"],
  ["an empty object at the check", session.access.path, "{}"],
] as const) {
  test(`a server that answers with ${what} is said to be unreadable`, async ({ page, watch }) => {
    watch.expectProblem(/cannot be read/);
    await page.goto("/");
    await page.route(`**${path}`, (route) => route.fulfill({ contentType: "application/json", body: answer }));
    await signIn(page, adminAccount);
    await expect(page.getByRole("alert")).toContainText("The server's answer cannot be read. Try again in a moment.");
    await expect(signInTitle(page)).toBeVisible();
    await expect(page.locator("body")).not.toBeFocused();
  });
}

const away = [
  ["is away", "Cannot reach the server.", (route: Route) => route.abort()],
  ["fails", "It broke", (route: Route) => route.fulfill({ status: 500, json: { message: "It broke" } })],
  ["is busy", "Too much to do", (route: Route) => route.fulfill({ status: 503, json: { message: "Too much to do" } })],
] as const;
for (const [what, message, answer] of away) {
  test(`a server that ${what} shows Sign-In with the reason, and Retry goes on with the session once it is back`, async ({
    admin: { page },
    watch,
  }) => {
    watch.expectProblem(/Failed to load resource|Cannot reach the server|It broke|Too much to do/);
    // A window that gets the focus makes calls by itself, and could be quicker than the click.
    await page.addInitScript(() => window.addEventListener("focus", (event) => event.stopImmediatePropagation()));
    let answers = 0;
    await page.route(`**${session.access.path}`, async (route) => {
      await answer(route);
      answers++;
    });
    await page.goto("/staff");
    await expect(signInTitle(page)).toBeVisible();
    await expect(page.getByRole("alert")).toContainText(message);
    await expect(passcode(page)).toBeVisible();
    const isWritten = (problem: string) => problem.startsWith("console: ApiError") && problem.includes(message);
    await expect.poll(() => watch.problems.some(isWritten)).toBe(true);
    const before = answers;
    await page.getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => answers).toBeGreaterThan(before);
    await expect(page.getByRole("alert")).toContainText(message);
    expect(await cookieOf(page)).toBeDefined();

    await page.unroute(`**${session.access.path}`);
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("heading", { name: "Staff Members" })).toBeVisible();
  });
}

test("a session that could not be checked continues by itself once the server is back", async ({
  admin: { page },
  watch,
}) => {
  watch.expectProblem(/503|Too much to do/);
  await page.route(`**${session.access.path}`, (route) =>
    route.fulfill({ status: 503, json: { message: "Too much to do" } }),
  );
  await page.goto("/staff");
  await expect(page.getByRole("alert")).toContainText("Too much to do");
  await page.getByRole("textbox", { name: "Username" }).fill("half typed");
  const asked = page.waitForResponse(`**${session.access.path}`);
  await lookAt(page);
  await asked;
  await expect(page.getByRole("textbox", { name: "Username" })).toHaveValue("half typed");

  await page.unroute(`**${session.access.path}`);
  await lookAt(page);
  await expect(page.getByRole("heading", { name: "Staff Members" })).toBeVisible();
});

test("somebody else can sign in while a session cannot be checked", async ({
  admin: { page },
  watch,
  server,
  adminToken,
}) => {
  watch.expectProblem(/503|Too much to do/);
  const account = await server.api.addStaff(adminToken);
  await page.route(
    `**${session.access.path}`,
    (route) => route.fulfill({ status: 503, json: { message: "Too much to do" } }),
    { times: 1 },
  );
  await page.goto("/staff");
  await expect(page.getByRole("alert")).toContainText("Too much to do");
  await signIn(page, account);
  await page.getByRole("button", { name: "Admin" }).click();
  await expect(page.getByText(`Signed in as ${account.username} (staff)`)).toBeVisible();
});

test("a list that cannot be loaded says why and offers Retry", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/503|does not answer/);
  await page.route(`**${staff.list.path}*`, (route) =>
    route.fulfill({ status: 503, json: { message: "The database does not answer at the moment. Try again shortly." } }),
  );
  await page.goto("/staff");
  await expect(page.getByText("The database does not answer at the moment.")).toBeVisible();
  await page.unroute(`**${staff.list.path}*`);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("button", { name: "Retry" })).toHaveCount(0);
});
