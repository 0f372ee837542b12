import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useEffect, useState } from "react";

/** Copies a text, and confirms it. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 2_000);
    return () => clearTimeout(timer);
  }, [isDone]);
  // Unencrypted pages on other machines have no clipboard.
  if (!navigator.clipboard) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => {},
    );
  return (
    <button
      type="button"
      className="button bare"
      onClick={copy}
      aria-label={isDone ? `${what} copied` : `Copy ${what}`}
    >
      {isDone ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
    </button>
  );
}
