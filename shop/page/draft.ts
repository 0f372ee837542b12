import { useState } from "react";
import { Failure } from "./ask.ts";

type Draft<T> = {
  /** Whatever is sent with it is done once. */
  key: string;
  values: T;
  /** It was sent, and nobody knows whether it arrived. */
  isUnsure: boolean;
};

/** Pages that are not of this machine, and not encrypted, have no randomUUID. */
function newKey(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function kept<T>(name: string): Draft<T> | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "") as Draft<T>;
  } catch {
    return undefined;
  }
}

function keep<T>(name: string, draft: Draft<T>) {
  try {
    sessionStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // A browser that keeps nothing: then a reload begins anew.
  }
}

/** What Footprint decided: whatever was sent before under the same key was not done. */
const decided = ["input", "balance", "sold-out", "disabled", "unverified", "missing", "used"];

/**
 * A form that buys something: what is filled in outlasts a reload, and so does its one key, until the answer came.
 * A double click, a retry, or a reload after an answer that got lost buys once.
 */
export function useDraft<T>(form: string, discordId: string, initial: () => T) {
  const name = `${form}:${discordId}`;
  const [draft, setDraft] = useState<Draft<T>>(
    () => kept<T>(name) ?? { key: newKey(), values: initial(), isUnsure: false },
  );
  const [isSending, setSending] = useState(false);

  /** At once, since whoever has left the form when the answer comes finds it as it should be when they return. */
  function put(next: Draft<T>) {
    keep(name, next);
    setDraft(next);
  }

  async function send<R>(work: (key: string) => Promise<R>): Promise<R> {
    // Before it is sent: the page may be gone before the answer comes.
    keep(name, { ...draft, isUnsure: true });
    setSending(true);
    try {
      const answer = await work(`${discordId}:${draft.key}`);
      put({ key: newKey(), values: initial(), isUnsure: false });
      return answer;
    } catch (error) {
      const { code, mayBeDone } = error instanceof Failure ? error : { code: "offline", mayBeDone: true };
      const isUnsure = draft.isUnsure ? !decided.includes(code) : mayBeDone;
      // What was sent with another content under the same key will never be answered.
      put({ ...draft, isUnsure, ...(code === "used" && { key: newKey() }) });
      throw error;
    } finally {
      setSending(false);
    }
  }

  return {
    ...draft,
    isSending,
    change: (values: T) => put({ ...draft, values }),
    /** Another form: with a key of its own. */
    begin: (values: T) => put({ key: newKey(), values, isUnsure: false }),
    send,
  };
}
