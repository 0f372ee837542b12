import { Button, Group, Text } from "@mantine/core";
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
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<string>();
  const busy = useRef(false);

  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (failure) button.current?.focus();
  }, [failure]);

  async function act() {
    if (busy.current) return;
    busy.current = true;
    setWorking(true);
    setFailure(undefined);
    try {
      const { message } = await question.onConfirm();
      notify("success", message);
      onClose();
    } catch (error) {
      notifyError(error);
      setFailure(error instanceof Error ? error.message : String(error));
    }
    busy.current = false;
    setWorking(false);
  }

  // What is under way is not called off by closing the dialog, so it stays until the answer is there.
  const close = working ? () => {} : onClose;
  return (
    <Dialog onClose={close} title={question.title} size="sm">
      <Text size="sm">{question.message}</Text>
      {failure && (
        <Text size="sm" c="var(--mantine-color-error)" mt="sm">
          {failure}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={close} disabled={working} data-autofocus={question.danger || undefined}>
          Cancel
        </Button>
        <Button
          ref={button}
          {...(question.danger && { color: "red.8" })}
          onClick={act}
          disabled={working}
          data-autofocus={!question.danger || undefined}
        >
          {working ? question.working : question.action}
        </Button>
      </Group>
    </Dialog>
  );
}
