import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import type { Page } from "@playwright/test";
import { projectNode, root } from "../scripts/process.mjs";
import { type Api, uniqueName } from "./api.ts";
import { test as base, expect } from "./fixtures.ts";
import { end, newFolder, readyPort } from "./server.ts";

type DemoCustomer = { discordId: string; username: string };

/** Starts the example shop as its users do, on a free port, beside a Footprint that has given it a key or not. */
export async function startExampleShop(footprint: string, key?: string) {
  const folder = await newFolder();
  const customers: DemoCustomer[] = [];
  const file = join(folder, "example-shop.json");
  /** As Footprint writes it for its demo's shop. */
  const giveKey = (given: string) => writeFile(file, JSON.stringify({ key: given, customers }));
  if (key) await giveKey(key);
  const child = spawn(projectNode(), ["shop/main.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      SHOP_PORT: "0",
      FOOTPRINT_URL: footprint,
      DATA_DIR: folder,
      SHOP_DATA: join(folder, "shop"),
    },
  });
  const url = `http://127.0.0.1:${await readyPort(child)}`;
  return {
    url,
    giveKey,
    takeKey: () => rm(file, { force: true }),
    async addDemoCustomer(customer: DemoCustomer) {
      customers.push(customer);
      await giveKey(key ?? "");
    },
    async stop() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type ExampleShop = Omit<Awaited<ReturnType<typeof startExampleShop>>, "stop"> & {
  key: string;
  /** Sold by the pound: $8.90 up to 3, $14.00 up to 10. */
  pounds: string;
  /** Sold by the ounce: $4.10 up to 8. */
  ounces: string;
  /** Uses prepaid codes, of which there are always fewer than 500. Costs a cent. */
  scarce: string;
};

type Customer = DemoCustomer & { _id: string };
type Made = { balance?: number; isVerified?: boolean };

type WorkerFixtures = {
  shop: ExampleShop;
};
type TestFixtures = {
  /** A customer that no other test uses. */
  newCustomer: (made?: Made) => Promise<Customer>;
  /** Opens the shop as a customer, in the test's own window. */
  visit: (customer: Customer, path?: string) => Promise<Page>;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  shop: [
    async ({ server, lasting }, use) => {
      const admin = await lasting.confirmed();
      const name = uniqueName("counter");
      const { key } = await server.api.call(admin, website.createApiKey, { body: { name } });
      const kinds = await addLabelTypes(server.api, admin, name);
      const { stop, ...shop } = await startExampleShop(server.url, key);
      await use({ ...shop, ...kinds, key });
      await stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],

  origins: ({ server, shop }, use) => use([shop.url, server.url]),

  baseURL: ({ shop }, use) => use(shop.url),

  newCustomer: async ({ server: { api }, adminToken, shop }, use) => {
    await use(async ({ balance = 0, isVerified = true } = {}) => {
      const username = uniqueName("buyer");
      const { customer } = await api.call(shop.key, storefront.putCustomer, {
        params: { discordId: username },
        body: { username },
      });
      const params = { id: customer._id };
      if (isVerified) await api.call(adminToken, users.verify, { params });
      if (balance) await api.call(adminToken, users.addBalance, { params, body: { balance } });
      await shop.addDemoCustomer({ discordId: username, username });
      return { discordId: username, username, _id: customer._id };
    });
  },

  visit: async ({ page, shop }, use) => {
    await use(async ({ discordId }, path = "/") => {
      const answer = await page.request.post(`${shop.url}/api/sign-in/demo`, { data: { discordId } });
      expect(answer.status()).toBe(200);
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      return page;
    });
  },
});

export { expect };

async function addLabelTypes(api: Api, admin: string, name: string) {
  const add = async (label: string, codes: "express" | null, tiers: [from: number, to: number, price: number][]) => {
    const definition = { name: label, uid: label.replaceAll(" ", "-"), maxWeight: 10 };
    await api.call(admin, labelTypes.create, { body: { ...definition, type: codes ? "usps" : "wwbiz", codes } });
    const { labelTypes: all } = await api.call(admin, labelTypes.list, {});
    const id = all.find((one) => one.name === label)?._id ?? "";
    for (const [fromWeight, toWeight, price] of tiers)
      await api.call(admin, labelTypes.addTier, { params: { id }, body: { fromWeight, toWeight, price } });
    return label;
  };
  return {
    pounds: await add(`${name} Ground`, null, [
      [0, 3, 8.9],
      [3, 10, 14],
    ]),
    ounces: await add(`${name} First Class`, null, [[0, 8, 4.1]]),
    scarce: await add(`${name} Express`, "express", [[0, 10, 0.01]]),
  };
}
