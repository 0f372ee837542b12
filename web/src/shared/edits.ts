import type { Conflict } from "@footprint/contract/versions.ts";
import type { UseFormReturnType } from "@mantine/form";
import { useEffect, useState } from "react";

/** A field that others may change too. */
export type EditedField<V> = {
  label: string;
  /** The form's values that it is made of, the first naming it. */
  names: (keyof V & string)[];
  /** What it comes to. Two are the same if these are. */
  comesTo: (values: V) => unknown;
  /** The same in words; empty for nothing. */
  text: (values: V) => string;
  /** What was there before cannot be had back: a file that was replaced. */
  isFinal?: true;
};

/** A field that holds text, or yes and no. */
export const edited = <V extends object>(name: keyof V & string, label: string, before = ""): EditedField<V> => ({
  label,
  names: [name],
  comesTo: (values) => values[name],
  text: ({ [name]: value }) =>
    typeof value === "boolean" ? (value ? "Yes" : "No") : value === "" ? "" : before + String(value),
});

/** What a form began from: that is what it is compared with, and the version that is sent. */
type Began<V> = { version: string; base: V };

/** What somebody else has changed meanwhile, beside what was entered here. */
type Met<V> = {
  mine: V;
  theirs: V;
  base: V;
  by: string | null;
  at: string | null;
  undecided: string[];
  asked: number;
};

export type Editing<V> = Began<V> & { met?: Met<V> | undefined };

/** What a form edits, so that nobody's change is overwritten. */
export type Edit<V> = {
  /** As it was read when the form was opened. */
  version: string;
  fields: EditedField<V>[];
  /** The thing as the server tells it, as the form holds it. */
  valuesOf: (current: never) => Partial<V>;
  /** For a form that stays open: as the thing is now. What is not touched follows it. */
  now?: V;
  /** And how the form holds what it has just saved. */
  savedAs?: (values: V) => V;
  onSaved?: () => void;
  /** How far an earlier form of the same thing came. */
  kept?: Editing<V> | undefined;
};

/** A conflict as it is shown: whatever differs, to be decided field by field. */
export type ShownConflict = {
  version: string;
  by: string | null;
  at: string | null;
  /** How often somebody tried to save before all was decided. */
  asked: number;
  rows: ConflictRow[];
};
export type ConflictRow = {
  name: string;
  label: string;
  mine: string;
  theirs: string;
  /** Only the other has changed it. */
  isTheirs: boolean;
  isFinal: boolean;
  chosen: "mine" | "theirs" | undefined;
  choose: (side: "mine" | "theirs") => void;
};

/** Follows what a form edits, from where it began through whatever others do meanwhile. */
export function useEdit<V extends object>(
  fields: Pick<UseFormReturnType<V>, "values" | "getValues" | "setValues">,
  initialValues: V,
  edit: Edit<V> | undefined,
) {
  const [editing, setEditing] = useState<Editing<V> | undefined>(
    () => edit && (edit.kept ?? { version: edit.version, base: initialValues }),
  );
  const { values } = fields;

  const { now, version } = edit ?? {};
  const isNow = now && JSON.stringify([version, ...(edit?.fields.map(({ text }) => text(now)) ?? [])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the thing itself has changed
  useEffect(() => {
    if (!edit || !now || !editing || editing.met) return;
    const touched = edit.fields.filter((field) => !isSame(field, values, editing.base));
    // Who changes the same as somebody else is told when they save.
    if (edit.version !== editing.version && touched.some((field) => !isSame(field, now, editing.base))) return;
    setEditing({ version: edit.version, base: now });
    fields.setValues({ ...now, ...partsOf(touched, values) });
  }, [isNow]);

  /** What was typed while the call was under way. */
  function typedSince(sent: V): Partial<V> {
    const values = fields.getValues();
    return partsOf(edit?.fields.filter((field) => !isSame(field, values, sent)) ?? [], values);
  }

  /** What was sent is what is there now. */
  function hold(sent: V, version: string | undefined) {
    if (!edit || !editing) return;
    const held = edit.savedAs?.(sent) ?? sent;
    setEditing({ version: version ?? editing.version, base: held });
    if (edit.savedAs) fields.setValues({ ...held, ...typedSince(sent) });
    edit.onSaved?.();
  }

  /** Somebody else came first. True where they leave nothing to save. */
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
    const met = { mine: sent, theirs, base, by: changedBy, at: changedAt, undecided, asked: 0 };
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

  /** True where something has to be decided first, which is then asked for. */
  function asksFirst(): boolean {
    if (!editing || !met || rows.every(({ chosen }) => chosen)) return false;
    setEditing({ ...editing, met: { ...met, asked: met.asked + 1 } });
    return true;
  }

  const conflict: ShownConflict | undefined = editing && met && { ...met, version: editing.version, rows };

  /** Everything as it is now. */
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

/** The values that these fields are made of. */
const partsOf = <V extends object>(fields: EditedField<V>[], values: V) =>
  Object.fromEntries(fields.flatMap(({ names }) => names.map((name) => [name, values[name]]))) as Partial<V>;
