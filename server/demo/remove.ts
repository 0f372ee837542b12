import { readConfig } from "../config.ts";
import { runCommand } from "../operations/command.ts";
import { forgetKey } from "./example-shop.ts";
import { removeDemo } from "./load.ts";

await runCommand(async (open) => {
  const removed = await removeDemo(await open());
  if (removed) await forgetKey(readConfig(process.env).dataDir);
  console.log(removed ? "The demo business is gone. Accounts stayed." : "There is no demo business in this database.");
  return removed ? 0 : 1;
});
