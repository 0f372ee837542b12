import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";

export type Table = { name: string; columns: { name: string; type: string }[] };

/** The tables as they are in this database, which may be older than the program. Computed columns are left out. */
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
 * Who was signed out or has a new password since must not come back with a restored session; and which backups there
 * are is known best by who has them.
 */
export const neverBackedUp = [
  ...["sessions", "known_devices", "sign_in_tries", "sign_in_limits", "passkey_challenges"],
  "backups",
];

/** What a file may say, but nobody listens to: `counted` is SQL, which the migrations alone write. */
export const neverRestored = [...neverBackedUp, "counted"];

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Every value has one way of being written, whatever this connection's settings are; and a slow disk may be waited for. */
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
