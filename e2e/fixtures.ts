import { events } from "@footprint/contract/events.ts";
import { session } from "@footprint/contract/session.ts";
import {
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  type Page,
  type Request,
  type WebError,
} from "@playwright/test";
import { type Account, type Api, apiOf } from "./api.ts";
import { expect } from "./expect.ts";
import { panelsOf } from "./panels.ts";
import { openView, type View } from "./screens.ts";
import { adminAccount, startSeededServer } from "./server.ts";
import { windowsOf } from "./windows.ts";

/** Problems that a browser reported during a test. */
type Watch = {
  problems: string[];
  /** Lets a test cause a problem on purpose. */
  expectProblem(pattern: RegExp): void;
  unexpected(): string[];
};

/** A page with someone signed in on it. */
type SignedIn = { page: Page; account: Account; token: string };

type TestFixtures = {
  /** For tests that end sessions or change accounts, on a session that nobody else uses. */
  ownSession: boolean;
  /** Follows other people's changes, as real panels do; in other tests the previous test would reach into the next. */
  isLive: boolean;
  watch: Watch;
  /** The hosts that the test's pages may call: only the product by default. */
  origins: string[];
  /** Opens another browser with this account, for a second person in a test. */
  openAs: (account: Account) => Promise<SignedIn>;
  /** Lends the panel of a lasting session. */
  inPanel: (token: string, use: (page: Page) => Promise<void>) => Promise<void>;
  admin: SignedIn;
  staff: SignedIn;
  /** Stops the page's timers until the test advances them; needs an installed clock. */
  stopClock: () => Promise<void>;
  /** Signs in as whoever a view is for, and opens it 1440 px wide, in the theme of the view before. */
  look: (view: View) => Promise<Page>;
};

type WorkerFixtures = {
  server: { url: string; api: Api };
  /** Sessions that last as long as the server. */
  lasting: { admin: string; staff: string; member: Account; confirmed: () => Promise<string> };
  adminToken: string;
  panels: ReturnType<typeof panelsOf>;
  /** For tests that load the panel, and for second persons. */
  windows: ReturnType<typeof windowsOf>;
  /**
   * The window for all views, and whose panel it shows: opening or loading one for every view would take as long as
   * looking at it.
   */
  gallery: { page?: Page; who?: "admin" | "staff" | undefined; wasAnswered?: boolean };
};

/** For a test whose changes would disturb the next one: its window is emptied first, and loads the panel. */
export const testAlone = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs here
    async ({}, use) => {
      const server = await startSeededServer({ WEBHOOK_PRIVATE: "on" });
      await use({ url: server.url, api: apiOf(server.url) });
      await server.stop();
    },
    { scope: "worker", timeout: 300_000 },
  ],

  lasting: [
    async ({ server: { api } }, use) => {
      const admin = await api.signIn(adminAccount);
      const member = await api.addStaff(admin);
      let last = Date.now();
      /** The administrator's session, recently confirmed, for tests of sensitive acts. */
      const confirmed = async () => {
        if (Date.now() - last > 10 * 60_000) {
          await api.call(admin, session.confirm, { body: { password: adminAccount.password } });
          last = Date.now();
        }
        return admin;
      };
      await use({ admin, staff: await api.signIn(member), member, confirmed });
    },
    { scope: "worker" },
  ],

  adminToken: [({ lasting }, use) => use(lasting.admin), { scope: "worker" }],

  ownSession: [false, { option: true }],

  isLive: [false, { option: true }],

  panels: [
    async ({ browser }, use) => {
      const panels = panelsOf(browser, (context) => prepare(context, false));
      await use(panels);
      await panels.close();
    },
    { scope: "worker" },
  ],

  windows: [
    async ({ browser }, use) => {
      const windows = windowsOf(browser, prepare);
      await use(windows);
      await windows.close();
    },
    { scope: "worker" },
  ],

  gallery: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs here
    async ({}, use) => {
      const gallery: WorkerFixtures["gallery"] = {};
      await use(gallery);
      await gallery.page?.context().close();
    },
    { scope: "worker" },
  ],

  baseURL: ({ server }, use) => use(server.url),

  watch: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs here
    async ({}, use) => {
      const expected: RegExp[] = [];
      const problems: string[] = [];
      const watch: Watch = {
        problems,
        expectProblem: (pattern) => expected.push(pattern),
        unexpected: () => problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
      };
      await use(watch);
      expect(watch.unexpected(), "what the browser complained about").toEqual([]);
    },
    { auto: true },
  ],

  origins: ({ server }, use) => use([server.url]),

  context: async ({ windows, server, baseURL, viewport, contextOptions, watch, origins, isLive }, use, testInfo) => {
    const kind = { ...contextOptions, baseURL: baseURL ?? server.url, viewport, isLive };
    const { page, giveBack } = await windows.borrow(kind);
    const stop = observe(page.context(), watch, origins);
    await use(page.context());
    stop();
    await giveBack(testInfo.status === "passed" && watch.unexpected().length === 0);
  },

  page: ({ context }, use) => use(context.pages()[0] as Page),

  openAs: async ({ windows, server, viewport, contextOptions, watch, isLive }, use, testInfo) => {
    const ends: ((isGood: boolean) => Promise<void>)[] = [];
    await use(async (account) => {
      const token = await server.api.signIn(account);
      const kind = { ...contextOptions, baseURL: server.url, viewport, isLive };
      const { page, giveBack } = await windows.borrow(kind);
      const stop = observe(page.context(), watch, [server.url]);
      ends.push((isGood) => {
        stop();
        return giveBack(isGood);
      });
      await page.context().addCookies([{ name: "footprint", value: token, url: server.url }]);
      return { page, account, token };
    });
    for (const end of ends) await end(testInfo.status === "passed" && watch.unexpected().length === 0);
  },

  inPanel: async ({ panels, server, watch, contextOptions, isLive, ownSession }, use, testInfo) => {
    await use(async (token, work) => {
      if (isLive || ownSession) throw new Error("A panel that stays open is neither live nor has its own session");
      const viewport = { width: 1440, height: 900 };
      const { page, giveBack } = await panels.borrow({ ...contextOptions, baseURL: server.url, viewport }, token);
      const stop = observe(page.context(), watch, [server.url]);
      await work(page);
      stop();
      await giveBack(testInfo.status === "passed" && watch.unexpected().length === 0);
    });
  },

  admin: async ({ context, page, server, lasting, ownSession }, use) => {
    const token = ownSession ? await server.api.signIn(adminAccount) : await lasting.confirmed();
    await context.addCookies([{ name: "footprint", value: token, url: server.url }]);
    await use({ page, account: adminAccount, token });
  },

  staff: async ({ context, page, server, lasting, ownSession }, use) => {
    const account = ownSession ? await server.api.addStaff(lasting.admin) : lasting.member;
    const token = ownSession ? await server.api.signIn(account) : lasting.staff;
    await context.addCookies([{ name: "footprint", value: token, url: server.url }]);
    await use({ page, account, token });
  },

  stopClock: async ({ page }, use) => {
    let stopped = false;
    await use(async () => {
      stopped = true;
      // Retried if more than that second passes: the clock cannot be set back, but it stands from then on.
      await expect(async () => {
        await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
      }).toPass();
    });
    // A stopped clock would reach into the next test.
    if (stopped) await page.clock.resume();
  },

  look: async ({ browser, gallery, server, lasting, watch }, use) => {
    if (!gallery.page) {
      const context = await browser.newContext({ baseURL: server.url, reducedMotion: "reduce" });
      await prepare(context, false);
      gallery.page = await context.newPage();
    }
    const { page } = gallery;
    const stop = observe(page.context(), watch, [server.url]);
    await use(async (view) => {
      const who = view.as ?? "admin";
      await page.setViewportSize({ width: 1440, height: 800 });
      await page.mouse.move(0, 0);
      // The panel remembers faked answers for a while.
      const isThere = who === gallery.who && !view.ownPanel && (Boolean(view.answers) || !gallery.wasAnswered);
      if (!isThere) {
        // A panel that finds itself signed out would take the next one's cookie with it. It goes to a picture of the
        // same site, since another site would need a new process and compile all code again.
        if (gallery.who) await page.goto("/favicon.svg");
        await page.context().clearCookies();
        if (who !== "nobody")
          await page.context().addCookies([{ name: "footprint", value: lasting[who], url: server.url }]);
        gallery.wasAnswered = false;
      }
      gallery.who = who === "nobody" || view.ownPanel ? undefined : who;
      gallery.wasAnswered ||= Boolean(view.answers);
      await openView(page, view, isThere ? showAddress : undefined);
      return page;
    });
    stop();
    if (gallery.who) {
      // Where there is no screen, nothing of a view is left.
      await showAddress(page, "/nowhere");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Unexpected Application Error!");
    } else await page.goto("/favicon.svg");
    // Faked answers must not reach the next view.
    await page.unrouteAll({ behavior: "wait" });
    await page.evaluate(() => localStorage.clear());
  },
});

/** The administrator and the staff member work in panels that stay open from test to test. */
export const test = testAlone.extend({
  admin: async ({ inPanel, lasting }, use) => {
    const token = await lasting.confirmed();
    await inPanel(token, (page) => use({ page, account: adminAccount, token }));
  },

  staff: async ({ inPanel, lasting: { member, staff: token } }, use) => {
    await inPanel(token, (page) => use({ page, account: member, token }));
  },
});

/** Goes to an address without loading the panel, as Back does. */
const showAddress = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);

export { expect };

/** Collects console errors (which include broken content security policies), page errors and calls to other hosts. */
function observe(context: BrowserContext, watch: Watch, origins: string[]): () => void {
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === "error") watch.problems.push(`console: ${message.text()} (${message.location().url})`);
  };
  const onError = (error: WebError) => {
    watch.problems.push(`page error: ${error.error().stack ?? error.error().message}`);
  };
  const onRequest = (request: Request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol) && !origins.includes(origin))
      watch.problems.push(`outside host: ${request.url()}`);
  };
  context.on("console", onConsole).on("weberror", onError).on("request", onRequest);
  return () => context.off("console", onConsole).off("weberror", onError).off("request", onRequest);
}

/**
 * Reports violations of the content security policy to the console. Toasts stay twice as long as for people, since a
 * busy machine may not look at the page for five seconds.
 */
function prepare(context: BrowserContext, isLive: boolean) {
  return context.addInitScript(
    (followed) => {
      const { fetch } = window;
      /** Says nothing, but is not silent: after 40 s of silence the panel would fetch everything again. */
      const quiet = () =>
        new ReadableStream({ start: (stream) => void setInterval(() => stream.enqueue(new Uint8Array(1)), 10_000) });
      window.fetch = async (...asked) =>
        String(asked[0]).endsWith(followed) ? new Response(quiet()) : fetch(...asked);
      document.addEventListener("DOMContentLoaded", () => {
        // Not a style element, which the content security policy may refuse.
        const style = new CSSStyleSheet();
        style.replaceSync(".Toastify__progress-bar { animation-duration: 10s !important }");
        document.adoptedStyleSheets.push(style);
      });
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`CSP: ${event.violatedDirective} refused ${event.blockedURI}`);
      });
    },
    isLive ? "nothing" : events.stream.path,
  );
}
