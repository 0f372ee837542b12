import type { Log } from "@footprint/contract/logs.ts";
import classes from "./Author.module.css";

/** Shops choose their names, so whatever is not an account is marked. */
const words = { account: undefined, shop: "shop", system: "program", terminal: "at the server" };

export function Author({ admin: { username, kind } }: Pick<Log, "admin">) {
  const word = kind && words[kind];
  return (
    <span className={classes.author}>
      <b>{username}</b> {word && <span className={classes.kind}>{word}</span>}
    </span>
  );
}
