import { checkAndKeepBooks } from "../money/books.ts";
import { runCommand } from "./command.ts";
import { harmless } from "./terminal.ts";

await runCommand(async (open) => {
  const { balanced, problems } = await checkAndKeepBooks(await open());
  for (const problem of problems) console.error(harmless(problem));
  console.log(balanced ? "The books balance." : "The books do not balance.");
  return balanced ? 0 : 1;
});
