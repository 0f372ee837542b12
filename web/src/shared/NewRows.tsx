import { Button } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { formatCount } from "./format.tsx";
import type { News } from "./heldRows.ts";

/** Says that others changed the list, with a button that shows it as it is now. */
export function NewRows({ news: { count, show }, counted: [one, many] }: { news: News; counted: [string, string] }) {
  return (
    <Button
      size="compact-xs"
      h={24}
      radius="xl"
      // Between the tools and the column titles, covering neither.
      style={{ transform: "translateY(-16px)", boxShadow: "var(--mantine-shadow-sm)" }}
      leftSection={count > 0 && <IconArrowUp size={14} aria-hidden />}
      onClick={show}
    >
      {count > 0 ? `${formatCount(count)} new ${count === 1 ? one : many}` : "The list has changed: show it"}
    </Button>
  );
}
