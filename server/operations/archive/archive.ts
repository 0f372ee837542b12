// `npm run archive`: moves log entries older than LOG_RETENTION to files, and searches, checks and restores these.
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { logType } from "@footprint/contract/logs.ts";
import type { RowLine } from "../../accounts/chain-lines.ts";
import { restorePart } from "../../accounts/log-archive.ts";
import type { NotedLink } from "../../accounts/log-verification.ts";
import { type Archives, type BackupKeys, readConfig, StartError } from "../../config.ts";
import { checkKeys } from "../backup/seal.ts";
import { runCommand } from "../command.ts";
import { notedLink } from "../noted-links.ts";
import { withoutControlCharacters } from "../terminal.ts";
import { archiveLog } from "./archiving.ts";
import { archivesIn, checkArchive, readArchive } from "./file.ts";

const usage = `Usage: npm run archive
       npm run archive -- --search TEXT [--from DAY] [--to DAY] [--type TYPE] [--by NAME]
       npm run archive -- --check [--link NUMBER:HASH …]
       npm run archive -- --restore FILE`;

await runCommand(async (open) => {
  const asked = argumentsOf(process.argv.slice(2));
  const { archives, backupKeys: keys } = readConfig(process.env);
  if (keys) await checkKeys(keys);
  const folder = resolve(archives.folder);
  if (asked.check) {
    const noted = asked.link.map((text) => notedLink(text, usage));
    return check(folder, keys, noted);
  }
  if (asked.search !== undefined) return search(folder, keys, { ...asked, search: asked.search });
  if (asked.restore !== undefined) {
    // npm runs scripts in the project's folder, wherever it was called.
    const path = resolve(process.env.INIT_CWD ?? "", asked.restore);
    await checkArchive(path, keys);
    const restored = await restorePart(await open(), basename(path), readArchive(path, keys));
    console.log(`Restored ${restored.toLocaleString("en")} entries of the log.`);
    return 0;
  }
  const place = { ...kept({ ...archives, folder }), keys };
  const isDone = await archiveLog(await open(), place, { report: (line) => console.log(line) });
  console.log(
    isDone
      ? "All that is older than LOG_RETENTION is archived."
      : "A server is at it, or was until two minutes ago: try again then.",
  );
  return isDone ? 0 : 1;
});

function kept({ folder, keep }: Archives) {
  if (!keep) throw new StartError("Set LOG_RETENTION to how long the log is kept, a year or more, such as 400d or 7y.");
  return { folder, keep };
}

function argumentsOf(args: string[]) {
  try {
    const text = { type: "string" } as const;
    const { values } = parseArgs({
      args,
      options: {
        ...{ search: text, from: text, to: text, type: text, by: text, restore: text },
        ...{ check: { type: "boolean" }, link: { ...text, multiple: true, default: [] as string[] } },
      },
    });
    const { search, from, to, type, by, check, link, restore } = values;
    const tasks = [search, check, restore].filter((task) => task !== undefined);
    const isNarrowed = [from, to, type, by].some((value) => value !== undefined);
    if (tasks.length > 1 || (isNarrowed && search === undefined) || (link.length > 0 && !check)) throw new Error();
    if ([from, to].some((day) => day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(day))) throw new Error();
    if (type !== undefined && !logType.safeParse(type).success) throw new Error();
    return values;
  } catch {
    throw new StartError(usage);
  }
}

/** The keys for encrypted archives. */
type Keys = BackupKeys | undefined;

/** Days are in UTC, both included. */
type Search = { search: string; from?: string; to?: string; type?: string; by?: string };

/** Prints matching entries as lines of JSON, oldest first, in the order of the files. */
async function search(
  folder: string,
  keys: Keys,
  { search, from = "", to = "9999", type, by }: Search,
): Promise<number> {
  const sought = search.toLowerCase();
  let found = 0;
  let last: string | undefined;
  for (const name of await archivesIn(folder)) {
    // A part may be there twice: after a restore, or if archiving was cut off before the first file counted.
    const [part] = name.split(".");
    if (part === last) continue;
    last = part;
    // Nothing in a file is younger than its month.
    if (name.slice("log-".length, "log-YYYY-MM".length) < from.slice(0, 7)) continue;
    for await (const { row } of readArchive(join(folder, name), keys)) {
      if (!row || (type && row.type !== type) || (by && row.admin.toLowerCase() !== by.toLowerCase())) continue;
      const at = momentOf(row);
      if (at < from || at.slice(0, to.length) > to || !textOf(row).includes(sought)) continue;
      found++;
      if (!process.stdout.write(`${withoutControlCharacters(printed(row, at), escaped)}\n`))
        await new Promise((done) => process.stdout.once("drain", done));
    }
  }
  console.error(`${found.toLocaleString("en")} found.`);
  return 0;
}

/** Characters that a terminal must not show are written as JSON escapes, so that nothing is lost. */
function escaped(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function momentOf({ createdAt }: RowLine): string {
  return new Date(Math.floor(Number(createdAt) * 1000)).toISOString();
}

function textOf({ admin, action, before, after, ...ids }: RowLine): string {
  const values = [before, after].flatMap((json) => [json, ...unescaped(json)]);
  return [admin, action, ...values, ids.id, ids.subjectId, ids.customerId].join("\n").toLowerCase();
}

/** The texts in a value as people know them, if JSON writes some of their characters differently. */
function unescaped(json: string | null): string[] {
  const texts: string[] = [];
  if (json?.includes("\\")) JSON.parse(json, (_, value) => void (typeof value === "string" && texts.push(value)));
  return texts;
}

function printed({ id, admin, before, after, subjectKind, subjectId, ...row }: RowLine, at: string): string {
  return JSON.stringify({
    ...{ at, by: admin, kind: row.actorKind, type: row.type, action: row.action },
    ...{ before: before && JSON.parse(before), after: after && JSON.parse(after) },
    about: subjectKind && `${subjectKind} ${subjectId}`,
    ...{ customer: row.customerId, id },
  });
}

/**
 * Checks every line, each file against the previous one, and noted links. Prints where the chain in the database
 * continues.
 */
async function check(folder: string, keys: Keys, noted: NotedLink[]): Promise<number> {
  let end = { number: 0, hash: "" };
  let rows = 0;
  const problems: string[] = [];
  const unseen = new Map(noted.map((link) => [link.number, link.hash]));
  for (const name of await archivesIn(folder)) {
    try {
      const read = await checkArchive(join(folder, name), keys, ({ link }) => {
        if (!link || !unseen.has(link.number)) return;
        if (unseen.get(link.number) !== link.hash)
          problems.push(`The log's chain was rewritten: link ${link.number} is not the one that it was`);
        unseen.delete(link.number);
      });
      // The same part once more.
      if (read.lastLink === end.number && read.hash === end.hash) continue;
      if (read.firstLink !== end.number + 1 || read.follows !== end.hash)
        problems.push(`${name} begins with link ${read.firstLink}, which does not follow from link ${end.number}`);
      end = { number: read.lastLink, hash: read.hash };
      rows += read.rows;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push(error.message);
    }
  }
  for (const number of unseen.keys()) problems.push(`Link ${number} is in none of the archives`);
  for (const problem of problems) console.error(withoutControlCharacters(problem));
  console.log(problems.length === 0 ? "The archives are whole." : "The archives are not whole.");
  if (end.number > 0)
    console.log(`Archived log entries: ${rows.toLocaleString("en")}. To see that the database goes on from there:
npm run books -- --link ${end.number}:${end.hash}`);
  return problems.length === 0 ? 0 : 1;
}
