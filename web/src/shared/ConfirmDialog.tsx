import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { CallOptions } from "./api.ts";
import { Dialog } from "./Dialog.tsx";
import { notify, notifyError } from "./notify.ts";
import { ReasonField } from "./ReasonField.tsx";
import { randomId } from "./randomId.ts";

export type Question = {
  title: string;
  /** What will happen, naming the amount and the customer. */
  message: ReactNode;
  /** Below the message: what to check before answering. */
  details?: ReactNode;
  /** Asks for an optional reason; for moved money the text says that the shop is told too. */
  asksReason?: true | "for the log";
  /** The button: `Delete`, and while it works `Deleting…`. */
  action: string;
  working: string;
  danger?: boolean;
  /** On success the dialog closes and a toast shows the server's message. After a failure the dialog stays open. */
  onConfirm: (options: CallOptions, reason: string) => Promise<{ message: string }>;
  onDone?: () => void;
};

export function ConfirmDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const [idempotencyKey] = useState(randomId);
  const [reason, setReason] = useState("");
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => question.onConfirm({ idempotencyKey }, reason),
    onSuccess: ({ message }) => notify("success", message),
    onError: notifyError,
  });
  // Only after the dialog has released navigation, since this may lead to another address.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (!isSuccess) return;
    question.onDone?.();
    onClose();
  }, [isSuccess]);

  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (error) button.current?.focus();
  }, [error]);

  return (
    <Dialog onClose={onClose} isWorking={isPending} title={question.title} size={question.asksReason ? "md" : "sm"}>
      <Text size="sm">{question.message}</Text>
      {(question.details || question.asksReason) && (
        <Stack gap="md" mt="md">
          {question.details}
          {question.asksReason && (
            <ReasonField
              {...(question.asksReason === "for the log" && {
                description: "Optional, up to 500 characters. Kept in the log.",
              })}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
              disabled={isPending}
            />
          )}
        </Stack>
      )}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" mt="sm">
          {error.message}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} disabled={isPending} data-autofocus>
          Cancel
        </Button>
        <Button
          ref={button}
          {...(question.danger && { color: "red.8" })}
          onClick={() => isPending || mutate()}
          disabled={isPending}
        >
          {isPending ? question.working : question.action}
        </Button>
      </Group>
    </Dialog>
  );
}
