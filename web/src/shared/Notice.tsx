import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Notice.module.css";

/** Shown instead of content: says what is wrong and offers what to do. */
export function Notice({
  title,
  hint,
  role,
  heading,
  children,
}: {
  title: string;
  hint?: ReactNode;
  role?: "alert";
  /** Where the notice is the whole page. */
  heading?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className={classes.notice} role={role}>
      {heading ? (
        <Title order={1} size={24} lh={1.35}>
          {title}
        </Title>
      ) : (
        <Text fw={600}>{title}</Text>
      )}
      {hint !== undefined && (
        <Text size="sm" c="dimmed" maw={420}>
          {hint}
        </Text>
      )}
      {children && <div className={classes.actions}>{children}</div>}
    </div>
  );
}
