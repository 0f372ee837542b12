import { Button } from "@mantine/core";
import { type FormErrors, type UseFormReturnType, useForm } from "@mantine/form";
import { useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useEffectEvent, useId, useRef } from "react";
import { ApiError, type CallOptions } from "./api.ts";
import type { FormAlertContent } from "./FormAlert.tsx";
import { useKeptFocus } from "./keptFocus.ts";
import { notify } from "./notify.ts";
import { randomId } from "./randomId.ts";
import { useTemporary } from "./temporary.ts";

/** Of what forms that may be left have sent and got no answer to, by the record's id: who comes back sends it again. */
const unansweredKeys = new Map<string, string>();

export type Values = Record<string, unknown>;
export type ApiForm<V extends Values> = {
  fields: UseFormReturnType<V>;
  alert: FormAlertContent | undefined;
  working: boolean;
  /** The answer has arrived, and the form is about to reset or close. */
  settled: boolean;
  submit: (event?: FormEvent<HTMLFormElement>) => void;
  /** What it sent before without an answer is known to be saved: what is sent next is something else. */
  forgetKey: () => void;
};
export type Answer = { message: string; version?: string };

export type ApiFormOptions<V extends Values> = {
  initialValues: V;
  /**
   * What is sent, if the form may be left meanwhile: whoever comes back finds it still working, and everybody else is
   * told by its name if it failed.
   */
  of?: { id: string; name: string } | undefined;
  /** It is used again after its answer. */
  staysOpen?: boolean | undefined;
  /** A form of the same was left, and what it had sent is saved now. */
  onSavedBefore?: ((sent: V, answer: Answer) => void) | undefined;
  /** A check in the browser; a returned message is shown in the red alert. */
  check?: ((values: V) => string | undefined) | undefined;
  /** Also in the browser; messages are shown at their fields. */
  validate?: ((values: V) => FormErrors) | undefined;
  /** Makes the call: `(values, options) => callApi(staff.create, { body: values }, options)`. */
  onSubmit: (values: V, options: CallOptions) => Promise<Answer>;
  /** Called before anything is sent; false if the form itself shows what is missing. */
  isReady?: () => boolean;
  /** After a success, or (`always`) after any answer, the form is locked for this time and then reset or closed. */
  end?: { after: number; on: "success" | "always"; finish: "reset" | (() => void) } | undefined;
};

/** A form that makes a call: one at a time, with the server's message in an alert and its issues at the fields. */
export function useApiForm<V extends Values>(options: ApiFormOptions<V>): ApiForm<V> {
  const {
    initialValues,
    of,
    staysOpen = of !== undefined,
    onSavedBefore,
    check,
    validate,
    onSubmit,
    isReady,
    end,
  } = options;
  const [alert, setAlert] = useTemporary<FormAlertContent>();
  const fields = useForm<V>({
    initialValues,
    ...(validate && { validate }),
    // An alert about the old values may be wrong for the new ones.
    onValuesChange: () => setAlert(undefined),
    // Nobody asks which fields had the focus, and noting it would draw the whole form again.
    enhanceGetInputProps: () => ({ onFocus: undefined }),
  });
  const ownKey = useRef<string>(undefined);
  function idempotencyKey() {
    ownKey.current ??= (of && unansweredKeys.get(of.id)) ?? randomId();
    if (of) unansweredKeys.set(of.id, ownKey.current);
    return ownKey.current;
  }
  function forgetKey() {
    ownKey.current = undefined;
    if (of) unansweredKeys.delete(of.id);
  }

  const ownId = useId();
  const mutationKey = of ? [of.name, of.id] : [ownId];
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const call = useMutation<Answer, Error, V>({
    mutationKey: [...mutationKey, ownId],
    mutationFn: (values) => onSubmit(values, { idempotencyKey: idempotencyKey() }),
    onMutate: () => setAlert(undefined),
    onSuccess({ message }) {
      forgetKey();
      // A form that closes at once gives no time to read a message.
      if (end?.after === 0) finish.current?.();
      else setAlert({ kind: "success", message });
    },
    onError(error) {
      const { status, message, issues, conflict, alreadyDone } =
        error instanceof ApiError ? error : new ApiError(0, String(error));
      if (of && isLeft.current) notify("error", `${of.name}: ${message}`);
      // Conflicts are shown until they are decided.
      if (!conflict) setAlert({ kind: "failure", message });
      fields.setErrors(errorsAt(Object.keys(initialValues), issues));
      // A refused call changed nothing, so the corrected form is a new request. Without an answer nobody knows, so the
      // key stays; and where an earlier try went through, a form that is about to be closed does nothing more.
      if (status >= 400 && status < 500 && (!alreadyDone || staysOpen)) forgetKey();
    },
  });
  const working = useIsMutating({ mutationKey }) > 0;

  const onSaved = useEffectEvent(onSavedBefore ?? (() => {}));
  const client = useQueryClient();
  const { name, id } = of ?? {};
  useEffect(() => {
    if (!id) return;
    return client.getMutationCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "success") return;
      const { options, state } = event.mutation;
      const [itsName, itsId, form] = options.mutationKey ?? [];
      if (itsName !== name || itsId !== id || form === ownId) return;
      onSaved(state.variables as V, event.action.data as Answer);
    });
  }, [client, name, id, ownId]);
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
    else if (isReady?.() ?? true) call.mutate(values);
  });
  return { fields, alert, working, settled, submit, forgetKey };
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

/** The submit button of a form; while the call is under way it is disabled and says so. */
export function SubmitButton<V extends Values>({
  form: { working, settled },
  label,
  workingLabel,
  variant = "filled",
  size = "sm",
  danger = false,
}: {
  form: ApiForm<V>;
  label: string;
  workingLabel: string;
  /** `default` if the screen's main action is another one. */
  variant?: "filled" | "default";
  size?: "xs" | "sm";
  danger?: boolean;
}) {
  const disabled = working || settled;
  const button = useKeptFocus(disabled);
  return (
    <Button
      ref={button}
      type="submit"
      variant={variant}
      size={size}
      {...(danger && { color: "red.8" })}
      disabled={disabled}
    >
      {working ? workingLabel : label}
    </Button>
  );
}
