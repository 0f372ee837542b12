import type { Conflict } from "@footprint/contract/versions.ts";
import type { UseFormReturnType } from "@mantine/form";
import { useEffect, useState } from "react";

/** A field that others may change too. */
export type EditedField<V> = {
  label: string;
  /** The form's values that make up the field; the first one names it. */
  names: (keyof V & string)[];
  /** The value to compare: two fields with equal values are the same. */
  comesTo: (values: V) => unknown;
  /** The value in words; empty for nothing. */
  text: (values: V) => string;
  /** The old value cannot be restored: a replaced file. */
  isFinal?: true;
};

/** A field with text, or yes and no. */
export const edited = <V extends object>(name: keyof V & string, label: string, before = ""): EditedField<V> => ({
  label,
  names: [name],
  comesTo: (values) => values[name],
  text: ({ [name]: value }) =>
    typeof value === "boolean" ? (value ? "Yes" : "No") : value === "" ? "" : before + String(value),
});

/** What a form began from, used to compare with and as the version to send. */
type Began<V> = { version: string; base: V };

/** Somebody else's changes beside one's own. */
type Met<V> = {
  mine: V;
  theirs: V;
  base: V;
  by: string | null;
  at: string | null;
  undecided: string[];
  asked: number;
  /** Until then nothing is sent again. */
  isShown: boolean;
};

export type Editing<V> = Began<V> & { met?: Met<V> | undefined };

/** What a form edits, so that nobody's change is overwritten. */
export type Edit<V> = {
  /** As read when the form was opened. */
  version: string;
  fields: EditedField<V>[];
  /** Translates the server's state to the form's values. */
  valuesOf: (current: never) => Partial<V>;
  /** For a form that stays open: the current state, which untouched fields follow. */
  now?: V;
  /** What the form holds after saving. */
  savedAs?: (values: V) => V;
  onSaved?: () => void;
  /** The state of an earlier form about the same thing. */
  kept?: Editing<V> | undefined;
};

/** A conflict as shown: all fields that differ, to be decided one by one. */
export type ShownConflict = {
  version: string;
  by: string | null;
  at: string | null;
  /** How often saving was tried before everything was decided. */
  asked: number;
  rows: ConflictRow[];
  isShown: boolean;
  onShown: () => void;
};
export type ConflictRow = {
  name: string;
  label: string;
  mine: string;
  theirs: string;
  /** Changed only by the other person. */
  isTheirs: boolean;
  isFinal: boolean;
  chosen: "mine" | "theirs" | undefined;
  choose: (side: "mine" | "theirs") => void;
};

/** Tracks what a form edits, from its beginning through other people's changes. */
export function useEdit<V extends object>(
  form: { fields: Pick<UseFormReturnType<V>, "values" | "getValues" | "setValues">; forgetKey: () => void },
  initialValues: V,
  edit: Edit<V> | undefined,
) {
  const [editing, setEditing] = useState<Editing<V> | undefined>(
    () => edit && (edit.kept ?? { version: edit.version, base: initialValues }),
  );
  const { fields } = form;
  const { values } = fields;

  const { now, version } = edit ?? {};
  const isNow = now && JSON.stringify([version, ...(edit?.fields.map(({ text }) => text(now)) ?? [])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the thing itself has changed
  useEffect(() => {
    if (!edit || !now || !editing || editing.met) return;
    const touched = edit.fields.filter((field) => !isSame(field, values, editing.base));
    // If both changed the same field, the operator is told when saving.
    const isOthers = (field: EditedField<V>) => !isSame(field, now, editing.base) && !isSame(field, now, values);
    if (edit.version !== editing.version && touched.some(isOthers)) return;
    setEditing({ version: edit.version, base: now });
    fields.setValues({ ...now, ...partsOf(touched, values) });
    if (touched.length > 0 && touched.every((field) => isSame(field, now, values))) form.forgetKey();
  }, [isNow]);

  /** What was typed while the call was under way. */
  function typedSince(sent: V): Partial<V> {
    const values = fields.getValues();
    return partsOf(edit?.fields.filter((field) => !isSame(field, values, sent)) ?? [], values);
  }

  /** What was sent is now the current state. */
  function hold(sent: V, version: string | undefined) {
    if (!edit || !editing) return;
    const held = edit.savedAs?.(sent) ?? sent;
    setEditing({ version: version ?? editing.version, base: held });
    if (edit.savedAs) fields.setValues({ ...held, ...typedSince(sent) });
    edit.onSaved?.();
  }

  /** Somebody else came first. True if their changes leave nothing to save. */
  function meet(sent: V, { version, current, changedBy, changedAt }: Conflict): boolean {
    if (!edit || !editing) return false;
    const { base } = editing;
    const theirs = { ...sent, ...edit.valuesOf(current as never) };
    const touched = edit.fields.filter((field) => !isSame(field, sent, base));
    const left = touched.filter((field) => !isSame(field, sent, theirs));
    if (left.length === 0) {
      hold(theirs, version);
      return true;
    }
    const undecided = left.filter((field) => !isSame(field, theirs, base)).map(nameOf);
    const met = { mine: sent, theirs, base, by: changedBy, at: changedAt, undecided, asked: 0, isShown: false };
    setEditing({ version, base: theirs, met });
    fields.setValues({ ...theirs, ...partsOf(left, sent), ...typedSince(sent) });
    return false;
  }

  const met = editing?.met;
  const rows: ConflictRow[] = !edit || !met ? [] : edit.fields.flatMap((field) => rowOf(field, met) ?? []);

  function rowOf(field: EditedField<V>, met: Met<V>): ConflictRow | undefined {
    const { mine, theirs, base } = met;
    if (isSame(field, theirs, base) || isSame(field, mine, theirs)) return undefined;
    const name = nameOf(field);
    const isTyped = !isSame(field, values, mine) && !isSame(field, values, theirs);
    const isOpen = met.undecided.includes(name) && isSame(field, values, mine);
    return {
      name,
      label: field.label,
      mine: field.text(isTyped ? values : mine),
      theirs: field.text(theirs),
      isTheirs: isSame(field, mine, base),
      isFinal: Boolean(field.isFinal) && isSame(field, mine, base),
      chosen: isOpen ? undefined : isSame(field, values, theirs) ? "theirs" : "mine",
      choose(side) {
        const undecided = met.undecided.filter((other) => other !== name);
        if (editing) setEditing({ ...editing, met: { ...met, undecided, asked: 0 } });
        fields.setValues(partsOf([field], side === "mine" ? mine : theirs));
      },
    };
  }

  function onShown() {
    setEditing((now) => (now?.met ? { ...now, met: { ...now.met, isShown: true } } : now));
  }

  /** True if something has to be shown or decided first; then asks for it. */
  function asksFirst(): boolean {
    if (!editing || !met) return false;
    if (!met.isShown) return true;
    if (rows.every(({ chosen }) => chosen)) return false;
    setEditing({ ...editing, met: { ...met, asked: met.asked + 1 } });
    return true;
  }

  const conflict: ShownConflict | undefined = editing && met && { ...met, version: editing.version, rows, onShown };

  /** Takes the current state for all fields. */
  function discard() {
    if (!edit || !editing) return;
    const base = now ?? editing.base;
    setEditing({ version: now ? edit.version : editing.version, base });
    fields.setValues(base);
  }

  return { editing, conflict, hold, meet, asksFirst, discard };
}

const isSame = <V>({ comesTo }: EditedField<V>, one: V, other: V) => comesTo(one) === comesTo(other);
const nameOf = <V>({ names }: EditedField<V>) => String(names[0]);

/** The values that make up these fields. */
const partsOf = <V extends object>(fields: EditedField<V>[], values: V) =>
  Object.fromEntries(fields.flatMap(({ names }) => names.map((name) => [name, values[name]]))) as Partial<V>;
