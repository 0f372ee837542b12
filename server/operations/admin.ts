import { usernamePattern } from "@footprint/contract/staff.ts";
import { createAdmin, resetPassword, resetTwoStep } from "../accounts/accounts.ts";
import { StartError } from "../config.ts";
import { runCommand } from "./command.ts";

const tasks = { create: createAdmin, "reset-password": resetPassword, "reset-two-step": resetTwoStep };

await runCommand(async (open) => {
  const [command, name, ...rest] = process.argv.slice(2);
  const task = tasks[command as keyof typeof tasks];
  if (!task || !name || rest.length > 0)
    throw new StartError(`Usage: npm run admin -- TASK NAME, where TASK is one of ${Object.keys(tasks).join(", ")}`);
  if (!usernamePattern.test(name))
    throw new StartError(`"${name}" is not a username: use 3 to 32 letters, digits, . _ or -.`);
  const done = await task(await open(), name);
  if (!done) throw new StartError(`There is no account ${name}: create it with npm run admin -- create ${name}.`);
  console.log(done);
  return 0;
});
