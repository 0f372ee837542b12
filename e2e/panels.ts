import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";

declare global {
  interface Window {
    /** In panels that may stay open: leaves the screen, and tells whether the panel is as if just loaded. */
    leaveScreen?: () => Promise<boolean>;
  }
}

/** Panels that stay open from test to test, since loading one takes longer than most of what is done in it. */
export function panelsOf(browser: Browser, prepare: (context: BrowserContext) => Promise<unknown>) {
  const open = new Map<string, Page>();

  async function openPanel(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    await keepOpen(context);
    await prepare(context);
    const page = await context.newPage();
    refuse(page, ["addInitScript", "emulateMedia", "exposeBinding", "exposeFunction"]);
    refuse(context, ["addInitScript", "exposeBinding", "exposeFunction", "newCDPSession", "route"]);
    refuse(context, ["grantPermissions", "setExtraHTTPHeaders", "setGeolocation", "setOffline"]);
    refuse(context.clock, ["fastForward", "install", "pauseAt", "runFor", "setFixedTime", "setSystemTime"]);
    return page;
  }

  return {
    async borrow(options: BrowserContextOptions & { baseURL: string }, token: string) {
      const kind = JSON.stringify({ ...options, token });
      const page = open.get(kind) ?? (await openPanel(options));
      const context = page.context();
      open.delete(kind);
      if (!(await isInPanel(page)))
        await context.addCookies([{ name: "footprint", value: token, url: options.baseURL }]);
      return {
        page,
        async giveBack(isGood: boolean) {
          if (!isGood || page.isClosed()) return context.close();
          await empty(page, options.viewport);
          open.set(kind, page);
        },
      };
    },

    async close() {
      for (const page of open.values()) await page.context().close();
    },
  };
}

/** Refuses what would change a window for good, and so the next test. */
function refuse(part: object, names: string[]) {
  for (const name of names)
    Object.defineProperty(part, name, {
      get() {
        throw new Error(`${name} would reach into the next test: say testAlone`);
      },
    });
}

async function empty(page: Page, viewport: BrowserContextOptions["viewport"]) {
  page.removeAllListeners();
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await resetSize(page, viewport);
  await page.mouse.move(0, 0);
  const isAsLoaded = (await leaveScreen(page)) && (await page.evaluate(forgetStored, ofScreens));
  if (isAsLoaded) return;
  await clear(page);
}

export async function resetSize(page: Page, viewport: BrowserContextOptions["viewport"]) {
  const { height, width } = page.viewportSize() ?? {};
  if (viewport && (height !== viewport.height || width !== viewport.width)) await page.setViewportSize(viewport);
}

/** Takes the panel out of a window, and what it stored. */
export async function clear(page: Page) {
  // To a picture of the same site, since another site would need a new process and compile all code again.
  await page.goto("/favicon.svg");
  await page.context().clearCookies();
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
}

/** Storage keys of screens, which are read whenever a screen is shown. */
const ofScreens = ["footprint-attention", "footprint-fedex-view", "footprint-rows", "footprint-staff-view"];

/** Returns whether there was nothing else: the parts around the screens do not read storage again. */
function forgetStored(ofScreens: string[]) {
  const isAround = ([key, value]: [string, string]) => !ofScreens.includes(key) && value !== "[]";
  const wasOfScreens = !Object.entries<string>(localStorage).some(isAround);
  localStorage.clear();
  sessionStorage.clear();
  return wasOfScreens;
}

const isInPanel = (page: Page) => page.evaluate(() => document.querySelector("a[href='#content']") !== null);
const leaveScreen = (page: Page) => page.evaluate(() => window.leaveScreen?.() ?? false);

/** Goes to an address in an open panel, as after a load; returns false if there is none. */
export async function goInPanel(page: Page, address: string): Promise<boolean> {
  if (!(await leaveScreen(page))) return false;
  await page.evaluate((to) => {
    // The frame's data is fetched again, as when somebody returns to the tab.
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    (document.activeElement as HTMLElement | null)?.blur();
    // With a key, as the router's own entries have: otherwise it would scroll to the last test's position.
    history.pushState({ key: Math.random().toString(36), idx: history.state.idx + 1 }, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, address);
  // The new screen takes the focus, which it must not take from what a test does next.
  await page.waitForFunction(() => document.activeElement !== document.body);
  return true;
}

/** Lets a window's panels be emptied without loading. */
export function keepOpen(context: BrowserContext) {
  return context.addInitScript(() => {
    // Neither an empty window nor a page in a frame.
    if (location.protocol === "about:" || window !== window.top) return;
    const { fetch, setTimeout } = window;
    const cookie = document.cookie;
    let fetchAtFirst = fetch;
    let pending = 0;
    /** Timers that drop answers which nobody has shown for five minutes. */
    let forget: (() => void)[] = [];
    window.fetch = (...asked) => {
      pending += 1;
      return fetch(...asked).finally(() => {
        pending -= 1;
      });
    };
    const watched = ((run: () => void, after?: number, ...rest: unknown[]) => {
      if (after === 300_000) forget.push(run);
      return setTimeout(run, after, ...rest);
    }) as typeof setTimeout;
    window.setTimeout = watched;
    document.addEventListener("DOMContentLoaded", () => {
      fetchAtFirst = window.fetch;
    });

    async function comesTrue(isTrue: () => boolean): Promise<boolean> {
      for (let tries = 0; tries < 100 && !isTrue(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
      return isTrue();
    }
    const toasts = () => document.querySelectorAll<HTMLElement>("[aria-label^=Notifications] button");

    window.leaveScreen = async () => {
      // With a clock of the test's own, nothing is known of its timers.
      if (!document.querySelector("a[href='#content']") || window.setTimeout !== watched) return false;
      const isEdited = !dispatchEvent(new Event("beforeunload", { cancelable: true }));
      if (isEdited || document.cookie !== cookie || window.fetch !== fetchAtFirst) return false;
      if (location.pathname !== "/nowhere") {
        history.pushState({ key: "nowhere", idx: (history.state?.idx ?? 0) + 1 }, "", "/nowhere");
        dispatchEvent(new PopStateEvent("popstate"));
      }
      const isLeft = () => document.querySelector("h1")?.textContent === "Unexpected Application Error!";
      const isOpen = () => document.querySelector("[role=dialog], [role=listbox], [role=menu]") !== null;
      if (!(await comesTrue(() => isLeft() && !isOpen() && pending === 0))) return false;
      for (const button of toasts()) button.click();
      if (!(await comesTrue(() => toasts().length === 0))) return false;
      for (const run of forget) run();
      forget = [];
      return true;
    };
  });
}
