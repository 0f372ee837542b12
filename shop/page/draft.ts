import { useState } from "react";
import { Failure } from "./ask.ts";

type Draft<T> = {
  /** Everything sent with it is done once. */
  key: string;
  values: T;
  /** It was sent, and nobody knows whether it arrived. */
  isUnsure: boolean;
};

/** Unencrypted pages on other machines have no randomUUID. */
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
    // The browser stores nothing, so a reload starts over.
  }
}

/** Footprint's own decisions: nothing that was sent before under the same key was done. */
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

  /** At once, since somebody who has left the form must find it right when they return. */
  function put(next: Draft<T>) {
    keep(name, next);
    setDraft(next);
  }

  async function send<R>(work: (key: string) => Promise<R>): Promise<R> {
    // Before sending, since the page may be gone before the answer comes.
    keep(name, { ...draft, isUnsure: true });
    setSending(true);
    try {
      const answer = await work(`${discordId}:${draft.key}`);
      put({ key: newKey(), values: initial(), isUnsure: false });
      return answer;
    } catch (error) {
      const { code, mayBeDone } = error instanceof Failure ? error : { code: "offline", mayBeDone: true };
      const isUnsure = draft.isUnsure ? !decided.includes(code) : mayBeDone;
      // Another content under the same key can never be answered.
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
    /** A new form, with a new key. */
    begin: (values: T) => put({ key: newKey(), values, isUnsure: false }),
    send,
  };
}
