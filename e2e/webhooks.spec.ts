import { pathOf } from "@footprint/contract/endpoint.ts";
import type { EventType } from "@footprint/contract/outbox.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { webhooks } from "@footprint/contract/webhooks.ts";
import type { Page } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import { type Api, uniqueName } from "./api.ts";
import { test as base, expect } from "./fixtures.ts";
import { startReceiver } from "./receiver.ts";
import { adminAccount } from "./server.ts";
import { newShop } from "./shop.ts";
import { drawerOf, expectSettled, openScreen, removeSlowly, rowOf, toast } from "./steps.ts";
import { answerWebhooks } from "./webhookAnswers.ts";

const test = base.extend<{ receiver: Awaited<ReturnType<typeof startReceiver>> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs here
  async receiver({}, use) {
    const receiver = await startReceiver();
    await use(receiver);
    receiver.stop();
  },
});

const settings = (page: Page) => openScreen(page, "/website", "Website Settings");

/** Chooses from a webhook's menu. */
async function choose(page: Page, webhook: string, item: string) {
  await page.getByRole("button", { name: `More actions for ${webhook}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

/** Creates a webhook in the panel, and keeps its secret. */
async function create(page: Page, url: string, note: string) {
  await page.getByRole("button", { name: "Create webhook" }).click();
  const form = page.getByRole("dialog", { name: "Create webhook" });
  await form.getByRole("textbox", { name: "Address" }).fill(url);
  await form.getByRole("textbox", { name: "Note" }).fill(note);
  await form.getByRole("button", { name: "Create", exact: true }).click();
  return keepSecret(page);
}

async function keepSecret(page: Page) {
  const shown = page.getByRole("dialog", { name: "The webhook's secret" });
  const secret = await shown.getByText(/^whsec_/).innerText();
  await shown.getByRole("button", { name: "I have kept it" }).click();
  await expect(shown).toHaveCount(0);
  return secret;
}

/** A webhook of the test's own, created by a call, for these events only: others may come from the seed's business. */
async function addWebhook(api: Api, token: string, url: string, ...events: EventType[]) {
  const note = uniqueName("hook");
  const { webhook, secret } = await api.call(token, webhooks.create, { body: { url, note, events } });
  return { ...webhook, secret, path: `/website/webhooks/${webhook._id}` };
}

/** Leaves first, since a page that shows the webhook would ask for it after its removal. */
async function remove(page: Page, api: Api, token: string, { _id }: { _id: string }) {
  await page.goto("about:blank");
  await api.call(token, webhooks.remove, { params: { id: _id } });
}

test("a webhook is created, its secret shown once, and a test event arrives, signed; its answer is shown in place", async ({
  admin: { page },
  receiver,
}) => {
  const name = uniqueName("hook");
  await settings(page);
  const secret = await create(page, receiver.url, name);
  await expect(page.getByText(secret)).toHaveCount(0);
  const row = rowOf(page, name);
  await expect(row).toContainText(receiver.url);
  await expect(row).toContainText("All events");
  await expect(row).toContainText("Active");
  await expect(row).toContainText("Never");

  await choose(page, name, "Send test event");
  const dialog = page.getByRole("dialog", { name: `Test ${name}` });
  await dialog.getByRole("button", { name: "Send test event" }).click();
  await expect(dialog).toContainText("Accepted200");
  await expect(dialog.getByRole("region", { name: "Answer" })).toHaveText("thank you");
  expect(receiver.events("test", secret)).toHaveLength(1);

  Object.assign(receiver.answer, { status: 418, text: "I am a teapot" });
  await dialog.getByRole("button", { name: "Send another" }).click();
  await expect(dialog).toContainText("Not accepted418");
  await expect(dialog.getByRole("region", { name: "Answer" })).toHaveText("I am a teapot");
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await choose(page, name, "Delete");
  const question = page.getByRole("dialog", { name: `Delete the webhook ${name}?` });
  await expect(question).toContainText(receiver.url);
  await question.getByRole("button", { name: "Delete" }).click();
  await expect(toast(page, "deleted")).toBeVisible();
  await expect(row).toHaveCount(0);
});

test("a refund in the panel reaches the receiver, is listed with request and answer, and is sent again", async ({
  admin: { page, token },
  server: { api },
  receiver,
}) => {
  const shop = await newShop(api, token);
  await api.call(shop.key, storefront.createOrder, { body: { ...shop.label, ...shop.who } });
  const hook = await addWebhook(api, token, receiver.url, "order.refunded");
  await openScreen(page, `/orders?search=${shop.name}`, "Orders");
  await page.getByRole("button", { name: /^View/ }).click();
  await drawerOf(page, "Order").getByRole("button", { name: "Refund Order" }).click();
  await page.getByRole("dialog", { name: "Refund this order?" }).getByLabel("Reason").fill("Lost on the way");
  await page.getByRole("button", { name: "Refund $8.90" }).click();
  const refunds = () => receiver.events("order.refunded", hook.secret);
  await expect.poll(() => refunds().length).toBe(1);
  expect(refunds()[0]?.data).toMatchObject({ reason: "Lost on the way", customer: { username: shop.name } });

  await settings(page);
  await page.getByRole("link", { name: `Deliveries of ${hook.note}` }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(hook.note);
  const row = rowOf(page, "Order refunded");
  await expect(row).toContainText("Delivered");
  await expect(row).toContainText("200");
  await expect(row.getByRole("link", { name: shop.name })).toHaveAttribute("href", /\/users\/.*tab=balance/);
  await row.click();
  const details = drawerOf(page, "Delivery");
  await expect(details.getByRole("region", { name: "Answer to try 1" })).toHaveText("thank you");
  await expect(details.getByRole("region", { name: "Body" })).toContainText('"reason": "Lost on the way"');
  await expect(details).toContainText(refunds()[0]?.id ?? "");
  await expect(page).toHaveURL(/view=/);

  await details.getByRole("button", { name: "Send again" }).click();
  await expect(toast(page, "Sending order.refunded again")).toBeVisible();
  await expect.poll(() => refunds().length).toBe(2);
  expect(refunds()[1]).toEqual(refunds()[0]);
  await details.getByRole("button", { name: "Close" }).click();
  await expect(rowOf(page, "Sent again by admin")).toContainText("Delivered");

  // All events of the day again.
  const before = receiver.received.length;
  await page.getByRole("button", { name: "Send a period again" }).click();
  const period = page.getByRole("dialog", { name: "Send a period again" });
  const answered = page.waitForResponse(`**${pathOf(webhooks.resendPeriod, { id: hook._id })}`);
  await period.getByRole("button", { name: "Send again" }).click();
  const { message } = await (await answered).json();
  expect(message).toMatch(/^Sending \d+ events? again$/);
  await expect(period.getByRole("alert")).toHaveText(message);
  await expect.poll(() => receiver.received.length).toBe(before + Number(/\d+/.exec(message)?.[0]));
  await expect(period).toBeHidden();
  await remove(page, api, token, hook);
});

test("a receiver that fails is shown with its answer and the next try; what waits is tried at once, or given up", async ({
  admin: { page, token },
  server: { api },
  receiver,
}) => {
  Object.assign(receiver.answer, { status: 500, text: "out of order" });
  const hook = await addWebhook(api, token, receiver.url, "customer.created", "customer.verified");
  const [one, other] = [await newShop(api, token), await newShop(api, token)];
  await settings(page);
  const row = rowOf(page, hook.note);
  await expect(row).toContainText("Failing");
  await expect(row).toContainText(/It answered 500\. Next try (now|in \d+ (s|min))/);

  await openScreen(page, `${hook.path}?state=waiting&customer=${one.params.id}`, hook.note);
  await expect(page.getByText("It answered 500.")).toBeVisible();
  const created = rowOf(page, "Customer created");
  await expect(created).toContainText("Retrying");
  await expect(rowOf(page, "Customer verified")).toContainText("Not sent yet");
  await expect(rowOf(page, other.name)).toHaveCount(0);
  await created.click();
  const details = drawerOf(page, "Delivery");
  await expect(details.getByRole("region", { name: "Answer to try 1" })).toHaveText("out of order");
  await details.getByRole("button", { name: "Give up" }).click();
  await page
    .getByRole("dialog", { name: "Give up Customer created?" })
    .getByRole("button", { name: "Give up" })
    .click();
  await expect(toast(page, "customer.created is not tried any more")).toBeVisible();
  await details.getByRole("button", { name: "Close" }).click();

  Object.assign(receiver.answer, { status: 204, text: "" });
  await page.getByRole("button", { name: "Try now" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1 }).locator("..")).toContainText("Active");
  await expect(page.getByRole("button", { name: "Send test event" })).toBeFocused();
  await page.getByRole("button", { name: "Remove filter State" }).click();
  await expect(created).toContainText("Failed");
  await expect(rowOf(page, "Customer verified")).toContainText("Delivered");
  await expect
    .poll(() => receiver.events("customer.verified", hook.secret).at(-1)?.data)
    .toMatchObject({ customer: { isVerified: true } });
  await remove(page, api, token, hook);
});

test("while a webhook is paused what happens waits, and arrives when it is resumed", async ({
  admin: { page, token },
  server: { api },
  receiver,
}) => {
  const hook = await addWebhook(api, token, receiver.url, "customer.verified");
  await openScreen(page, hook.path, hook.note);
  await choose(page, hook.note, "Pause");
  const question = page.getByRole("dialog", { name: `Pause ${hook.note}?` });
  await question.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Paused by admin")).toBeVisible();

  const shop = await newShop(api, token);
  await expect(page.getByText("1 waiting")).toBeVisible();
  expect(receiver.received).toEqual([]);
  await page.getByRole("button", { name: "Resume" }).press("Enter");
  await expect.poll(() => receiver.events("customer.verified", hook.secret).length).toBe(1);
  await expect(rowOf(page, shop.name)).toContainText("Delivered");
  await expect(page.getByRole("button", { name: "Send test event" })).toBeFocused();

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  expect((await saved).suggestedFilename()).toMatch(/^deliveries-[\d-]+\.csv$/);

  await choose(page, hook.note, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Website Settings");
  await expect(rowOf(page, hook.note)).toHaveCount(0);
});

test("while a webhook is being deleted, its screen does not say that it does not exist", async ({
  admin: { page, token },
  server: { api },
  receiver,
}) => {
  const hook = await addWebhook(api, token, receiver.url, "customer.verified");
  await openScreen(page, hook.path, hook.note);
  await expectSettled(page);
  await removeSlowly(page, hook._id, async () => {
    await choose(page, hook.note, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Website Settings");
});

test("address and events are changed, and for a day after a rotation both secrets verify", async ({
  admin: { page, token },
  server: { api },
  receiver,
  watch,
}) => {
  watch.expectProblem(/400/);
  const hook = await addWebhook(api, token, "https://shop.example.com/hooks");
  await settings(page);
  const row = rowOf(page, hook.note);
  await choose(page, hook.note, "Edit");
  const form = page.getByRole("dialog", { name: `Edit ${hook.note}` });
  const address = form.getByRole("textbox", { name: "Address" });
  await address.fill("https://me:secret@shop.example.com/hooks");
  await form.getByRole("checkbox", { name: "All events" }).uncheck();
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText("Choose at least one event")).toBeVisible();
  await form.getByRole("checkbox", { name: "Order refunded" }).check();
  await form.getByRole("checkbox", { name: "Codes low" }).check();
  await form.getByRole("button", { name: "Save" }).click();
  await expect(address).toHaveAccessibleDescription(/holds no user name and no password/);
  await address.fill(receiver.url);
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByRole("alert")).toContainText("saved");
  await expect(row).toContainText("Order refunded, Codes low");
  await expect(row).toContainText(receiver.url);
  await expect(form).toBeHidden();

  await choose(page, hook.note, "Rotate secret");
  const rotation = page.getByRole("dialog", { name: `Rotate the secret of ${hook.note}?` });
  await expect(rotation).toContainText("For a day from now");
  await rotation.getByRole("button", { name: "Rotate secret" }).click();
  const secret = await keepSecret(page);
  expect(secret).not.toBe(hook.secret);
  await api.call(token, webhooks.test, { params: { id: hook._id } });
  const [{ body, headers } = { body: "", headers: {} }] = receiver.received;
  for (const known of [secret, hook.secret]) expect(new Webhook(known).verify(body, headers)).toHaveProperty("id");
  await remove(page, api, token, hook);
});

test("half an hour after the sign-in the password is asked for in place, and the webhook is made", async ({
  admin: { page, token },
  server: { api },
  receiver,
  watch,
}) => {
  watch.expectProblem(/403/);
  const name = uniqueName("hook");
  await settings(page);
  // Fakes that answer once; the list keeps reading the same address.
  let isAsked = false;
  await page.route(`**${webhooks.create.path}`, (route) => {
    if (isAsked || route.request().method() !== "POST") return route.continue();
    isAsked = true;
    return route.fulfill({ status: 403, json: { message: "Confirm that it is you", confirmationRequired: true } });
  });
  await page.getByRole("button", { name: "Create webhook" }).click();
  const form = page.getByRole("dialog", { name: "Create webhook" });
  await form.getByRole("textbox", { name: "Address" }).fill(receiver.url);
  await form.getByRole("textbox", { name: "Note" }).fill(name);
  await form.getByRole("textbox", { name: "Note" }).press("Enter");
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await question.getByRole("textbox", { name: "Password" }).fill(adminAccount.password);
  await question.getByRole("textbox", { name: "Password" }).press("Enter");
  await keepSecret(page);
  await expect(rowOf(page, name)).toBeVisible();
  const { webhooks: all } = await api.call(token, webhooks.list, {});
  const made = all.find(({ note }) => note === name);
  expect(made).toBeDefined();
  if (made) await remove(page, api, token, made);
});

test("deliveries are filtered in the address, walked through by keyboard, and a link opens one", async ({
  admin: { page },
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await answerWebhooks(page);
  await settings(page);
  await page.getByRole("link", { name: "Deliveries of Main shop" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Main shop");
  await page.getByRole("button", { name: "Event", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "Test event" }).click();
  await expect(page).toHaveURL(/\?type=test$/);
  await expect.poll(() => asked.some((url) => /deliveries\/.*type=test/.test(url))).toBe(true);
  await page.getByRole("button", { name: "Remove filter Event" }).click();

  const rows = page.locator("tbody tr");
  await expect(page).not.toHaveURL(/type=/);
  await expect(rows).toHaveCount(6);
  await expectSettled(page);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(rows.nth(1)).toHaveAttribute("aria-current", "true");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/view=.*2$/);
  await expect(drawerOf(page, "Delivery")).toContainText("Balance changed");
  await page.keyboard.press("j");
  await expect(drawerOf(page, "Delivery")).toContainText("Codes low");
  await page.reload();
  await expect(drawerOf(page, "Delivery")).toContainText("Codes low");
  await page.keyboard.press("Escape");
  await expect(drawerOf(page, "Delivery")).toHaveCount(0);
});

test("the address of a webhook that does not exist says so, and leads back", async ({ admin: { page }, watch }) => {
  watch.expectProblem(/404|400|does not exist|id is not/);
  // The last looks like an id, but no record has one like it.
  for (const id of ["01990000-0000-7000-8000-00000000000f", "unknown", "01990000-0000-0000-8000-00000000000f"])
    await openScreen(page, `/website/webhooks/${id}`, "This webhook does not exist");
  await page.getByRole("link", { name: "Go to Website Settings" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Website Settings");
});

test("webhooks are for administrators only", async ({ staff: { page }, server }) => {
  await page.goto("/website/webhooks/01990000-0000-7000-8000-000000000001");
  await expect(page).toHaveURL(`${server.url}/orders`);
});
