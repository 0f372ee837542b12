// `npm run screenshots`: every view of the table, light and dark, wide and narrow, into screenshots/.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { browserArgs, findBrowser } from "../scripts/browser.mjs";
import { root } from "../scripts/process.mjs";
import { apiOf } from "./api.ts";
import { openView, views } from "./screens.ts";
import { adminAccount, startPostgresWithSeed, startSeededServer } from "./server.ts";

const folder = join(root, "screenshots");
const sizes = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];

await rm(folder, { recursive: true, force: true });
await mkdir(folder);
const postgres = await startPostgresWithSeed();
process.env.TEST_POSTGRES = postgres.url;
const server = await startSeededServer();
const executablePath = findBrowser();
const browser = await chromium.launch({ args: browserArgs, ...(executablePath ? { executablePath } : {}) });
try {
  const api = apiOf(server.url);
  const admin = await api.signIn(adminAccount);
  for (const name of ["maren", "tomas.k", "night-shift", "returns_desk"]) await api.addStaff(admin, name);
  const staff = await api.signIn(await api.addStaff(admin, "front-desk"));
  const tokens = { admin, staff };

  for (const viewport of sizes) {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const view of views) {
        const context = await browser.newContext({
          baseURL: server.url,
          viewport,
          colorScheme,
          reducedMotion: "reduce",
        });
        const who = view.as ?? "admin";
        if (who !== "nobody") await context.addCookies([{ name: "footprint", value: tokens[who], url: server.url }]);
        const page = await context.newPage();
        await openView(page, view);
        await page.screenshot({
          path: join(folder, `${view.name}-${colorScheme}-${viewport.width}.png`),
          fullPage: true,
        });
        await context.close();
      }
    }
  }
} finally {
  await browser.close();
  await server.stop();
  await postgres.stop();
}
console.log(`${views.length * sizes.length * 2} pictures in screenshots/`);
