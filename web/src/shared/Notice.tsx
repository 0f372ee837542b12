import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Shown instead of content: says what is wrong and what to do. */
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
  /** For a notice that is the whole page. */
  heading?: boolean;
  children?: ReactNode;
}) {
  return (
    <Stack
      align="center"
      justify="center"
      gap={4}
      mih={heading ? "60dvh" : "inherit"}
      p="32px 16px"
      ta="center"
      role={role}
    >
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
      {children && (
        <Group justify="center" gap={8} mt={12}>
          {children}
        </Group>
      )}
    </Stack>
  );
}
