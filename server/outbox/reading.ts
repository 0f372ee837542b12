import type { EventType } from "@footprint/contract/outbox.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { events } from "../db/schema.ts";

/** Who reads: everything of one shop or of all, and which types. */
export type Reader = { shopId: string; isBounded: boolean; types: readonly EventType[] };

/** Rows that one call looks at; the next call looks at the rest. */
const mostLookedAt = 1_000;

type Row = {
  position: number | null;
  id: string;
  type: EventType;
  data: Record<string, unknown>;
  created_at: string;
  until: number;
  newest: number;
};

/** The reader's events after a position, oldest first, and the position up to which events were looked at. */
export async function readEvents(db: Database, reader: Reader, after: number, limit: number) {
  const looked = reader.isBounded ? lookedAtByShop(reader.shopId, after) : lookedAtByAll(after);
  const { rows } = await db.execute<Row>(sql`
    with looked as materialized (${looked}), seen as materialized (
      select coalesce((select max(position) from events), 0) as newest,
        least((select min(last) from (
          select max(position) as last from looked group by part having count(*) = ${mostLookedAt}) as full_parts),
          coalesce((select max(position) from events), 0)) as until
    ), chosen as (
      select position from looked where is_theirs and type = any(${sql.param(reader.types)}::text[])
        and position <= (select until from seen)
      order by position limit ${limit}
    )
    select seen.until::float8 as until, seen.newest::float8 as newest, told.position::float8 as position, told.id, told.type,
      told.data, to_json(told.created_at) #>> '{}' as created_at
    from seen left join (select events.* from chosen join events using (position)) as told on true
    order by told.position`);
  const found = rows.flatMap(({ position, id, type, data, created_at }) =>
    position === null ? [] : [{ position, id, type, data, timestamp: new Date(created_at) }],
  );
  const { until = 0, newest = 0 } = rows[0] ?? {};
  if (after > newest) await refuseUnknownPosition(db, after);
  const next = found.length === limit ? (found.at(-1)?.position ?? after) : Math.max(until, after);
  return { events: found, next, isAtEnd: found.length < limit && until >= newest };
}

const lookedAtByAll = (after: number) => sql`
  select position, type, 1 as part, true as is_theirs from events
  where position > ${after} order by position limit ${mostLookedAt}`;

/** The shop's own events, and those for everybody: standard prices and the payment handle. */
const lookedAtByShop = (shopId: string, after: number) => sql`
  (select position, type, 1 as part, true as is_theirs from events
    where shop_id = ${shopId} and position > ${after} order by position limit ${mostLookedAt})
  union all
  (select position, type, 2, type = 'price.changed' or (type = 'settings.changed' and data->>'setting' = 'payment-handle')
    from events where shop_id is null and customer_id is null and position > ${after}
    order by position limit ${mostLookedAt})`;

/** The position of an `after`: a position itself, or an event's id. */
export async function positionOf(db: Database, reader: Reader, after: string | undefined): Promise<number> {
  if (after === undefined || /^\d+$/.test(after)) return Number(after ?? 0);
  const isTheirs = reader.isBounded ? or(eq(events.shopId, reader.shopId), isNull(events.shopId)) : undefined;
  const [event] = await db
    .select({ position: events.position })
    .from(events)
    .where(and(eq(events.id, after), isTheirs));
  if (event) return event.position;
  throw refusal(404, `The event ${after} is not kept, or not any more: they are for 30 days. Begin without \`after\`.`);
}

/** The newest event may have been deleted; but a position beyond it was never given out by this database. */
async function refuseUnknownPosition(db: Database, after: number) {
  const { rows } = await db.execute<{ last: number }>(sql`select last_value::float8 as last from events_position_seq`);
  if (after > (rows[0]?.last ?? 0))
    throw refusal(404, `Nothing has the position ${after} yet. Go on with the \`next\` of an answer.`);
}
