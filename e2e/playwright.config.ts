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
  timeout: 30_000,
  expect: { timeout: 10_000 },
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    launchOptions: { args: browserArgs, ...(executablePath ? { executablePath } : {}) },
    screenshot: "only-on-failure",
  },
});
