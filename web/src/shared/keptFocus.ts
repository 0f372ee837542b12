import { useEffect, useRef } from "react";

/** For a button: browsers drop the focus of one that becomes disabled; the keyboard must not start over. */
export function useKeptFocus(disabled: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const wasDisabled = useRef(false);
  useEffect(() => {
    if (wasDisabled.current && !disabled && document.activeElement === document.body) button.current?.focus();
    wasDisabled.current = disabled;
  }, [disabled]);
  return button;
}
