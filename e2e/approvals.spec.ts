import { website } from "@footprint/contract/website.ts";
import { expect, test } from "./fixtures.ts";
import { addCustomer, drawerOf, openByKeys, openScreen, rowOf, toast } from "./steps.ts";

// Other tests on this server expect no limits.
test.afterEach(async ({ lasting: { admin }, server: { api } }) => {
  await api.call(admin, website.updateLimits, { body: { staffCredit: null, approvals: false } });
});

test("an act above a limit is requested, approved by an administrator, and its requester sees the outcome", async ({
  admin: { page, token, account },
  openAs,
  lasting: { admin: lastingToken },
  server: { api },
  watch,
}) => {
  watch.expectProblem(/400|give a reason/);
  const user = await addCustomer(api, token);
  const asker = await api.addStaff(lastingToken);
  await openScreen(page, "/website", "Website Settings");
  const limits = page.getByRole("region", { name: "Staff limits" });
  // Higher than what other tests credit.
  await limits.getByLabel("Largest credit").fill("800000");
  await limits.getByRole("switch", { name: "Ask for approval instead of refusing" }).press("Space");
  await limits.getByRole("button", { name: "Save limits" }).click();
  await expect(toast(page, "Limits saved")).toBeVisible();

  const staff = (await openAs(asker)).page;
  await openScreen(staff, `/users?search=${user.username}`, "Users");
  await staff.getByRole("button", { name: `Add Balance to ${user.username}` }).click();
  const form = staff.getByRole("dialog");
  await form.getByLabel("Amount").fill("800001");
  await form.getByLabel("Amount").press("Enter");
  await expect(form.getByRole("alert")).toContainText("give a reason");
  await form.getByRole("textbox", { name: "Reason" }).fill("The whole year at once");
  await form.getByRole("textbox", { name: "Reason" }).press("Enter");
  await expect(form.getByText("Sent to the administrators for approval")).toBeVisible();

  await page.goto("/");
  await page
    .getByRole("region", { name: "Needs attention" })
    .getByRole("link", { name: /for your approval/ })
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approvals");
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Approvals/ })).toBeVisible();
  await expect(rowOf(page, user.username)).toBeVisible();
  await openByKeys(page);
  const details = drawerOf(page, "Request");
  await expect(details).toContainText("The whole year at once");
  await details.getByRole("button", { name: "Approve" }).press("Enter");
  const question = page.getByRole("dialog", { name: "Approve this request?" });
  await expect(question).toContainText(`$800,001.00 for ${user.username}`);
  await expect(question.getByRole("textbox", { name: /Reason/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(toast(page, "Approved: Added $800,001.00")).toBeVisible();
  await expect(details).toContainText(`Approved by ${account.username}`);

  await openScreen(staff, "/approvals?status=All", "Approvals");
  await expect(rowOf(staff, user.username)).toContainText("Approved");
  await openScreen(staff, `/users/${user._id}?tab=balance`, user.username);
  await expect(staff.locator("tbody tr").first()).toContainText(`asked for by ${asker.username}`);
});
