import { Alert, Button } from "@mantine/core";
import { type FormErrors, type UseFormReturnType, useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef } from "react";
import { ApiError, type CallOptions } from "./api.ts";
import { useKeptFocus } from "./keptFocus.ts";
import { usePassingAlert } from "./passingAlert.ts";
import { randomId } from "./randomId.ts";

export type Values = Record<string, unknown>;
export type ApiForm<V extends Values> = {
  fields: UseFormReturnType<V>;
  alert: FormAlertContent | undefined;
  working: boolean;
  /** A result stands; the form waits to reset or close. */
  settled: boolean;
  submit: (event?: FormEvent<HTMLFormElement>) => void;
};
type FormAlertContent = { kind: "success" | "failure"; message: string };

export type ApiFormOptions<V extends Values> = {
  initialValues: V;
  /** Checked on the client; a returned message stands in the red alert. */
  check?: ((values: V) => string | undefined) | undefined;
  /** Checked on the client too; the messages stand at their fields. */
  validate?: ((values: V) => FormErrors) | undefined;
  /** Makes the call: `(values, options) => create.send({ body: values }, options)`. */
  onSubmit: (values: V, options: CallOptions) => Promise<{ message: string }>;
  /** The form locks and, after this time, ends: after a success, or (`always`) after any answer. Else it stays open. */
  end?: { after: number; on: "success" | "always"; finish: "reset" | (() => void) };
};

/** The life of a form: one call at a time, the server's message in an alert for three seconds, issues at their fields. */
export function useApiForm<V extends Values>(options: ApiFormOptions<V>): ApiForm<V> {
  const { initialValues, check, validate, onSubmit, end } = options;
  const [alert, setAlert] = usePassingAlert<FormAlertContent>();
  const fields = useForm<V>({
    initialValues,
    ...(validate && { validate }),
    // What was said about other values is no longer true of these.
    onValuesChange: () => setAlert(undefined),
  });
  const idempotencyKey = useRef("");
  idempotencyKey.current ||= randomId();

  const call = useMutation<{ message: string }, Error, V>({
    mutationFn: (values) => onSubmit(values, { idempotencyKey: idempotencyKey.current }),
    onMutate: () => setAlert(undefined),
    onSuccess({ message }) {
      idempotencyKey.current = "";
      // A form that ends at once leaves no time to read it.
      if (end?.after === 0) finish.current?.();
      else setAlert({ kind: "success", message });
    },
    onError(error) {
      const { status, message, issues } = error instanceof ApiError ? error : new ApiError(0, String(error));
      setAlert({ kind: "failure", message });
      fields.setErrors(errorsAt(Object.keys(initialValues), issues));
      // Nothing happened on the server, so the corrected form is a new request. After no answer, who knows: same key.
      if (status >= 400 && status < 500) idempotencyKey.current = "";
    },
  });
  const working = call.isPending;
  const settled = end !== undefined && (call.isSuccess || (end.on === "always" && call.isError));

  const finish = useRef<() => void>(undefined);
  finish.current = () => {
    call.reset();
    if (end?.finish === "reset") fields.reset();
    else end?.finish();
  };
  useEffect(() => {
    if (!settled) return;
    const timer = setTimeout(() => finish.current?.(), end?.after);
    return () => clearTimeout(timer);
  }, [settled, end?.after]);

  const submit = fields.onSubmit((values) => {
    if (working || settled) return;
    const refusal = check?.(values);
    if (refusal) setAlert({ kind: "failure", message: refusal });
    else call.mutate(values);
  });
  return { fields, alert, working, settled, submit };
}

/** Issues name a path such as `username`, `body.username` or, in a list, `body.addresses.0`. */
function errorsAt(names: string[], issues: ApiError["issues"]): FormErrors {
  const fieldOf = (path: string) => path.split(".").findLast((part) => names.includes(part));
  return Object.fromEntries(
    issues.flatMap(({ path, message }) => {
      const name = fieldOf(path);
      return name ? [[name, message]] : [];
    }),
  );
}

export function FormAlert({ alert }: { alert: FormAlertContent | undefined }) {
  if (!alert) return null;
  return (
    <Alert color={alert.kind === "success" ? "green" : "red"} role="alert" py={8}>
      {alert.message}
    </Alert>
  );
}

/** The button of a form: disabled while it works, and saying so. */
export function SubmitButton<V extends Values>({
  form: { working, settled },
  label,
  workingLabel,
  variant = "filled",
}: {
  form: ApiForm<V>;
  label: string;
  workingLabel: string;
  /** `default` where the screen's main action is another one. */
  variant?: "filled" | "default";
}) {
  const disabled = working || settled;
  const button = useKeptFocus(disabled);
  return (
    <Button ref={button} type="submit" variant={variant} disabled={disabled}>
      {working ? workingLabel : label}
    </Button>
  );
}
