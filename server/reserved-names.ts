/** Names, in lower case, under which neither an account nor an API key may act: the log would say what is not so. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...["system", "terminal", "footprint", "housekeeping", "server", "database"],
  ...["admin", "administrator", "root", "staff", "shop", "support", "security", "nobody", "anonymous"],
]);
