type Run = (statement: string) => Promise<{ rows: Record<string, unknown>[] }>;

/**
 * Removes what is expensive row by row: triggers, references, and all indexes but primary keys. Returns the statements
 * that restore them, by purpose; at the end each takes one pass over its table. Indexes of search keys come first,
 * built by one process with so little memory that it fits the processor's cache; then all others, with the usual
 * settings.
 */
export async function beginBulkLoad(run: Run, tables: string[]): Promise<Map<string, string[]>> {
  const named = `array[${tables.map((name) => `'${name}'`).join(", ")}]::regclass[]`;
  const { rows } = await run(
    `select * from (
     select case amname when 'gin' then 'keys of ' else 'indexes of ' end || replace(tables.relname, '_', ' ') as name,
       format('drop index %s', indexrelid::regclass) as off, pg_get_indexdef(indexrelid) as on
     from pg_index join pg_class tables on tables.oid = indrelid
       join pg_class indexes on indexes.oid = indexrelid join pg_am on pg_am.oid = indexes.relam
     where indrelid = any(${named}) and not exists (select from pg_constraint where conindid = indexrelid)
     union all
     select 'references', format('alter table %s drop constraint %I', conrelid::regclass, conname),
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
     from pg_constraint where contype = 'f' and conrelid = any(${named})
     union all
     select 'triggers', format('alter table %s disable trigger %I', tgrelid::regclass, tgname),
       format('alter table %s enable trigger %I', tgrelid::regclass, tgname)
     from pg_trigger where tgrelid = any(${named}) and not tgisinternal and tgenabled = 'O'
     union all
     select 'keys', null, setting from unnest(array[${settings("'4MB'", "0")}]) as setting
     union all
     select 'indexes', null, setting from unnest(array[${settings("default", "default")}]) as setting
     ) as parts order by name like 'keys%' desc, name`,
  );
  const parts = rows as { name: string; off: string | null; on: string }[];
  for (const { off } of parts) if (off) await run(off);
  const byName = Map.groupBy(parts, ({ name }) => name);
  return new Map([...byName].map(([name, parts]) => [name, parts.map(({ on }) => on)]));
}

/** For this transaction only. */
const settings = (memory: string, moreProcesses: string) =>
  `$$set local maintenance_work_mem = ${memory}$$, $$set local max_parallel_maintenance_workers = ${moreProcesses}$$`;
