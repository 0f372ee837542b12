import { website } from "@footprint/contract/website.ts";
import { expect, testAlone as test } from "./fixtures.ts";
import { awayAccount } from "./server.ts";
import { changeQuestion, confirmChange, openScreen, toast } from "./steps.ts";

test("half an hour after the sign-in, changing the payment handle asks for the password in place, and continues", async ({
  page,
  context,
  server,
  watch,
}) => {
  watch.expectProblem(/403|400|Confirm that it is you/);
  await context.addCookies([{ name: "footprint", value: awayAccount.token, url: server.url }]);
  const { token } = awayAccount;
  const handleNow = async () => (await server.api.call(token, website.getCashapp, {})).cashapp.cashappId;
  const before = await handleNow();
  await openScreen(page, "/website", "Website Settings");
  const handle = page.getByRole("textbox", { name: "Payment-app handle" });
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  const password = question.getByRole("textbox", { name: "Password" });
  await handle.fill("$after-lunch");
  await handle.press("Enter");
  await confirmChange(page);
  await expect(password).toBeFocused();

  // After a change of mind the form is as it was.
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(toast(page, "Confirm that it is you")).toBeVisible();
  await expect(handle).toHaveValue("$after-lunch");
  expect(await handleNow()).toBe(before);

  // It also opens above a dialog, which keeps what was typed.
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog", { name: /key/i });
  await form.getByRole("textbox", { name: "Name" }).fill("Lunch shop");
  await form.getByRole("textbox", { name: "Name" }).press("Enter");
  await expect(password).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(form.getByRole("textbox", { name: "Name" })).toHaveValue("Lunch shop");
  await page.keyboard.press("Escape");
  await expect(form).toBeHidden();

  // Two calls at once ask once, and both go on.
  await page.getByLabel("Largest credit").fill("900000");
  await handle.press("Enter");
  await expect(changeQuestion(page)).toBeVisible();
  await page.evaluate(() => {
    for (const form of document.querySelectorAll("form")) form.requestSubmit();
    const buttons = [...document.querySelectorAll<HTMLButtonElement>("[role=dialog] button")];
    buttons.find(({ textContent }) => textContent === "Change it")?.click();
  });
  await expect(password).toBeFocused();
  await page.keyboard.type("not the password");
  await page.keyboard.press("Enter");
  await expect(question.getByRole("alert")).toHaveText("The password is wrong");
  await password.fill(awayAccount.password);
  await password.press("Enter");
  await expect(question).toBeHidden();
  await expect(toast(page, "Payment settings updated")).toBeVisible();
  expect(await handleNow()).toBe("$after-lunch");
  await expect.poll(async () => (await server.api.call(token, website.limits, {})).limits.staffCredit).toBe(900_000);
  // Other tests on this server expect no limits.
  await server.api.call(token, website.updateLimits, { body: { staffCredit: null } });
});
