import { checkAndKeepBooks } from "../money/books.ts";
import { runCommand } from "./command.ts";
import { withoutControlCharacters } from "./terminal.ts";

await runCommand(async (open) => {
  const { balanced, problems } = await checkAndKeepBooks(await open());
  for (const problem of problems) console.error(withoutControlCharacters(problem));
  console.log(balanced ? "The books balance." : "The books do not balance.");
  return balanced ? 0 : 1;
});
