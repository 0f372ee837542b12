import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { StartError } from "../config.ts";
import type { Database, Transaction } from "./database.ts";
import { databaseCode } from "./failures.ts";

/**
 * Whether servers of the previous version can go on working after a step. If it expands, they can: it only adds things,
 * and requires nothing of the rows they write. If it contracts, it removes or changes things that they use, so they
 * have to be stopped first. To remove something, one version expands and stops using it, and a later one contracts.
 */
type Kind = "expand" | "contract";

type Step = { version: string; at: number; kind: Kind; files?: string[] };

/**
 * The steps that made the tables, oldest first. A database stores the `at` of each step it has had, and a backup the
 * name of the last one as its version, so neither may ever change.
 */
export const steps: Step[] = [
  // Ten steps of earlier versions in one, under the name of the last.
  { version: "0009_whole_numbers", at: 1794742412869, kind: "expand", files: ["0009_tables", "0009_counters"] },
  { version: "0010_search", at: 1794770000010, kind: "contract" },
  { version: "0011_accounts", at: 1794770000011, kind: "expand" },
  { version: "0012_shops", at: 1794770000012, kind: "contract" },
  { version: "0013_indexes", at: 1794770000013, kind: "contract" },
  { version: "0014_tries", at: 1794787200014, kind: "expand" },
  { version: "0015_cases", at: 1794787200015, kind: "contract" },
  { version: "0016_case_indexes", at: 1794787200016, kind: "contract" },
  { version: "0017_desk", at: 1794801733017, kind: "expand" },
  { version: "0017_desk_indexes", at: 1794801734017, kind: "expand" },
  { version: "0018_fedex_desk", at: 1794803400018, kind: "expand" },
  { version: "0018_fedex_indexes", at: 1794803400019, kind: "expand" },
  { version: "0019_exports", at: 1794805200019, kind: "expand" },
  { version: "0020_fedex_closed", at: 1794815600020, kind: "expand" },
  { version: "0023_staff_accounts", at: 1794825600023, kind: "expand" },
  { version: "0023_own_acts", at: 1794825601023, kind: "expand" },
  { version: "0024_passkeys", at: 1794826000024, kind: "expand" },
  { version: "0025_log_chain", at: 1794830400025, kind: "expand" },
  { version: "0026_batches", at: 1794838400026, kind: "expand" },
  { version: "0026_batch_indexes", at: 1794838401026, kind: "expand" },
  { version: "0027_figures", at: 1794838500027, kind: "expand" },
  { version: "0028_unusual", at: 1794839900028, kind: "expand" },
  { version: "0029_price_changes", at: 1794839900029, kind: "expand" },
  { version: "0031_payment_handles", at: 1794839900031, kind: "expand" },
  { version: "0032_approvals", at: 1794839900032, kind: "expand" },
  { version: "0033_statements", at: 1794839900033, kind: "expand" },
  { version: "0033_statement_indexes", at: 1794839901033, kind: "expand" },
  { version: "0034_outbox", at: 1794839902034, kind: "expand" },
  { version: "0035_webhooks", at: 1794839902035, kind: "expand" },
  { version: "0036_notices", at: 1794839902036, kind: "expand" },
  { version: "0037_statement_line_ids", at: 1794839902037, kind: "expand" },
  { version: "0038_approved_lines", at: 1794839902038, kind: "expand" },
  { version: "0039_statement_reversals", at: 1794880000041, kind: "expand" },
  { version: "0040_reversed_lines", at: 1794880001041, kind: "expand" },
  { version: "0041_confirmed_in", at: 1794880002041, kind: "expand" },
  { version: "0042_backups", at: 1794880003041, kind: "expand" },
  { version: "0044_log_archives", at: 1794880003043, kind: "expand" },
  { version: "0045_less_work", at: 1794880003044, kind: "expand" },
  { version: "0048_quicker_keys", at: 1794880003047, kind: "expand" },
  { version: "0050_days_and_reasons", at: 1794880003049, kind: "expand" },
  { version: "0052_longer_lists", at: 1794880003051, kind: "expand" },
  { version: "0053_balances", at: 1794880003052, kind: "expand" },
  { version: "0054_balance_index", at: 1794880003053, kind: "expand" },
  { version: "0055_counted_once", at: 1794880003054, kind: "expand" },
  { version: "0056_batches_of_all", at: 1794880003055, kind: "expand" },
  { version: "0057_codes_of_no_batch", at: 1794880003056, kind: "expand" },
  { version: "0058_vacuumed_sooner", at: 1794880003057, kind: "expand" },
  { version: "0059_day_starts", at: 1794880003058, kind: "expand" },
  { version: "0060_counted_in_groups", at: 1795124046000, kind: "expand" },
  { version: "0061_fewer_steps_to_keys", at: 1795134978000, kind: "expand" },
];
const newest = steps.at(-1) as Step;

/** The version of the tables that this program works on. */
export const ownVersion = newest.version;

const placeOf = (version: string) => steps.findIndex((step) => step.version === version);

/** Whether a version is older than the oldest that can be upgraded. */
export const isTooOld = (version: string) => version < (steps[0] as Step).version;

export const isVersion = (name: string) => placeOf(name) >= 0;

/** The step that comes after a version; undefined at the newest. */
export const nextVersion = (version: string) => steps[placeOf(version) + 1]?.version;

/** The version of a database's tables; undefined if it has none yet. */
export async function versionOf(db: Database | Transaction): Promise<string | undefined> {
  if (!(await hasSteps(db))) return undefined;
  const { rows } = await db.execute(sql`select max(created_at)::text as last from drizzle.__drizzle_migrations`);
  if (rows[0]?.last == null) return undefined;
  const last = Number(rows[0].last);
  const step = steps.find(({ at }) => at === last);
  if (step) return step.version;
  if (last > newest.at)
    throw new StartError("The database belongs to a newer Footprint: use that version of it, or a newer one.");
  throw new StartError("The database belongs to a Footprint that is too old to upgrade from: use that version of it.");
}

async function hasSteps(db: Database | Transaction): Promise<boolean> {
  const { rows } = await db.execute(sql`select to_regclass('drizzle.__drizzle_migrations') as name`);
  return rows[0]?.name != null;
}

/** Whether newer servers have upgraded this database but only added to it, so that this server can work beside them. */
export async function isExpanded(db: Database | Transaction): Promise<boolean> {
  if (!(await hasSteps(db))) return false;
  const { rows } = await db.execute<{ hash: string }>(sql`
    select hash from drizzle.__drizzle_migrations where created_at > ${newest.at}`);
  return rows.length > 0 && rows.every(({ hash }) => hash.endsWith(" expand"));
}

/** Brings the tables up to date, or up to a version, in the caller's transaction: all of it happens or nothing. */
export async function migrate(tx: Transaction, through = newest.version, report = (_: string) => {}): Promise<void> {
  for (const step of await stepsLeft(tx, through)) {
    report(step.version);
    for (const statement of statementsOf(step)) await tx.execute(sql.raw(statement.replace(besideOthers, "")));
    await remember(tx, step);
  }
}

/**
 * The same while other servers work: indexes of tables in use are built concurrently, outside of any transaction. If it
 * is interrupted, the next start goes on. Needs a connection that nobody else uses.
 */
export async function migrateBesideOthers(connection: Database, report: (line: string) => void): Promise<void> {
  for (const step of await stepsLeft(connection, newest.version)) {
    report(step.version);
    const statements = statementsOf(step);
    if (statements.some((statement) => besideOthers.test(statement))) {
      for (const [done, statement] of statements.entries()) {
        report(`${step.version}: ${done + 1} of ${statements.length}`);
        await removeUnfinished(connection, statement);
        await connection.execute(sql.raw(statement));
      }
      await remember(connection, step);
    } else
      await withoutHoldingUp(report, step, () =>
        connection.transaction(async (tx) => {
          await tx.execute(sql.raw(`set local lock_timeout = '${lockPatience}ms'`));
          for (const statement of statements) await tx.execute(sql.raw(statement));
          await remember(tx, step);
        }),
      );
  }
}

/** Milliseconds. Calls wait behind a step that waits for their table: this is much less than a call may take. */
const lockPatience = 1_000;

/**
 * Tries a step again and again while its table is in use, by a backup for example, and lets calls through meanwhile.
 */
async function withoutHoldingUp(report: (line: string) => void, { version }: Step, work: () => Promise<void>) {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (databaseCode(error) !== lockNotAvailable) throw error;
      if (tries % 10 === 1) report(`${version}: waiting for whoever uses its tables`);
      await setTimeout(lockPatience);
    }
  }
}

const lockNotAvailable = "55P03";

/** Statements that run while others work, and not in a transaction. */
const besideOthers = / CONCURRENTLY\b|^ *COMMIT;$/m;

/** Removes an index left half built, which is of no use and in the way of a second try. */
async function removeUnfinished(connection: Database, statement: string) {
  const name = /CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/.exec(statement)?.[1];
  if (!name) return;
  const { rows } = await connection.execute(
    sql`select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`,
  );
  if (rows.length > 0) await connection.execute(sql.raw(`DROP INDEX CONCURRENTLY ${name}`));
}

async function stepsLeft(db: Database | Transaction, through: string): Promise<Step[]> {
  await db.execute(sql`create schema if not exists drizzle`);
  await db.execute(sql`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`);
  const version = await versionOf(db);
  return steps.slice(version === undefined ? 0 : placeOf(version) + 1, placeOf(through) + 1);
}

/** The kind is for servers of an earlier version, which do not have the step. */
async function remember(db: Database | Transaction, { version, kind, at }: Step) {
  await db.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${`${version} ${kind}`}, ${at})`,
  );
}

/** A statement ends with a semicolon at the end of a line, unless that is within a function. */
function statementsOf({ version, files = [version] }: Step): string[] {
  const statements = [""];
  for (const file of files) {
    for (const line of readFileSync(new URL(`./migrations/${file}.sql`, import.meta.url), "utf8").split("\n")) {
      const statement = `${statements.pop()}${line}\n`;
      statements.push(statement);
      const outsideOfFunctions = statement.replace(/(\$\w*\$).*?\1/gs, "");
      if (line.endsWith(";") && !/\$\w*\$/.test(outsideOfFunctions)) statements.push("");
    }
  }
  return statements.filter((statement) => statement.trim() !== "");
}
