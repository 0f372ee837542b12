import {
  mostCounted,
  type Notice,
  type NoticeKind,
  noticedEvents,
  noticeKinds,
  noticeNames,
  staffNoticeKinds,
} from "@footprint/contract/notices.ts";
import type { Role } from "@footprint/contract/session.ts";
import { type SQL, sql } from "drizzle-orm";
import type * as z from "zod";
import type { Database, Transaction } from "../db/database.ts";
import { events } from "../db/schema.ts";
import { kinds, type Present } from "./kinds.ts";

/** The kinds of notices that an account may get: those about things it may see. */
export const kindsFor = (role: Role): readonly NoticeKind[] => (role === "admin" ? noticeKinds : staffNoticeKinds);

const types = sql.raw(noticeKinds.map((name) => `'${noticedEvents[name]}'`).join(", "));

/** Written so that the index of notices is always used. Of the settings only the payment handle counts. */
const isNotice = (name: NoticeKind) =>
  sql`${events.type} = ${sql.raw(`'${noticedEvents[name]}'`)} and ${events.type} in (${types})
    ${name === "payment-handle" ? sql`and ${events.data} ->> 'setting' = 'payment-handle'` : sql``}`;

type Span = { after?: number; until?: number };

const between = ({ after, until }: Span): SQL =>
  sql`${after === undefined ? sql`` : sql`and ${events.position} > ${after}`}
    ${until === undefined ? sql`` : sql`and ${events.position} <= ${until}`}`;

const each = (names: readonly NoticeKind[], part: (name: NoticeKind) => SQL) =>
  sql.join(
    names.map((name) => sql`(${part(name)})`),
    sql` union all `,
  );

export type NoticeRow = { kind: NoticeKind; position: number; id: string; data: never; createdAt: Date };

/** The newest of each kind, newest first. */
export async function newestNotices(
  db: Database | Transaction,
  names: readonly NoticeKind[],
  limit: number,
  span: Span = {},
): Promise<NoticeRow[]> {
  if (names.length === 0) return [];
  const { rows } = await db.execute<Omit<NoticeRow, "createdAt"> & { created: string }>(
    each(
      names,
      (name) => sql`select ${sql.raw(`'${name}'`)}::text as kind, ${events.position}::float8 as position, ${events.id},
        ${events.data}, extract(epoch from ${events.createdAt})::float8 * 1000 as created
        from ${events} where ${isNotice(name)} ${between(span)}
        order by ${events.position} desc limit ${sql.raw(String(limit))}`,
    ),
  );
  return rows
    .map(({ created, ...row }) => ({ ...row, createdAt: new Date(Number(created)) }))
    .sort((one, other) => other.position - one.position);
}

/** How many of each kind came after a position, counted up to `mostCounted`. */
export async function countNotices(db: Database, names: readonly NoticeKind[], after: number) {
  const { rows } = await db.execute<{ kind: NoticeKind; count: number }>(
    each(
      names,
      (name) => sql`select ${sql.raw(`'${name}'`)}::text as kind, count(*)::int as count from
        (select from ${events} where ${isNotice(name)} ${between({ after })} limit ${sql.raw(String(mostCounted))}) as counted`,
    ),
  );
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}

export const sumOf = (counts: Map<NoticeKind, number>) =>
  Math.min(
    [...counts.values()].reduce((sum, count) => sum + count, 0),
    mostCounted,
  );

/** The state of each notice by its event's id; empty if it still waits. */
export async function statesOf(present: Present, rows: NoticeRow[]): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  for (const name of new Set(rows.map(({ kind }) => kind))) {
    const { about, done } = kinds[name];
    const own = rows.filter(({ kind }) => kind === name);
    const words = await done(present, [...new Set(own.map(({ data }) => about(data)))]);
    for (const { id, data } of own) states.set(id, words.get(about(data)) ?? "");
  }
  return states;
}

export const titleOf = (name: NoticeKind, count: number): string => {
  const { one, title } = kinds[name];
  if (count === 0) return noticeNames[name];
  if (count === 1) return one;
  return title(count < mostCounted ? String(count) : `${mostCounted - 1}+`);
};

/** In the panel's form. */
export const presentNotice = (row: NoticeRow, done: string, since: number): z.output<typeof Notice> => {
  const { text, to } = kinds[row.kind];
  return {
    _id: row.id,
    text: text(row.data, (foreign) => foreign),
    to: to(row.data),
    done,
    isNew: row.position > since,
    createdAt: row.createdAt,
  };
};
