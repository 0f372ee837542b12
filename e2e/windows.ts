import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { clear, keepOpen, resetSize } from "./panels.ts";

/** What a window is like, and whether its panel follows other people's changes. */
export type Kind = BrowserContextOptions & { baseURL: string; isLive: boolean };

/**
 * Windows that are emptied and lent again, since opening one takes as long as loading the panel. Playwright's own way
 * (`reuseContext`) leads to another site, which throws away the browser's cache and the compiled code in it.
 */
export function windowsOf(browser: Browser, prepare: (context: BrowserContext, isLive: boolean) => Promise<unknown>) {
  const free = new Map<string, Page[]>();
  const changed = new WeakSet<BrowserContext>();

  async function openWindow(kind: Kind): Promise<Page> {
    const { isLive, ...options } = kind;
    const context = await browser.newContext(options);
    await keepOpen(context);
    await prepare(context, isLive);
    const page = await context.newPage();
    const note = () => changed.add(context);
    before(page, ["addInitScript", "emulateMedia", "exposeBinding", "exposeFunction", "setExtraHTTPHeaders"], note);
    before(context, ["addInitScript", "exposeBinding", "exposeFunction", "newCDPSession"], note);
    before(context, ["grantPermissions", "setExtraHTTPHeaders", "setGeolocation", "setOffline"], note);
    before(context.clock, ["fastForward", "install", "pauseAt", "runFor", "setFixedTime", "setSystemTime"], note);
    // What another site has stored is not cleared.
    context.on("request", (request) => {
      if (request.isNavigationRequest() && !request.url().startsWith(kind.baseURL)) note();
    });
    return page;
  }

  return {
    async borrow(kind: Kind) {
      const name = JSON.stringify(kind);
      const page = free.get(name)?.pop() ?? (await openWindow(kind));
      return {
        page,
        async giveBack(isGood: boolean) {
          const context = page.context();
          if (!isGood || page.isClosed() || changed.has(context)) return context.close();
          await empty(page, kind);
          free.set(name, [...(free.get(name) ?? []), page]);
        },
      };
    },

    async close() {
      for (const page of [...free.values()].flat()) await page.context().close();
    },
  };
}

/** Calls `note` before what changes a window for good. */
function before<Part extends object>(part: Part, names: (keyof Part & string)[], note: () => void) {
  for (const name of names) {
    const act = part[name] as (...given: unknown[]) => unknown;
    const noted = (...given: unknown[]) => {
      note();
      return act.apply(part, given);
    };
    Object.defineProperty(part, name, { value: noted });
  }
}

async function empty(page: Page, { viewport }: Kind) {
  const context = page.context();
  page.removeAllListeners();
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.unrouteAll({ behavior: "ignoreErrors" });
  await resetSize(page, viewport);
  await page.mouse.move(0, 0);
  await clear(page);
}
