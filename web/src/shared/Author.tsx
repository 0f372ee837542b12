import type { Log } from "@footprint/contract/logs.ts";
import { Group } from "@mantine/core";
import { SecondLine } from "./TwoLines.tsx";

/** Shops choose their names, so whatever is not an account is marked. */
const words = { account: undefined, shop: "shop", system: "program", terminal: "at the server" };

export function Author({ admin: { username, kind } }: Pick<Log, "admin">) {
  const word = kind && words[kind];
  return (
    <Group component="span" display="inline-flex" align="baseline" gap="0 6px" style={{ overflowWrap: "anywhere" }}>
      <b>{username}</b> {word && <SecondLine>{word}</SecondLine>}
    </Group>
  );
}
