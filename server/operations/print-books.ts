// `npm run books -- [--link NUMBER:HASH …]`: checks all of the books, and whether noted links are still in the chain.
import { lateRows, newestLink } from "../accounts/log-chain.ts";
import { beginningOfChain, type NotedLink } from "../accounts/log-verification.ts";
import { checkAndKeepBooks } from "../money/books.ts";
import { runCommand } from "./command.ts";
import { notedLink } from "./noted-links.ts";
import { withoutControlCharacters } from "./terminal.ts";

await runCommand(async (open) => {
  const noted = notedLinks(process.argv.slice(2));
  const db = await open();
  const archived = await beginningOfChain(db);
  const { balanced, problems } = await checkAndKeepBooks(db, { wholeLog: true, noted });
  for (const problem of problems) console.error(withoutControlCharacters(problem));
  console.log(balanced ? "The books balance." : "The books do not balance.");
  const { link, chained, waiting } = await newestLink(db);
  const wait = waiting === 0 ? "" : `; ${waiting.toLocaleString("en")} not yet`;
  const late = await lateRows(db);
  if (late.rows > 0)
    console.log(
      `Entries that came late, after the clock was set back or by hand: ${late.rows.toLocaleString("en")}, in links ${late.links.slice(0, 20).join(", ")}${late.links.length > 20 ? " and others" : ""}.`,
    );
  if (archived.rows > 0)
    console.log(
      `Archived log entries: ${archived.rows.toLocaleString("en")}, up to link ${archived.number} of ${archived.until}; npm run archive -- --check checks these.`,
    );
  if (link)
    console.log(`Chained log entries: ${chained.toLocaleString("en")}${wait}. Newest link, to be noted elsewhere:`);
  console.log(link ? `${link.number}:${link.hash}` : "No log entry is chained yet.");
  const elsewhere = noted.filter(({ number }) => number < archived.number);
  for (const { number, hash } of elsewhere)
    console.error(
      `Link ${number} is archived and was not checked: npm run archive -- --check --link ${number}:${hash}`,
    );
  return balanced && elsewhere.length === 0 ? 0 : 1;
});

function notedLinks(args: string[]): NotedLink[] {
  const usage = "Usage: npm run books -- [--link NUMBER:HASH …]";
  return args.flatMap((arg, place) => {
    if (place % 2 === 0 && arg === "--link" && place + 1 < args.length) return [];
    return [notedLink(place % 2 === 1 ? arg : "", usage)];
  });
}
