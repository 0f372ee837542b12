import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";
import { ownConnection } from "./engine.ts";

/** Reads the next lines as a few long strings, each line with its end; none after the last. */
export type Cursor = { next(): Promise<string[]>; close(): Promise<void> };

/** Keeps strings below 128 kB: V8 stores longer ones apart, and keeps them longer than needed. */
const linesInOne = 200;
const stringsAtOnce = 5;

let opened = 0;

/**
 * Opens a cursor for the lines of a query as of this moment, to be read bit by bit. The database keeps them aside until
 * the cursor is closed: no transaction stays open, and on the embedded engine everybody else can go on. `alongside`
 * reads the same moment.
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
    // A connection that fails even at this is thrown away.
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
        // Plans for reading all rows, not only the first ones.
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
