import { Button, Group, Stack } from "@mantine/core";
import { Dialog } from "./Dialog.tsx";
import { Warning } from "./Warning.tsx";

export type SecondQuestion = {
  title: string;
  /** The reasons to ask again; without any, nothing is asked. */
  warnings: readonly string[];
  /** The button that does it anyway. */
  action: string;
};

export function AskAgainDialog({
  question: { title, warnings, action },
  onClose,
}: {
  question: SecondQuestion;
  onClose: (isYes?: boolean) => void;
}) {
  return (
    <Dialog title={title} onClose={() => onClose()}>
      <Stack gap="md">
        <Warnings messages={warnings} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={() => onClose()}>
            Go back
          </Button>
          <Button color="red.8" onClick={() => onClose(true)}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Most warnings that are listed. */
const few = 5;

export function Warnings({ messages }: { messages: readonly string[] }) {
  if (messages.length === 0) return null;
  const more = messages.length - few;
  return (
    <Warning>
      {messages.slice(0, few).map((message) => (
        <div key={message}>{message}</div>
      ))}
      {more > 0 && <div>and {more} more</div>}
    </Warning>
  );
}
