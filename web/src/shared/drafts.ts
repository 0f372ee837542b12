import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { askFirst } from "./leavePage.ts";

/** Unsaved text about a record, by its id, kept until it is saved or the page is left. */
const drafts = new Map<string, unknown>();
const listeners = new Set<() => void>();

export const draftOf = <T>(id: string) => drafts.get(id) as T | undefined;

export function dropDraft(id: string): void {
  if (drafts.delete(id)) for (const tell of listeners) tell();
}

/** Keeps a form's contents while there is anything to keep; calls back when they are kept no longer. */
export function useDraft(id: string, draft: unknown, onDropped: () => void = () => {}): void {
  const isKept = useHasDraft(id);
  const drop = useEffectEvent(onDropped);
  useEffect(() => {
    if (!isKept) drop();
  }, [isKept]);
  useEffect(() => {
    if (draft === undefined) return dropDraft(id);
    const isNew = !drafts.has(id);
    drafts.set(id, draft);
    if (isNew) for (const tell of listeners) tell();
  });
}

export const useHasDraft = (id: string) => useSyncExternalStore(subscribe, () => drafts.has(id));

function subscribe(tell: () => void) {
  listeners.add(tell);
  return () => void listeners.delete(tell);
}

window.addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) askFirst(event);
});
