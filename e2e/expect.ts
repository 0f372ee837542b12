import { expect as base, type ExpectMatcherState, type Locator } from "@playwright/test";

const patientMatchers = [
  "toBeVisible",
  "toContainText",
  "toHaveText",
  "toBeFocused",
  "toHaveValue",
  "toHaveAttribute",
  "toHaveAccessibleName",
  "toHaveAccessibleDescription",
  "toBeDisabled",
  "toBeEnabled",
  "toBeChecked",
] as const;

/**
 * Waits for the element before anything is expected of it. While it is not there, Playwright's own would describe the
 * whole page at every look (https://github.com/microsoft/playwright/issues/41098), a tenth of what pages take and more.
 */
function patient(name: (typeof patientMatchers)[number]) {
  return async function (this: ExpectMatcherState, locator: Locator, ...args: unknown[]) {
    const isMet = { pass: !this.isNot, message: () => "" };
    const { timeout = this.timeout } = (args.at(-1) ?? {}) as { timeout?: number };
    const isVisibleExpected = name === "toBeVisible" && !this.isNot;
    if (isVisibleExpected || (name !== "toBeVisible" && !Array.isArray(args[0]))) {
      const wait = locator.waitFor({ state: isVisibleExpected ? "visible" : "attached", timeout });
      const isThere = await wait.then(
        () => true,
        () => false,
      );
      if (isThere && isVisibleExpected) return isMet;
    }
    try {
      const expected = this.isNot ? base(locator).not : base(locator);
      await (expected[name] as (...args: unknown[]) => Promise<void>)(...args);
      return isMet;
    } catch (error) {
      return { pass: this.isNot, message: () => (error as Error).message };
    }
  };
}

export const expect: typeof base = base.extend(
  Object.fromEntries(patientMatchers.map((name) => [name, patient(name)])),
);
