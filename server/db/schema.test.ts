import { readFileSync } from "node:fs";
import { is, sql } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { db } from "../testing/server.ts";
import { steps } from "./migrations.ts";
import * as schema from "./schema.ts";

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const known = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    return columns.map((column) => ({
      ...column,
      place: `${name}.${snakeCase(column.name)}`,
      type: column.getSQLType(),
    }));
  });

test("the migrations make the tables that the program knows, and nothing else", async () => {
  const { rows } = await db.execute<{ line: string }>(sql`
    select format('%s.%s %s%s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
        case when attnotnull then ' not null' end) as line
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
        and attgenerated = ''`);
  expect(rows.map(({ line }) => line).sort()).toEqual(
    known.map(({ place, type, notNull }) => `${place} ${type.replace(/, /g, ",")}${notNull ? " not null" : ""}`).sort(),
  );
});

test("a column takes the values that the contract has for it, and no others", async () => {
  const { rows } = await db.execute<{ place: string; rule: string }>(sql`
    select format('%s.%s', conrelid::regclass, attname) as place, pg_get_constraintdef(pg_constraint.oid) as rule
      from pg_constraint join pg_attribute on attrelid = conrelid and conkey = array[attnum]
      where connamespace = 'public'::regnamespace and contype = 'c'`);
  const accepted = rows.flatMap(({ place, rule }) => {
    const values = Array.from(rule.matchAll(/'([^']*)'::text/g), ([, value]) => value as string);
    return values.length > 0 ? [[place, values.sort()] as const] : [];
  });
  const named = known.filter(({ enumValues, notNull, type }) => enumValues && notNull && type === "text");
  expect(Object.fromEntries(accepted)).toEqual(
    Object.fromEntries(named.map(({ place, enumValues = [] }) => [place, [...enumValues].sort()])),
  );
});

/** Changes that servers of the previous version would miss, or would have to know to write rows. */
const contracting = [
  /\bDROP (TABLE|COLUMN|INDEX|TRIGGER|FUNCTION|PROCEDURE)\b/i,
  /\bRENAME\b/i,
  /\bALTER COLUMN \w+ (SET DATA )?TYPE\b/i,
  /\bADD COLUMN \w+ (?![^,;]*\b(DEFAULT|GENERATED)\b)[^,;]*NOT NULL/i,
];

test.for(steps.filter(({ kind, files }) => kind === "expand" && !files))(
  "$version expands: it takes nothing away from servers of the version before",
  ({ version }) => {
    const text = readFileSync(new URL(`./migrations/${version}.sql`, import.meta.url), "utf8").replace(/--.*$/gm, "");
    expect(contracting.filter((pattern) => pattern.test(text))).toEqual([]);
  },
);
