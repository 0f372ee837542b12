import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { copyText } from "../../shared/copyText.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { useLeaveWarning } from "../../shared/leaveWarning.ts";
import classes from "./ApiKeys.module.css";

/** A key that was just made. */
export function NewKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const { isWarned, warn } = useLeaveWarning();
  return (
    <Dialog title="Your new key" onClose={warn}>
      <Stack gap="md">
        <Text size="sm">Copy it now: it is not shown again.</Text>
        <Code block className={classes.value}>
          {value}
        </Code>
        {isWarned && (
          <Alert color="orange" role="alert" py={8}>
            Copy the key first, then say that you have kept it.
          </Alert>
        )}
        <Group justify="space-between" gap="xs">
          <Button variant="default" data-autofocus onClick={async () => setCopied(await copyText(value))}>
            {copied ? "Copied" : "Copy"}
          </Button>
          <Button onClick={onClose}>I have kept it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
