import { passkeys } from "@footprint/contract/passkeys.ts";
import { session } from "@footprint/contract/session.ts";
import type { Page } from "@playwright/test";
import { expect, testAlone as test } from "./fixtures.ts";
import { openScreen, signOut, toast, typePassword } from "./steps.ts";

/**
 * Browsers allow passkeys by name only. As localhost the panel calls port 7400, so these calls are sent to this test's
 * server.
 */
async function openByName(page: Page, serverUrl: string) {
  const url = serverUrl.replace("127.0.0.1", "localhost");
  await page.route("http://localhost:7400/**", (route) =>
    route.continue({ url: route.request().url().replace("http://localhost:7400", url) }),
  );
  await page.goto(url);
  return url;
}

/** A device with passkeys whose owner always confirms. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test("a passkey is added where a second step is required, signs in alone and after the password, confirms, and once removed opens nothing", async ({
  page,
  server,
  adminToken,
  watch,
}) => {
  watch.expectProblem(/outside host: http:\/\/localhost|401|403|This passkey is not known/);
  const account = await server.api.addStaff(adminToken);
  await addAuthenticator(page);
  const url = await openByName(page, server.url);
  const panelMenu = page.getByRole("navigation").getByRole("link", { name: "Orders", exact: true });
  const panel = page.getByRole("region", { name: "Passkeys" });
  const dialog = page.getByRole("dialog");
  const openSettings = () => openScreen(page, `${url}/admin-settings`, "Account Setting");
  const withPasskey = page.getByRole("button", { name: "Sign in with a passkey" });

  // As if required from now on, with a sign-in more than half an hour ago.
  const who = { role: "staff", username: account.username, mustFirst: "two-step", timezone: "UTC", demo: false };
  await page.route(`**${session.access.path}`, (route) => route.fulfill({ json: who }), { times: 1 });
  const confirmationRequired = { status: 403, json: { message: "Confirm", confirmationRequired: true } };
  await page.route(`**${passkeys.begin.path}`, (route) => route.fulfill(confirmationRequired), { times: 1 });
  await typePassword(page, account);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Laptop");
  await dialog.getByRole("textbox", { name: "Name" }).press("Enter");
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await question.getByRole("textbox", { name: "Password" }).fill(account.password);
  await question.getByRole("textbox", { name: "Password" }).press("Enter");
  await expect(page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem")).toHaveCount(10);
  await dialog.getByRole("button", { name: "I have kept them" }).click();
  await expect(panelMenu).toBeVisible();
  await openSettings();
  await expect(panel.getByRole("listitem")).toContainText("Laptop");

  await signOut(page);
  await withPasskey.click();
  await expect(panelMenu).toBeVisible();

  await signOut(page);
  await typePassword(page, account);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await expect(panelMenu).toBeVisible();

  // As if half an hour had passed.
  await openSettings();
  await page.route(`**${passkeys.update.path.replace(":id", "*")}`, (route) => route.fulfill(confirmationRequired), {
    times: 1,
  });
  await panel.getByRole("button", { name: "Edit Laptop" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Old laptop");
  await dialog.getByRole("textbox", { name: "Name" }).press("Enter");
  await question.getByRole("button", { name: "Use a passkey" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(panel.getByRole("listitem")).toContainText("Old laptop");

  await panel.getByRole("button", { name: "Remove Old laptop" }).click();
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(toast(page, "Passkey Old laptop removed")).toBeVisible();
  await signOut(page);
  await withPasskey.click();
  await expect(page.getByRole("alert")).toContainText("This passkey is not known here");
  await typePassword(page, account);
  await expect(panelMenu).toBeVisible();
});
