import AxeBuilder from "@axe-core/playwright";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { type Account, type Api, apiOf } from "./api.ts";
import { openView, type View } from "./screens.ts";
import { adminAccount, startServer } from "./server.ts";

/** Something wrong that a browser reported during a test. */
type Watch = {
  problems: string[];
  /** Lets a test cause a problem on purpose. */
  expectProblem(pattern: RegExp): void;
};

/** A page with someone signed in on it. */
type SignedIn = { page: Page; account: Account; token: string };

type TestFixtures = {
  watch: Watch;
  adminToken: string;
  /** A browser of its own, with an account signed in: for a second person in the same test. */
  openAs: (account: Account) => Promise<SignedIn>;
  admin: SignedIn;
  staff: SignedIn;
  /** Becomes whoever a view is for, and opens it. */
  look: (view: View) => Promise<void>;
};

type WorkerFixtures = {
  server: { url: string; api: Api };
  /** Sessions that last as long as the server: for tests that only look. */
  viewers: { admin: string; staff: string };
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs here
    async ({}, use) => {
      const server = await startServer(process.env.FOOTPRINT_SEEDED ?? "");
      await use({ url: server.url, api: apiOf(server.url) });
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],

  viewers: [
    async ({ server: { api } }, use) => {
      const admin = await api.signIn(adminAccount);
      await use({ admin, staff: await api.signIn(await api.addStaff(admin)) });
    },
    { scope: "worker" },
  ],

  baseURL: ({ server }, use) => use(server.url),

  watch: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs here
    async ({}, use) => {
      const expected: RegExp[] = [];
      const watch: Watch = { problems: [], expectProblem: (pattern) => expected.push(pattern) };
      await use(watch);
      const unexpected = watch.problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
      expect(unexpected, "what the browser complained about").toEqual([]);
    },
    { auto: true },
  ],

  context: async ({ context, watch, server }, use) => {
    await observe(context, watch, server.url);
    await use(context);
  },

  adminToken: async ({ server }, use) => use(await server.api.signIn(adminAccount)),

  openAs: async ({ browser, server, watch, contextOptions }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (account) => {
      const token = await server.api.signIn(account);
      const context = await browser.newContext({
        ...contextOptions,
        baseURL: server.url,
        viewport: { width: 1440, height: 900 },
      });
      opened.push(context);
      await observe(context, watch, server.url);
      await context.addCookies([{ name: "footprint", value: token, url: server.url }]);
      return { page: await context.newPage(), account, token };
    });
    for (const context of opened) await context.close();
  },

  admin: async ({ context, page, server, adminToken }, use) => {
    await context.addCookies([{ name: "footprint", value: adminToken, url: server.url }]);
    await use({ page, account: adminAccount, token: adminToken });
  },

  staff: async ({ context, page, server, adminToken }, use) => {
    const account = await server.api.addStaff(adminToken);
    const token = await server.api.signIn(account);
    await context.addCookies([{ name: "footprint", value: token, url: server.url }]);
    await use({ page, account, token });
  },

  look: async ({ context, page, server, viewers }, use) => {
    await use(async (view) => {
      const who = view.as ?? "admin";
      if (who !== "nobody") await context.addCookies([{ name: "footprint", value: viewers[who], url: server.url }]);
      await openView(page, view);
    });
  },
});

export { expect };

/** Collects console errors (a broken content security policy is one), page errors and calls to other hosts. */
async function observe(context: BrowserContext, watch: Watch, url: string) {
  context.on("console", (message) => {
    if (message.type() === "error") watch.problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => {
    watch.problems.push(`page error: ${error.error().stack ?? error.error().message}`);
  });
  context.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && origin !== url) watch.problems.push(`outside host: ${request.url()}`);
  });
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`CSP: ${event.violatedDirective} refused ${event.blockedURI}`);
    });
  });
}

export async function expectNoAxeViolations(page: Page) {
  // Again while it fails: right after a change of theme or screen, colours may still be those of before.
  await expect(async () => {
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map((node) => node.html) }));
    expect(found, `accessibility of ${page.url()}`).toEqual([]);
  }).toPass({ timeout: 20_000 });
}
