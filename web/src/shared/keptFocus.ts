import { useEffect, useRef } from "react";

/** For a button that is disabled for a while: browsers take its focus away, so this returns it. */
export function useKeptFocus(disabled: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const wasDisabled = useRef(false);
  useEffect(() => {
    if (wasDisabled.current && !disabled && document.activeElement === document.body) button.current?.focus();
    wasDisabled.current = disabled;
  }, [disabled]);
  return button;
}
