import { useLayoutEffect, useRef } from "react";

/** ⌘ on a Mac, Ctrl elsewhere: both work everywhere. */
export const commandKey = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? "⌘" : "Ctrl";

/** The keys that work on every screen; those of single screens are in screens.tsx. The help is drawn from this. */
export const keys = {
  palette: { key: `${commandKey} k`, does: "Search everything, or jump to a screen" },
  search: { key: "/", does: "Search this list" },
  next: { key: "j", does: "Next row" },
  previous: { key: "k", does: "Previous row" },
  open: { key: "Enter", does: "Open the row" },
  choose: { key: "x", does: "Choose the row" },
  chooseNext: { key: "J", does: "Choose this row and the next" },
  choosePrevious: { key: "K", does: "Choose this row and the one before" },
  verify: { key: "v", does: "Verify the newcomer" },
  decline: { key: "d", does: "Decline the newcomer" },
  refund: { key: "r", does: "Refund the order that is open" },
  notices: { key: "b", does: "Open the notices" },
  close: { key: "Escape", does: "Close what is open, or choose none" },
  help: { key: "?", does: "Show all keys" },
} as const;

/** Keys of the Fedex desk. */
export const deskKeys = {
  claim: { key: "c", does: "Claim the order, or release it" },
  file: { key: "f", does: "Choose the label's file" },
  price: { key: "p", does: "Enter the price" },
  several: { key: "u", does: "Choose several files at once" },
  save: { key: `${commandKey} ↵`, does: "Save, and go on to the next order" },
} as const;

/** Keys that repeat while held down; all others have to be pressed again. */
const held: string[] = [keys.next, keys.previous, keys.chooseNext, keys.choosePrevious].map(({ key }) => key);

/** Pressed before the letter of a screen. */
export const goKey = "g";

type Handlers = Record<string, (() => void) | undefined>;

/** The part that was shown last comes first. */
const listening: { current: Handlers }[] = [];

const earlyMs = 3000;
const nothingEarly = { key: "", at: Number.NEGATIVE_INFINITY };
let early = nothingEarly;

/** Remembers a key that is pressed while its target still loads, and acts once that is there. */
export function useEarlyKey(key: string): void {
  useKeys({
    [key]: () => {
      early = { key, at: performance.now() };
    },
  });
}

/** Calls the handler of a key such as `j`, of two keys in sequence (`g o`), or of two together (`Ctrl k`). */
export function useKeys(handlers: Handlers): void {
  const latest = useRef(handlers);
  // Updated together with the drawing, so that a key acts on what is seen.
  useLayoutEffect(() => {
    latest.current = handlers;
  });
  useLayoutEffect(() => {
    listening.unshift(latest);
    const act = performance.now() - early.at < earlyMs ? latest.current[early.key] : undefined;
    if (act) {
      early = nothingEarly;
      act();
    }
    return () => void listening.splice(listening.indexOf(latest), 1);
  }, []);
}

const goMs = 1500;
let goPressedAt = Number.NEGATIVE_INFINITY;

window.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  if (document.querySelector("[aria-modal=true]")) return;
  const pressed = event.ctrlKey || event.metaKey ? `${commandKey} ${event.key.toLowerCase()}` : plainKeys(event);
  const act = listening.map(({ current }) => current[pressed]).find((handler) => handler !== undefined);
  if (!act) return;
  event.preventDefault();
  if (event.repeat && !held.includes(pressed)) return;
  forgetEarly();
  act();
});

/** Whoever does something else meanwhile no longer means what was loading. */
function forgetEarly() {
  early = nothingEarly;
}
window.addEventListener("pointerdown", forgetEarly);

/** A key, or the sequence of two that it completes; nothing while typing. */
function plainKeys(event: KeyboardEvent): string {
  if (isTaken(event)) return "";
  if (event.repeat) return event.key;
  const isSecond = event.timeStamp - goPressedAt < goMs;
  goPressedAt = event.key === goKey && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
  return isSecond ? `${goKey} ${event.key}` : event.key;
}

const fields = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]";

/** Whether what has the focus must keep it: a text field, or a dialog. */
export const keepsFocus = (): boolean => document.activeElement?.closest(`${fields}, [aria-modal=true]`) != null;

/** Whether a text field, an open menu or a focused button takes the key. */
function isTaken({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(`${fields}, [role=menu], [role=listbox]`)) return true;
  return key === keys.open.key && target.closest("a, button, summary, [role=button]") !== null;
}
