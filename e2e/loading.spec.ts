import { pathOf } from "@footprint/contract/endpoint.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { orders } from "@footprint/contract/orders.ts";
import type { Page } from "@playwright/test";
import encodeQR from "qr";
import { uniqueName } from "./api.ts";
import { expect, testAlone } from "./fixtures.ts";
import { drawerOf, expectSettled, openScreen, toast } from "./steps.ts";

// What the panel does when code and answers do not come, or come late.

/** Holds the first request for this until the returned function is called, which waits for the answer. */
async function hold(page: Page, what: RegExp) {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(what, async (route) => {
    asked.resolve();
    await released.promise;
    await route.continue();
  });
  return {
    asked: asked.promise,
    async release() {
      const answered = page.waitForResponse(what);
      released.resolve();
      await (await answered).finished();
    },
  };
}

/** Refuses these files until the returned function is called. */
async function refuseCode(page: Page, files: RegExp, how: "no connection" | 404 | 503) {
  await page.route(files, (route) =>
    how === "no connection" ? route.abort() : route.fulfill({ status: how, body: "nothing here" }),
  );
  return () => page.unroute(files);
}

/** Advances a stopped clock until something has happened. */
const runUntil = (page: Page, isSo: () => boolean) =>
  expect(async () => {
    await page.clock.runFor(500);
    expect(isSo()).toBe(true);
  }).toPass();

const notLoaded = /could not be loaded|Failed to load resource|ERR_FAILED/;

for (const how of ["no connection", 503] as const) {
  testAlone(
    `a question whose code does not come (${how}) leaves what was typed, and the next click asks it`,
    async ({ staff: { page }, watch }) => {
      watch.expectProblem(notLoaded);
      await page.goto("/orders?search=Refund+1");
      await page.getByRole("button", { name: /^View/ }).first().click();
      const note = drawerOf(page, "Order").getByLabel("Note");
      await note.fill("half a thought");
      const allow = await refuseCode(page, /assets\/ConfirmDialog-.*js/, how);
      const refund = drawerOf(page, "Order").getByRole("button", { name: "Refund Order" });
      await refund.click();
      await expect(toast(page, "could not be loaded. Check the connection and try again.")).toBeVisible();
      await expect(note).toHaveValue("half a thought");
      await expect(refund).toBeFocused();
      await allow();
      await refund.click();
      await expect(page.getByRole("dialog", { name: "Refund this order?" })).toBeVisible();
      await expect(note).toHaveValue("half a thought");
    },
  );
}

testAlone(
  "a dialog whose code is no more, since there is a newer version, leaves the screen and says so",
  async ({ admin: { page }, watch }) => {
    watch.expectProblem(notLoaded);
    await page.goto("/staff");
    await expectSettled(page);
    await refuseCode(page, /assets\/StaffForms-.*js/, 404);
    await page.getByRole("button", { name: "Create staff" }).click();
    await expect(toast(page, "Finish what you are doing, then reload the page")).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Staff Members");
  },
);

testAlone(
  "a menu, the palette and the bell whose code or style does not come leave the screen, and open when asked again",
  async ({ staff: { page }, watch }) => {
    watch.expectProblem(notLoaded);
    await page.goto("/users");
    await expect(page.getByText(/^Page 1 of/)).toBeVisible();
    const failed = toast(page, "This part of the panel could not be loaded");
    for (const [files, opener, opened] of [
      [/assets\/LoadedMenu-.*js/, page.getByRole("button", { name: /^More actions for/ }).first(), "menu"],
      [/assets\/Palette-.*css/, page.getByRole("button", { name: "Search or jump to…" }), "dialog"],
      [/assets\/Notices-.*(js|css)/, page.getByRole("button", { name: "Notices" }), "dialog"],
    ] as const) {
      const allow = await refuseCode(page, files, "no connection");
      await opener.press("Enter");
      await expect(failed).toBeVisible();
      await expect(opener).toBeFocused();
      await failed.getByRole("button").click();
      await expect(failed).toHaveCount(0);
      await allow();
      await opener.press("Enter");
      await expect(page.getByRole(opened)).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByRole(opened)).toHaveCount(0);
    }
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Users");
  },
);

testAlone("a phone's menu whose code does not come opens when asked again", async ({ staff: { page }, watch }) => {
  watch.expectProblem(notLoaded);
  await page.setViewportSize({ width: 360, height: 800 });
  const allow = await refuseCode(page, /assets\/PhoneMenu-.*js/, "no connection");
  await page.goto("/orders");
  await expectSettled(page);
  await expect(toast(page, /./)).toHaveCount(0);
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(toast(page, "This part of the panel could not be loaded")).toBeVisible();
  await allow();
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Menu" })).toBeFocused();
});

testAlone(
  "a phone's menu closes as soon as something in it is chosen, be it on its way or here already",
  async ({ staff: { page } }) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto("/orders");
    await expectSettled(page);
    const menu = page.getByRole("dialog", { name: "Menu" });
    const choose = async (name: string) => {
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await menu.getByRole("link", { name }).click();
    };
    const { asked, release } = await hold(page, /assets\/BulkOrdersScreen-.*js/);
    await choose("Bulk Orders");
    await asked;
    await expect(menu).toHaveCount(0);
    await release();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Bulk Orders");
    await expect(page.getByRole("main")).toBeFocused();
    await choose("Bulk Orders");
    await expect(menu).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Bulk Orders");
  },
);

for (const how of ["no connection", 503] as const) {
  testAlone(
    `the page's own style, if it does not come with the page (${how}), comes later`,
    async ({ staff: { page }, watch }) => {
      watch.expectProblem(notLoaded);
      const allow = await refuseCode(page, /assets\/start-.*css/, how);
      await page.clock.install();
      await page.goto("/orders");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
      const font = () => page.evaluate(() => getComputedStyle(document.body).fontFamily);
      expect(await font()).not.toContain("Inter");
      await allow();
      await expect(async () => {
        await page.clock.runFor(10_000);
        expect(await font()).toContain("Inter");
      }).toPass();
    },
  );
}

testAlone(
  "a chart whose code does not come says so in its place, and is there after Retry",
  async ({ admin: { page }, watch }) => {
    watch.expectProblem(notLoaded);
    const allow = await refuseCode(page, /assets\/charts-.*js/, 503);
    await page.goto("/");
    const graph = page.getByRole("region", { name: "Orders Graph" });
    await expect(graph).toContainText("could not be loaded");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Dashboard");
    await allow();
    await graph.getByRole("button", { name: "Retry" }).click();
    await expect(graph.getByRole("img", { name: "bar chart" })).toBeVisible();
  },
);

testAlone("a tooltip whose code did not come is there at the next try", async ({ staff: { page }, watch }) => {
  watch.expectProblem(notLoaded);
  await page.goto("/orders");
  await expectSettled(page);
  const allow = await refuseCode(page, /assets\/HintTip-.*js/, 503);
  const copy = page.getByRole("button", { name: /^Copy/ }).first();
  const refused = page.waitForResponse(/HintTip-.*js/);
  await copy.hover();
  await refused;
  await allow();
  await page.getByRole("heading", { level: 1 }).hover();
  await copy.hover();
  await expect(page.getByRole("tooltip")).toBeVisible();
});

/** Goes to the orders while something is on its way, lets it come, and works on there. */
async function workOnElsewhere(page: Page, release: () => Promise<void>) {
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Orders");
  await expectSettled(page);
  await release();
  await page.getByRole("searchbox").fill("Paging 25");
  await expect(page).toHaveURL(/search=Paging/);
  await expectSettled(page);
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

testAlone(
  "whoever goes on before the question about an unusual price is not asked it elsewhere",
  async ({ admin: { page, token }, server: { api } }) => {
    const { labelTypes: all } = await api.call(token, labelTypes.list, {});
    const type = all.find(({ prices }) => prices.length > 1);
    await openScreen(page, `/pricing/${type?._id}`, `${type?.name} prices`);
    const edits = page.getByRole("button", { name: /^Edit / });
    await edits.nth(0).click();
    const editor = page.getByRole("form", { name: /^Edit / });
    // What is typed is looked at first, then what is sent.
    const looked = page.waitForResponse(/preview/);
    await editor.getByLabel("Price", { exact: true }).fill("9999");
    await looked;
    const { asked, release } = await hold(page, /\/preview/);
    await editor.getByRole("button", { name: /^Save/ }).click();
    await asked;
    await edits.nth(1).click();
    await release();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.unrouteAll();
  },
);

testAlone(
  "whoever goes on before the image of a payment handle is read is not asked about it elsewhere",
  async ({ admin: { page } }) => {
    await openScreen(page, "/website", "Website Settings");
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const code = /assets\/decode-.*js/;
    // Which reads at once.
    const body = "export const decodeQRBatch = async () => [['https://cash.app/$late']]";
    await page.route(code, async (route) => {
      asked.resolve();
      await released.promise;
      await route.fulfill({ contentType: "text/javascript", body });
    });
    const buffer = Buffer.from(encodeQR("https://cash.app/$late", "gif", { scale: 6 }));
    await page.getByLabel("QR image").setInputFiles({ name: "late.gif", mimeType: "image/gif", buffer });
    await asked.promise;
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByRole("button", { name: "Saving…" })).toBeVisible();
    const read = page.waitForEvent("requestfinished", (request) => {
      return code.test(request.url()) && request.resourceType() === "script";
    });
    await workOnElsewhere(page, async () => {
      released.resolve();
      await read;
    });
  },
);

testAlone(
  "what somebody else has changed is shown before anything is sent again, however late its code comes",
  async ({ admin: { page, token }, server: { api }, watch }) => {
    watch.expectProblem(/409/);
    const name = uniqueName("Parcel");
    const body = { uid: uniqueName("uid"), maxWeight: 20, type: "usps" } as const;
    await api.call(token, labelTypes.create, { body: { ...body, name } });
    const { labelTypes: all } = await api.call(token, labelTypes.list, {});
    const params = { id: all.find((type) => type.name === name)?._id ?? "" };
    const changed = pathOf(labelTypes.update, params);
    await openScreen(page, "/pricing", "Label Pricing");
    await page.getByRole("button", { name: `Edit ${name}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Max weight/).fill("35");
    await api.call(token, labelTypes.update, { params, body: { ...body, name: `${name} Plus` } });
    let sent = 0;
    page.on("request", (request) => {
      if (request.url().endsWith(changed)) sent += 1;
    });
    const { asked, release } = await hold(page, /assets\/Conflict-.*js/);
    const save = dialog.getByRole("button", { name: "Save", exact: true });
    await save.click();
    await asked;
    await save.click();
    await release();
    await expect(dialog.getByRole("region", { name: /changed this/ })).toBeFocused();
    await expect(dialog.getByRole("group", { name: "Name" })).toContainText(`${name} Plus`);
    expect(sent).toBe(1);
    await save.click();
    await expect(dialog.getByRole("alert")).toContainText("saved");
  },
);

testAlone(
  "a list that failed is fetched again by itself, and says that it failed until it is there",
  async ({ staff: { page }, watch }) => {
    watch.expectProblem(/503|Too busy/);
    await page.clock.install();
    const list = `**${orders.list.path}?*`;
    const rows = page.locator("table[aria-busy=false] tbody tr");
    const failure = page.getByRole("alert").filter({ hasText: "Too busy" });
    const fail = () => page.route(list, (route) => route.fulfill({ status: 503, json: { message: "Too busy" } }));
    await fail();
    await page.goto("/orders");
    await expect(failure).toBeVisible();
    await page.unroute(list);
    const { asked, release } = await hold(page, /orders\/read/);
    await page.clock.runFor(15_000);
    await asked;
    await expect(failure.getByRole("button", { name: "Retry" })).toHaveAttribute("data-loading");
    await release();
    await expect(rows).toHaveCount(10);

    await page.unroute(/orders\/read/);
    await fail();
    await page.goto("/orders?search=Paging");
    await expect(failure).toBeVisible();
    await page.unroute(list);
    await page.evaluate(() => {
      window.dispatchEvent(new Event("offline"));
      window.dispatchEvent(new Event("online"));
    });
    await expect(rows).toHaveCount(10);
  },
);

testAlone(
  "a list that has failed often, and worked since, is soon fetched again when it fails anew",
  async ({ staff: { page }, watch, stopClock }) => {
    watch.expectProblem(/503|Too busy/);
    await page.clock.install();
    const list = `**${orders.list.path}?*`;
    const failure = page.getByRole("alert").filter({ hasText: "Too busy" });
    await page.goto("/orders");
    await expectSettled(page);
    await stopClock();
    let asked = 0;
    for (let times = 1; times <= 6; times++) {
      await page.route(list, (route) => {
        asked += 1;
        return route.fulfill({ status: 503, json: { message: "Too busy" } });
      });
      asked = 0;
      await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
      for (const tries of [1, 2, 3]) {
        await expect.poll(() => asked).toBe(tries);
        if (tries < 3) await runUntil(page, () => asked > tries);
      }
      await expect(failure).toBeVisible();
      await page.unroute(list);
      if (times === 6) break;
      await failure.getByRole("button", { name: "Retry" }).click();
      await expect(failure).toHaveCount(0);
    }
    const again = page.waitForResponse(list);
    await page.clock.runFor(15_000);
    await again;
    await expect(failure).toHaveCount(0);
  },
);

testAlone(
  "a search that is tried again does not say what is wrong with another one",
  async ({ staff: { page }, watch }) => {
    watch.expectProblem(/503|ails/);
    const failing = (search: string) =>
      page.route(`**${orders.list.path}?*search=${search}*`, (route) =>
        route.fulfill({ status: 503, json: { message: `${search} fails` } }),
      );
    await failing("North");
    await failing("South");
    const search = page.getByRole("searchbox");
    await page.goto("/orders?search=North");
    await expect(page.getByRole("alert")).toContainText("North fails");
    await search.fill("South");
    await expect(page.getByRole("alert")).toContainText("South fails");
    await page.unrouteAll();
    const { asked, release } = await hold(page, /search=North/);
    await search.fill("North");
    await asked;
    await expect(page.getByText("South fails")).toHaveCount(0);
    await release();
    await expect(page.getByText(/fails/)).toHaveCount(0);
  },
);

testAlone("a screen's code is asked of the server once", async ({ staff: { page } }) => {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Network.enable");
  // The window may have loaded it for another test.
  await devTools.send("Network.clearBrowserCache");
  const paths = new Map<string, string>();
  devTools.on("Network.requestWillBeSent", ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
  });
  const asked: string[] = [];
  // What comes out of the browser's cache has none of this.
  devTools.on("Network.responseReceivedExtraInfo", ({ requestId }) => asked.push(requestId));
  await page.goto("/orders");
  await expect(page.getByRole("row").nth(1).getByRole("button", { name: /^View/ })).toBeVisible();
  const code = asked.map((id) => paths.get(id) ?? "").filter((path) => /^\/assets\/.*js$/.test(path));
  expect(code.length).toBeGreaterThan(5);
  expect(code.toSorted()).toEqual([...new Set(code)].toSorted());
});
