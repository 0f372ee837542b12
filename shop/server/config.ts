import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export type Config = {
  port: number;
  host: string;
  /** Footprint's address. */
  url: string;
  /** From the environment; otherwise the demo business's, once there is one. */
  key: string | undefined;
  demoFile: string;
  dataDir: string;
};

/** The shop cannot start: shown without a stack. */
export class StartError extends Error {}

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const port = Number(env.SHOP_PORT || 7500);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new StartError(`SHOP_PORT has to be a port such as 7500, not ${env.SHOP_PORT}.`);
  const url = env.FOOTPRINT_URL || "http://localhost:7400";
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new StartError(`FOOTPRINT_URL has to be an address such as http://localhost:7400, not ${url}.`);
  return {
    port,
    host: env.SHOP_HOST || "127.0.0.1",
    url,
    key: env.FOOTPRINT_KEY?.trim() || undefined,
    demoFile: join(resolve(root, env.DATA_DIR || "data"), "example-shop.json"),
    dataDir: resolve(root, env.SHOP_DATA || "shop/data"),
  };
}

export type DemoCustomer = { discordId: string; username: string };

/** The key and customers of the demo business; undefined if they do not exist (yet). */
export function readDemo({ demoFile }: Config): { key: string; customers: DemoCustomer[] } | undefined {
  try {
    const { key, customers } = JSON.parse(readFileSync(demoFile, "utf8"));
    if (typeof key !== "string" || !key) return undefined;
    return { key, customers: Array.isArray(customers) ? customers : [] };
  } catch {
    return undefined;
  }
}
