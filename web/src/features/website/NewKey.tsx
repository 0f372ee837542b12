import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { copyText } from "../../shared/copyText.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { useShownOnce } from "../../shared/shownOnce.ts";
import classes from "./ApiKeys.module.css";

/** A key that was just made. */
export function NewKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const { hurried, hurry } = useShownOnce();
  return (
    <Dialog title="Your new key" onClose={hurry}>
      <Stack gap="md">
        <Text size="sm">Copy it now: it is not shown again.</Text>
        <Code block className={classes.value}>
          {value}
        </Code>
        {hurried && (
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
