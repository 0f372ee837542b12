import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useCallback, useState } from "react";
import { useBlockLeaving } from "./blockLeaving.ts";
import { CopyButton } from "./CopyButton.tsx";
import { Dialog } from "./Dialog.tsx";

/** A dialog for something that is never shown again: Back, a reload or a stray click do not close it, but warn. */
export function ShownOnce({
  title,
  hint,
  text,
  tools,
  warning,
  kept,
  onClose,
  children,
}: {
  title: string;
  hint: string;
  /** The text to copy. */
  text: string;
  /** Beside the copy button. */
  tools?: ReactNode;
  warning: string;
  /** The button that closes it. */
  kept: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const [isWarned, setWarned] = useState(false);
  const warn = useCallback(() => setWarned(true), []);
  useBlockLeaving(warn);

  return (
    <Dialog title={title} onClose={warn}>
      <Stack gap="md">
        <Text size="sm">{hint}</Text>
        {children}
        {isWarned && (
          <Alert color="orange" role="alert" py={8}>
            {warning}
          </Alert>
        )}
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <CopyButton text={text} label="Copy" autoFocus />
            {tools}
          </Group>
          <Button onClick={onClose}>{kept}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
