import { Text } from "@mantine/core";
import { formatCount } from "./format.tsx";
import classes from "./Progress.module.css";

/** How many lines are done. */
export function Progress({ done, of }: { done: number; of: number }) {
  return (
    <div>
      <Text size="xs" c="dimmed" role="status">
        {formatCount(done)} of {formatCount(of)}
      </Text>
      <progress className={classes.progress} aria-label="Progress" value={done} max={of} />
    </div>
  );
}
