import { parseArgs } from "node:util";
import { createAdmin, resetPassword } from "./accounts.ts";
import { readConfig, StartError } from "./config.ts";
import { openEngine } from "./db/engine.ts";

const usage = "Usage: npm run admin -- create NAME | npm run admin -- reset-password NAME";

async function run() {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [command, name] = positionals;
  if (!name || positionals.length > 2 || (command !== "create" && command !== "reset-password"))
    throw new StartError(usage);
  if (!/^[A-Za-z0-9._-]{3,32}$/.test(name))
    throw new StartError(`"${name}" is not a username: use 3 to 32 letters, digits, . _ or -.`);
  const engine = await openEngine(readConfig(process.env));
  try {
    const password = command === "create" ? await createAdmin(engine.db, name) : await resetPassword(engine.db, name);
    if (!password) throw new StartError(`There is no account ${name}: create it with npm run admin -- create ${name}.`);
    console.log(`${name} can sign in with the password ${password} (shown only this once)`);
  } finally {
    await engine.close();
  }
}

run().catch((error) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
