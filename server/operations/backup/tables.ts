import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";

export type Table = { name: string; columns: { name: string; type: string }[] };

/** The tables as they are in this database, which may be older than the program, without computed columns. */
export async function tablesOf(tx: Transaction): Promise<Table[]> {
  const { rows } = await tx.execute<Table>(sql`
    select relname as name, (
      select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
      from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    ) as columns
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by relname`);
  return rows;
}

/**
 * A restore must not bring back sessions of people who were signed out or have a new password since; and whoever has
 * the backups knows best which there are.
 */
export const neverBackedUp = [
  ...["sessions", "known_devices", "sign_in_tries", "sign_in_limits", "passkey_challenges"],
  "backups",
];

/** In a file these are ignored: `counted` holds SQL, which only migrations may write. */
export const neverRestored = [...neverBackedUp, "counted"];

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Each value is written in one way only, whatever the connection's settings; and slow disks get their time. */
export async function prepareSession(tx: Transaction): Promise<void> {
  for (const setting of [
    "idle_in_transaction_session_timeout = 0",
    "timezone = 'UTC'",
    "datestyle = 'ISO'",
    "bytea_output = 'hex'",
    "extra_float_digits = 1",
  ])
    await tx.execute(sql.raw(`set local ${setting}`));
}
