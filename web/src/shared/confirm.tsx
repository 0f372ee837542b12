import { Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { Dialog } from "./Dialog.tsx";
import { notify, notifyError } from "./notify.ts";

export type Question = {
  title: string;
  /** What will happen, naming the amount and the customer. */
  message: ReactNode;
  /** The button that does it: `Delete`, and while it works `Deleting…`. */
  action: string;
  working: string;
  danger?: boolean;
  /** On success the dialog closes and a toast says the server's message. A failure is a toast too; the dialog stays. */
  onConfirm: () => Promise<{ message: string }>;
};

const ConfirmContext = createContext<((question: Question) => void) | undefined>(undefined);

/** Asks before something that cannot be taken back: `confirm({ … })`. */
export function useConfirm(): (question: Question) => void {
  const confirm = useContext(ConfirmContext);
  if (!confirm) throw new Error("useConfirm outside of ConfirmProvider");
  return confirm;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>();
  return (
    <ConfirmContext value={setQuestion}>
      {children}
      {question && <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />}
    </ConfirmContext>
  );
}

function ConfirmDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: question.onConfirm,
    onSuccess({ message }) {
      notify("success", message);
      onClose();
    },
    onError: notifyError,
  });

  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (error) button.current?.focus();
  }, [error]);

  // What is under way is not called off by closing the dialog, so it stays until the answer is there.
  const close = isPending ? () => {} : onClose;
  return (
    <Dialog onClose={close} title={question.title} size="sm">
      <Text size="sm">{question.message}</Text>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" mt="sm">
          {error.message}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={close} disabled={isPending} data-autofocus={question.danger || undefined}>
          Cancel
        </Button>
        <Button
          ref={button}
          {...(question.danger && { color: "red.8" })}
          onClick={() => isPending || mutate()}
          disabled={isPending}
          data-autofocus={!question.danger || undefined}
        >
          {isPending ? question.working : question.action}
        </Button>
      </Group>
    </Dialog>
  );
}
