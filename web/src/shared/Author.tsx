import type { Log } from "@footprint/contract/logs.ts";
import { Group } from "@mantine/core";
import { Initials } from "./Emblem.tsx";
import { SecondLine } from "./TwoLines.tsx";

/** Shops choose their names, so every author that is not an account is marked. */
const words = { account: undefined, shop: "shop", system: "program", terminal: "at the server" };

/** Who did something; in a list with initials, which are easier to spot. */
export function Author({ by: { username, kind }, inList = false }: { by: Log["admin"]; inList?: boolean }) {
  const word = kind && words[kind];
  const Name = inList ? "span" : "b";
  const named = (
    <Group
      component="span"
      display="inline-flex"
      align="baseline"
      gap="0 6px"
      wrap={inList ? "nowrap" : "wrap"}
      style={{ overflowWrap: "anywhere" }}
    >
      <Name>{username}</Name>{" "}
      {word && (
        <SecondLine>
          <span style={{ whiteSpace: "nowrap" }}>{word}</span>
        </SecondLine>
      )}
    </Group>
  );
  if (!inList) return named;
  return (
    <Group component="span" display="inline-flex" gap={8} wrap="nowrap" style={{ verticalAlign: "middle" }}>
      <Initials name={username} isPerson={!word} />
      {named}
    </Group>
  );
}
