/** What a standby says to whoever wants to change something. */
export const readOnly = "25006";
export const isReadOnly = (error: unknown) => databaseCode(error) === readOnly;

/**
 * SQLSTATEs of a database that is not there for anybody: connections, sign-in and shutdowns by class; too many
 * connections, a standby, transactions that were ended for idling or lasting, and one that accepts no connections.
 */
const awayStates = /^(08|28|3D|53300|57|25006|25P03|25P04|55000)/;
/** The same of the system: names that cannot be looked up, routes and sockets that are gone. */
const awaySystem = /^(E(CONN|TIMEDOUT|PIPE|HOST|NET|NOTFOUND|AI_|ADDRNOTAVAIL))/;
/** And of the drivers, which have no codes; and of a standby that ends what is in the way of its primary's changes. */
const awayWords =
  /Connection terminated|not queryable|Query read timeout|establishing an SSL connection|after calling end on the pool|PGlite is closed|conflict with recovery/i;

/** True when the database, rather than the statement, is what failed: everybody else would find the same. */
export function databaseIsAway(error: unknown): boolean {
  const code = databaseCode(error) ?? "";
  return awayStates.test(code) || awaySystem.test(code) || awayWords.test(rootOf(error).message);
}

/** So says the pool when all of its connections were in use for too long: by us, which tells nothing of the database. */
const poolIsFull = /timeout exceeded when trying to connect/;

/** The same, or it had too little memory, disk, locks or connections for this statement: another one may well succeed. */
export const databaseFailed = (error: unknown) =>
  databaseIsAway(error) || /^53/.test(databaseCode(error) ?? "") || poolIsFull.test(rootOf(error).message);

/** The SQLSTATE (or system error) behind a failed query. */
export function databaseCode(error: unknown): string | undefined {
  const { code } = rootOf(error) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** The same for the log. A driver that waited in vain has no code: what it says instead names no value. */
export function failureCode(error: unknown): string | undefined {
  return databaseCode(error) ?? (databaseFailed(error) ? rootOf(error).message : undefined);
}

/** For a query's `.catch`: another error where this constraint or unique index forbade it. */
export const ifViolated = (constraint: string, reason: () => Error) => (error: unknown) => {
  const { constraint: violated } = rootOf(error) as { constraint?: string };
  throw violated === constraint ? reason() : error;
};

/** Drizzle wraps the driver's error in its own. */
function rootOf(error: unknown): Error {
  let root = error instanceof Error ? error : new Error(String(error));
  while (root.cause instanceof Error) root = root.cause;
  return root;
}
