import { CloseButton, Kbd, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { keys, useKeys } from "./keys.ts";
import { useIsLeaving } from "./leaving.ts";
import { useWidthUpTo } from "./windowWidth.ts";

const debounceMs = 300;

/** A search box that reports its text when typing pauses. The slash key leads into it, and Enter to the rows. */
export function SearchField({
  value,
  onChange,
  placeholder,
}: {
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
}) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<number>(undefined);
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const isPhone = useWidthUpTo("phone");
  const isLeaving = useIsLeaving();

  // Back, Forward and Clear change the address: the text follows, and a pending report is dropped.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    window.clearTimeout(timer.current);
    setText(value);
  }, [value]);

  useEffect(() => () => window.clearTimeout(timer.current), []);
  function focus() {
    input.current?.focus();
    input.current?.select();
  }
  useKeys({ [keys.search.key]: focus });

  function report(next: string) {
    window.clearTimeout(timer.current);
    if (next.trim() === reported.current || isLeaving()) return;
    reported.current = next.trim();
    onChange(next.trim());
  }

  function type(next: string, delay: number) {
    setText(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(report, delay, next);
  }

  return (
    <TextInput
      ref={input}
      type="search"
      aria-label="Search"
      aria-keyshortcuts="/"
      placeholder={placeholder}
      maxLength={200}
      value={text}
      onChange={(event) => type(event.currentTarget.value, debounceMs)}
      onKeyDown={({ key, nativeEvent, currentTarget }) => {
        if (nativeEvent.isComposing) return;
        if (key === "Enter") report(text);
        if (key === "Escape" && text) type("", 0);
        // To the rows, where keys work.
        else if ((key === "Enter" || key === "Escape") && !currentTarget.closest("[aria-modal=true]"))
          document.getElementById("content")?.focus();
      }}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text ? (
          <CloseButton
            size="sm"
            aria-label="Clear search"
            onClick={() => {
              type("", 0);
              input.current?.focus();
            }}
          />
        ) : (
          !isPhone && (
            <Kbd size="xs" aria-hidden>
              /
            </Kbd>
          )
        )
      }
    />
  );
}
