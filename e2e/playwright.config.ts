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
  // Generous, since only failing tests wait this long, and test machines are often busy.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    // Drawing animations takes a tenth of a test's time; users.spec.ts tests the panel with motion.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      args: browserArgs,
      // Without a locale the browser limits file names to ASCII.
      env: { ...process.env, LANG: "C.UTF-8" },
      ...(executablePath ? { executablePath } : {}),
    },
    screenshot: "only-on-failure",
  },
});
