import { defineConfig } from "@playwright/test";
import { browserArgs, findBrowser } from "../scripts/browser.mjs";

const executablePath = findBrowser();

export default defineConfig({
  testDir: ".",
  outputDir: "test-results",
  globalSetup: "./prepare.ts",
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  reporter: "list",
  // Generous, since nothing waits for them unless it fails: machines that run tests are often busy.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    // Emptied between tests. A new browser window each would take longer than most tests.
    reuseContext: true,
    // Drawing what moves takes a tenth of a test; users.spec.ts looks at the panel in motion.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      args: browserArgs,
      // Without a locale the browser gives files no names beyond ASCII.
      env: { ...process.env, LANG: "C.UTF-8" },
      ...(executablePath ? { executablePath } : {}),
    },
    screenshot: "only-on-failure",
  },
});
