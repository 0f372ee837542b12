import { getTableName, is, sql } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { db } from "../testing/server.ts";
import * as schema from "./schema.ts";

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test("the migrations make the tables that the program knows, and nothing else", async () => {
  const { rows } = await db.execute<{ line: string }>(sql`
    select format('%s.%s %s%s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
        case when attnotnull then ' not null' end) as line
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
        and attgenerated = ''
    union all select format('%s %s', conrelid::regclass, conname) from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'c'
    union all select format('%s refers to %s', conrelid::regclass, confrelid::regclass) from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'f'
    union all select format('%s %s', indrelid::regclass, indexrelid::regclass) from pg_index
      where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
        and not exists (select from pg_constraint where conindid = indexrelid)
        -- What searches look through is known to the migrations and to server/lists alone.
        and indexrelid::regclass::text not like '%\_search'`);
  const known = Object.values(schema)
    .filter((value) => is(value, PgTable))
    .flatMap((table) => {
      const { name, columns, checks, foreignKeys, indexes } = getTableConfig(table);
      return [
        ...columns.map((column) => {
          const type = column.getSQLType().replace(/, /g, ",");
          return `${name}.${snakeCase(column.name)} ${type}${column.notNull ? " not null" : ""}`;
        }),
        ...[...checks, ...indexes.map(({ config }) => config)].flatMap((part) =>
          part.name ? [`${name} ${part.name}`] : [],
        ),
        ...foreignKeys.map((key) => `${name} refers to ${getTableName(key.reference().foreignTable)}`),
      ];
    });
  const unnamed = /_index$/;
  expect(
    rows
      .map(({ line }) => line)
      .filter((line) => !unnamed.test(line))
      .sort(),
  ).toEqual(known.filter((line) => !unnamed.test(line)).sort());
});
