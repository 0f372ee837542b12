import { ApiError, type CallOptions } from "./api.ts";
import { type Edit, type ShownConflict, useEdit } from "./edits.ts";
import { type Answer, type ApiForm, type ApiFormOptions, useApiForm, type Values } from "./form.tsx";
import { lazyPart } from "./lazyPart.tsx";

type EditFormOptions<V extends Values> = Omit<ApiFormOptions<V>, "onSubmit" | "onSavedBefore" | "isReady"> & {
  /** What is edited; undefined if something is added. */
  edit: Edit<V> | undefined;
  /** `base` is what the edit began from. */
  onSubmit: (values: V, options: CallOptions, base: V) => Promise<Answer>;
};

/** A form for things that others may be editing too: it sends the version, and shows conflicts to decide. */
export function useEditForm<V extends Values>({ edit, onSubmit, ...options }: EditFormOptions<V>) {
  const { initialValues } = options;
  const form: ApiForm<V> = useApiForm({
    ...options,
    staysOpen: edit?.now !== undefined,
    onSubmit: send,
    onSavedBefore: (sent, { version }) => hold(sent, version),
    isReady: () => !asksFirst(),
  });
  const { editing, conflict, hold, meet, asksFirst, discard } = useEdit(form, initialValues, edit);

  async function send(values: V, call: CallOptions): Promise<Answer> {
    try {
      const answer = await onSubmit(values, { ...call, version: editing?.version }, editing?.base ?? initialValues);
      hold(values, answer.version);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.conflict && meet(values, error.conflict))
        return { message: "Already saved" };
      throw error;
    }
  }

  return { ...form, editing, conflict, discard };
}

const Conflict = lazyPart(() => import("./Conflict.tsx").then((file) => file.Conflict));

/** What somebody else has changed, to be decided before saving again. */
export function FormConflict({ form: { conflict } }: { form: { conflict: ShownConflict | undefined } }) {
  return conflict && <Conflict conflict={conflict} />;
}
