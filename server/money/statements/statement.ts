import { refusal } from "@footprint/contract/refusal.ts";
import { eq, sql } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";
import { type statementLines, statements } from "../../db/schema.ts";

export type Statement = typeof statements.$inferSelect;
export type Line = typeof statementLines.$inferSelect;
/** Makes a change in its own transaction. */
export type Change = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Any number that all servers agree on: adding and matching lines take turns. */
const statementsLock = sql.raw("74000008");
export const takeTurns = (tx: Transaction) => tx.execute(sql`select pg_advisory_xact_lock(${statementsLock})`);

/** The same condition as in the index of open lines. */
export const isOpen = sql`statement_lines.state in ('certain', 'likely', 'unclear', 'none')`;

export const about = ({ id }: { id: string }) => ({ kind: "statement" as const, id });

export async function lockStatement(tx: Transaction, id: string): Promise<Statement> {
  const [statement] = await tx.select().from(statements).where(eq(statements.id, id)).for("update");
  if (!statement) throw unknownStatement();
  return statement;
}

export const unknownStatement = () => refusal(404, "This statement does not exist");
