import { Button, Group, Stack } from "@mantine/core";
import type { FormErrors, UseFormReturnType } from "@mantine/form";
import { type ReactNode, useEffect, useRef } from "react";
import type { CallOptions } from "./api.ts";
import { Dialog } from "./Dialog.tsx";
import { type ApiForm, FormAlert, SubmitButton, useApiForm, type Values } from "./form.tsx";

/** A form in a dialog. Mount it to open it; it closes itself two seconds after success. */
export function FormModal<V extends Values>({
  title,
  initialValues,
  check,
  validate,
  onSubmit,
  submitLabel,
  workingLabel = "Saving…",
  closeAfter = 2000,
  onClose,
  children,
}: {
  title: string;
  initialValues: V;
  /** Checked in the browser; a returned message is shown in the red alert. */
  check?: (values: V) => string | undefined;
  /** The same, with messages at the fields. */
  validate?: (values: V) => FormErrors;
  onSubmit: (values: V, options: CallOptions) => Promise<{ message: string }>;
  submitLabel: string;
  workingLabel?: string;
  closeAfter?: number;
  onClose: () => void;
  /** `done` is true from the success until the dialog closes. */
  children: (fields: UseFormReturnType<V>, done: boolean) => ReactNode;
}) {
  const form = useApiForm({
    initialValues,
    check,
    validate,
    onSubmit,
    end: { after: closeAfter, on: "success", finish: onClose },
  });
  return (
    <FormDialog title={title} form={form} submitLabel={submitLabel} workingLabel={workingLabel} onClose={onClose}>
      {children(form.fields, form.settled)}
    </FormDialog>
  );
}

/** The same for a form that is kept outside, such as one of several steps. */
export function FormDialog<V extends Values>({
  title,
  form,
  submitLabel,
  workingLabel,
  onClose,
  children,
}: {
  title: string;
  form: ApiForm<V>;
  submitLabel: string;
  workingLabel: string;
  onClose: () => void;
  children: ReactNode;
}) {
  // Closing would not cancel the call, so the dialog stays open until the answer is there.
  const close = form.working ? () => {} : onClose;
  const done = form.settled;
  const closeButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (done) closeButton.current?.focus();
  }, [done]);
  return (
    <Dialog onClose={close} title={title}>
      <form onSubmit={form.submit}>
        <Stack gap="md">
          <Stack gap="md" inert={done}>
            {children}
          </Stack>
          <FormAlert alert={form.alert} />
          <Group justify="flex-end" gap="xs">
            <Button ref={closeButton} variant="default" onClick={close} disabled={form.working}>
              {done ? "Close" : "Cancel"}
            </Button>
            {!done && <SubmitButton form={form} label={submitLabel} workingLabel={workingLabel} />}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
