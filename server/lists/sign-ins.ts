import { and, eq } from "drizzle-orm";
import { type Actor, isOpen } from "../accounts/sessions.ts";
import type { Database } from "../db/database.ts";
import { sessions, signIns } from "../db/schema.ts";
import { having, type ListQuery, listOf } from "./list.ts";
import { pageOf } from "./paging.ts";

/** A page of an account's sign-ins, newest first, each with its session if that is still open. */
export async function signInsOf(
  db: Database,
  accountId: string,
  query: Pick<ListQuery, "page" | "limit">,
  actor: Actor,
) {
  const { rows, ...counts } = await pageOf(db, list, { ...query, sort: "des", search: "", accountId });
  return {
    signIns: rows.map(({ signIn, session }) => ({
      ...signIn,
      _id: signIn.id,
      whileSignedIn: signIn.outcome !== "signed in" && signIn.sessionId !== null,
      session: session && { _id: session.id, current: session.tokenHash === actor.tokenHash },
    })),
    ...counts,
  };
}

const list = listOf({
  name: "sign-ins",
  table: signIns,
  searched: { names: [], codes: [] },
  filters: ({ accountId }: { accountId: string }) => [having(signIns.accountId, accountId)],
  select: (db: Database) =>
    db
      .select({ signIn: signIns, session: { id: sessions.id, tokenHash: sessions.tokenHash } })
      .from(signIns)
      .leftJoin(sessions, and(eq(sessions.id, signIns.sessionId), isOpen))
      .$dynamic(),
  columns: {},
});
