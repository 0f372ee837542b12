import { pathOf } from "@footprint/contract/endpoint.ts";
import { events } from "@footprint/contract/events.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import encodeQR from "qr";
import { expect, test, testAlone } from "./fixtures.ts";
import { adminAccount } from "./server.ts";
import { changeQuestion, confirmChange, openScreen, toast } from "./steps.ts";

// Other tests on this server change the handle without an image, which would then pay somebody else.
test.afterEach(async ({ lasting: { admin }, server: { api } }) => {
  await api.call(admin, website.removeCashapp, { body: { remove: "image" } });
});

/** An image whose QR code pays a handle. */
const image = (handle: string) => Buffer.from(encodeQR(`https://cash.app/${handle}`, "gif", { scale: 6 }));

async function choose(page: Page, handle: string) {
  const name = `${handle.slice(1)}.gif`;
  await page.getByLabel("QR image").setInputFiles({ name, mimeType: "image/gif", buffer: image(handle) });
  await expect(page.getByRole("button", { name: `Remove ${name}` })).toBeVisible();
}

test("a code that pays a stranger needs confirming words, and the previous handle is one click away", async ({
  admin: { page, account, token },
  server: { api },
}) => {
  const current = page.getByRole("figure", { name: /^Current handle/ });
  const save = page.getByRole("button", { name: "Save", exact: true });
  const dialog = changeQuestion(page);
  await openScreen(page, "/website", "Website Settings");
  await page.getByRole("textbox", { name: "Payment-app handle" }).fill("$north-wind");
  await choose(page, "$north-wind");
  await save.click();
  await expect(dialog.getByRole("figure", { name: "After saving" })).toContainText("The QR code pays $north-wind");
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  await confirmChange(page);
  await expect(current).toContainText("The QR code pays $north-wind");

  await choose(page, "$stranger");
  await save.press("Enter");
  await expect(dialog.getByRole("figure", { name: "Now" })).toContainText("$north-wind");
  await expect(dialog.getByRole("figure", { name: "After saving" })).toContainText("The QR code pays $stranger");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await confirmChange(page);
  const words = dialog.getByRole("textbox", { name: "Type “pay $stranger” to confirm" });
  await expect(words).toBeFocused();
  // After a change of mind the form is as it was.
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Remove stranger.gif" })).toBeVisible();
  expect((await api.call(token, website.getCashapp, {})).cashapp.qr).toEqual(["https://cash.app/$north-wind"]);
  await save.click();
  await words.fill("pay $stranger");
  await confirmChange(page);
  await expect(current).toContainText("The QR code pays $stranger");

  await page.getByRole("button", { name: "Earlier handles" }).click();
  const entries = page.getByRole("list", { name: "Earlier handles" }).getByRole("listitem");
  await expect(entries.first()).toContainText("Shown now");
  await expect(entries.nth(1)).toContainText(`by ${account.username}`);
  await expect(entries.nth(1)).toContainText("The QR code pays $north-wind");
  await entries.nth(1).getByRole("button", { name: "Return to $north-wind" }).click();
  await expect(dialog.getByRole("figure", { name: "After saving" })).toContainText("The QR code pays $north-wind");
  await confirmChange(page);
  await expect(toast(page, "Customers pay to $north-wind again")).toBeVisible();
  await expect(current).toContainText("The QR code pays $north-wind");

  await page.getByRole("button", { name: "Remove image" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(current).toContainText("No image yet");
  await expect(current).toContainText("$north-wind");
});

test("an earlier image that could not be loaded is not taken for none", async ({
  admin: { page, token },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/503/);
  await openScreen(page, "/website", "Website Settings");
  await page.getByRole("textbox", { name: "Payment-app handle" }).fill("$south-wind");
  await choose(page, "$south-wind");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await confirmChange(page);
  await expect(page.getByRole("figure", { name: /^Current handle/ })).toContainText("The QR code pays $south-wind");
  await api.call(token, website.removeCashapp, { body: { remove: "image" } });
  await page.route(`**${pathOf(website.cashappImage, { id: "*" })}`, (route) =>
    route.fulfill({ status: 503, json: { message: "Too busy" } }),
  );
  await page.getByRole("button", { name: "Earlier handles" }).click();
  const entry = page.getByRole("list", { name: "Earlier handles" }).getByRole("listitem").nth(1);
  await expect(entry).toContainText("Too busy");
  await expect(entry).not.toContainText("No image");
  await expect(entry.getByRole("button", { name: "Return to $south-wind" })).toBeDisabled();
  await page.unrouteAll({ behavior: "wait" });
});

testAlone.describe("while others look", () => {
  testAlone.use({ isLive: true });

  testAlone(
    "every administrator is told of another handle, wherever they are, and finds it on the dashboard later",
    async ({ admin: { page, account, token }, openAs, server: { api } }) => {
      const other = (await openAs(adminAccount)).page;
      // Code that comes late keeps nobody from being told.
      for (const each of [page, other]) await each.route(/\/NewSignIns-/, () => undefined);
      const follow = Promise.all([page, other].map((each) => each.waitForResponse(`**${events.stream.path}`)));
      await openScreen(page, "/orders", "Orders");
      await openScreen(other, "/users", "Users");
      await follow;
      const before = (await api.call(token, website.getCashapp, {})).cashapp.cashappId;
      const asked = Promise.all([page, other].map((each) => each.waitForResponse(/cashapp-history/)));
      await api.call(token, website.updateCashapp, { body: { cashappId: "$on-the-way" } });
      await api.call(token, website.updateCashapp, { body: { cashappId: "$somewhere-else" } });
      // Two changes in quick succession do not hide each other.
      const sentences = [`${before || "none"} to $on-the-way`, "$on-the-way to $somewhere-else"];
      for (const change of sentences)
        await expect(toast(page, `The payment handle was changed from ${change} by ${account.username}`)).toBeVisible();
      await asked;
      await page.goto("/");
      const attention = page.getByRole("region", { name: "Needs attention" });
      await expect(attention.getByRole("link", { name: /to \$somewhere-else/ })).toContainText(
        `by ${account.username}`,
      );
    },
  );
});
