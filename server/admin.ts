import { createAdmin, resetPassword } from "./accounts.ts";
import { runCommand } from "./command.ts";
import { StartError } from "./config.ts";

const tasks = { create: createAdmin, "reset-password": resetPassword };

await runCommand(async (open) => {
  const [command, name, ...rest] = process.argv.slice(2);
  const task = tasks[command as keyof typeof tasks];
  if (!task || !name || rest.length > 0)
    throw new StartError("Usage: npm run admin -- create NAME | npm run admin -- reset-password NAME");
  if (!/^[A-Za-z0-9._-]{3,32}$/.test(name))
    throw new StartError(`"${name}" is not a username: use 3 to 32 letters, digits, . _ or -.`);
  const password = await task(await open(), name);
  if (!password) throw new StartError(`There is no account ${name}: create it with npm run admin -- create ${name}.`);
  console.log(`${name} can sign in with the password ${password} (shown only this once)`);
  return 0;
});
