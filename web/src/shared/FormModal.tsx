import { Button, Group, Stack } from "@mantine/core";
import type { FormErrors, UseFormReturnType } from "@mantine/form";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { CallOptions } from "./api.ts";
import { Dialog } from "./Dialog.tsx";
import { FormConflict, useEditForm } from "./editForm.tsx";
import type { Edit } from "./edits.ts";
import { FormAlert } from "./FormAlert.tsx";
import { SubmitButton, type Values } from "./form.tsx";

/**
 * A form in a dialog. Mount it to open it. After success it closes itself within two seconds, or shows what comes next.
 */
export function FormModal<V extends Values, R extends object>({
  title,
  initialValues,
  check,
  validate,
  edit,
  onSubmit,
  submitLabel,
  workingLabel = "Saving…",
  danger = false,
  aside,
  closeAfter = 2000,
  next,
  onClose,
  children,
}: {
  title: string;
  initialValues: V;
  /** A check in the browser; a returned message is shown in the red alert. */
  check?: (values: V) => string | undefined;
  /** The same, with messages at the fields. */
  validate?: (values: V) => FormErrors;
  /** For things that others may be editing too. */
  edit?: Edit<V> | undefined;
  onSubmit: (values: V, options: CallOptions, base: V) => Promise<R>;
  /** The button's text, which may depend on the values. */
  submitLabel: string | ((values: V) => string);
  workingLabel?: string | ((values: V) => string);
  danger?: boolean;
  /** Opposite the buttons. */
  aside?: ReactNode;
  closeAfter?: number;
  /** A dialog that replaces this one after success. */
  next?: (reply: R) => ReactNode;
  onClose: () => void;
  /** `done` is true from the success until the dialog closes. */
  children: (fields: UseFormReturnType<V>, done: boolean) => ReactNode;
}) {
  const [reply, setReply] = useState<R>();
  const form = useEditForm({
    initialValues,
    check,
    validate,
    edit,
    async onSubmit(values, options, base) {
      const answer = await onSubmit(values, options, base);
      setReply(answer);
      return { message: "message" in answer ? String(answer.message) : "" };
    },
    end: next ? undefined : { after: closeAfter, on: "success", finish: onClose },
  });
  const done = form.settled;
  const said = (label: string | ((values: V) => string)) =>
    typeof label === "string" ? label : label(form.fields.values);
  const closeButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (done) closeButton.current?.focus();
  }, [done]);

  if (next && reply) return next(reply);
  return (
    <Dialog onClose={onClose} isWorking={form.working} title={title}>
      <form onSubmit={form.submit}>
        <Stack gap="md">
          <Stack gap="md" inert={done}>
            {children(form.fields, done)}
          </Stack>
          {!done && <FormConflict form={form} />}
          <FormAlert alert={form.alert} />
          <Group gap="xs">
            {aside}
            <Button ml="auto" ref={closeButton} variant="default" onClick={onClose} disabled={form.working}>
              {done ? "Close" : "Cancel"}
            </Button>
            {!done && (
              <SubmitButton form={form} label={said(submitLabel)} workingLabel={said(workingLabel)} danger={danger} />
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
