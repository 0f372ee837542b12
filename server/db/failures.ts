/** The SQLSTATE with which a standby refuses changes. */
export const readOnly = "25006";
export const isReadOnly = (error: unknown) => databaseCode(error) === readOnly;

/**
 * SQLSTATEs of a database that nobody can use. By class: connections, sign-in and shutdowns. One by one: too many
 * connections, a standby, transactions ended for idling or lasting too long, and a database that accepts no
 * connections.
 */
const awayStates = /^(08|28|3D|53300|57|25006|25P03|25P04|55000)/;
/** Errors of the operating system: names that cannot be looked up, routes and sockets that are gone. */
const awaySystem = /^(E(CONN|TIMEDOUT|PIPE|HOST|NET|NOTFOUND|AI_|ADDRNOTAVAIL))/;
/**
 * Errors of drivers, which have no codes; and of a standby that ends statements in the way of its primary's changes.
 */
const awayWords =
  /Connection terminated|not queryable|Query read timeout|establishing an SSL connection|after calling end on the pool|PGlite is closed|conflict with recovery/i;

/** True if the database failed rather than the statement, so that everybody else would fail too. */
export function databaseIsAway(error: unknown): boolean {
  const code = databaseCode(error) ?? "";
  return awayStates.test(code) || awaySystem.test(code) || awayWords.test(rootOf(error).message);
}

/** The pool's error if all connections were in use for too long: by this server, which says nothing of the database. */
const poolIsFull = /timeout exceeded when trying to connect/;

/** The same, or this statement found too little memory, disk, locks or connections; another one may succeed. */
export const databaseFailed = (error: unknown) =>
  databaseIsAway(error) || /^53/.test(databaseCode(error) ?? "") || poolIsFull.test(rootOf(error).message);

/** The SQLSTATE (or system error) behind a failed query. */
export function databaseCode(error: unknown): string | undefined {
  const { code } = rootOf(error) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** The same for the server's log. Errors of drivers have no code, but messages without anybody's data. */
export function failureCode(error: unknown): string | undefined {
  return databaseCode(error) ?? (databaseFailed(error) ? rootOf(error).message : undefined);
}

/** For a query's `.catch`: throws another error if this constraint or unique index was violated. */
export const ifViolated = (constraint: string, reason: () => Error) => (error: unknown) => {
  const { constraint: violated } = rootOf(error) as { constraint?: string };
  throw violated === constraint ? reason() : error;
};

/** Finds the driver's error, which Drizzle wraps in its own. */
function rootOf(error: unknown): Error {
  let root = error instanceof Error ? error : new Error(String(error));
  while (root.cause instanceof Error) root = root.cause;
  return root;
}
