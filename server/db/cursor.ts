import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";
import { ownConnection } from "./engine.ts";

/** The next lines, each with its end, in a few long strings; none after the last. */
export type Cursor = { next(): Promise<string[]>; close(): Promise<void> };

/** V8 keeps strings of more than 128 kB apart, and longer than it needs to. */
const linesInOne = 200;
const stringsAtOnce = 5;

let opened = 0;

/**
 * The lines of a query as they are at this moment, to be read little by little. The database keeps them aside until the
 * cursor is closed: no transaction is open meanwhile, and on the embedded engine everybody else goes on.
 * `alongside` sees the same moment.
 */
export async function openCursor<T>(
  db: Database,
  query: (tx: Transaction) => SQL,
  alongside: (tx: Transaction) => Promise<T>,
): Promise<{ cursor: Cursor; beside: T }> {
  const connection = await ownConnection(db);
  const called = `cursor_${++opened}`;
  const name = sql.identifier(called);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    // A connection that cannot even do this is of no use to anybody.
    await connection.db.execute(sql`close ${name}`).then(() => connection.release(), connection.release);
  };
  const next = async () => {
    if (!isOpen) return [];
    const { rows } = await connection.db.execute<{ lines: string | null }>(
      sql`select nullif(next_lines(${called}, ${linesInOne}), '') || e'\\r\\n' as lines
          from generate_series(1, ${stringsAtOnce})`,
    );
    return rows.flatMap(({ lines }) => lines ?? []);
  };
  try {
    const beside = await connection.db.transaction(
      async (tx) => {
        // All rows will be read, not only the first ones.
        await tx.execute(sql`set local cursor_tuple_fraction = 1`);
        await tx.execute(sql`declare ${name} no scroll cursor with hold for ${query(tx)}`);
        return alongside(tx);
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    );
    return { cursor: { next, close }, beside };
  } catch (error) {
    connection.release(error as Error);
    throw error;
  }
}
