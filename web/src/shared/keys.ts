import { useLayoutEffect, useRef } from "react";

/** What a Mac calls ⌘ and others Ctrl: both do the same on either. */
export const commandKey = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? "⌘" : "Ctrl";

/** The keys that work on every screen; those of screens stand with them, in screens.tsx. The help is drawn from this. */
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

/** Those of the Fedex desk. */
export const deskKeys = {
  claim: { key: "c", does: "Claim the order, or release it" },
  file: { key: "f", does: "Choose the label's file" },
  price: { key: "p", does: "Enter the price" },
  several: { key: "u", does: "Choose several files at once" },
  save: { key: `${commandKey} ↵`, does: "Save, and go on to the next order" },
} as const;

/** Those that go on while they are held: all else wants to be pressed anew. */
const held: string[] = [keys.next, keys.previous, keys.chooseNext, keys.choosePrevious].map(({ key }) => key);

/** Pressed before the letter of a screen. */
export const goKey = "g";

type Handlers = Record<string, (() => void) | undefined>;

/** Those of the part that was shown last come first. */
const listening: { current: Handlers }[] = [];

const earlyMs = 3000;
const nothingEarly = { key: "", at: Number.NEGATIVE_INFINITY };
let early = nothingEarly;

/** Keeps a key that is pressed while what it acts on still loads: it acts once that is there. */
export function useEarlyKey(key: string): void {
  useKeys({
    [key]: () => {
      early = { key, at: performance.now() };
    },
  });
}

/** Calls what belongs to a key, such as `j`, or to two: `g o` after one another, `Ctrl k` together. */
export function useKeys(handlers: Handlers): void {
  const latest = useRef(handlers);
  // Together with what is drawn: a key acts on what is seen, not on what was there a moment ago.
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
  if (!event.repeat || held.includes(pressed)) act();
});

/** A key, or the two after one another that it ends; nothing while one types. */
function plainKeys(event: KeyboardEvent): string {
  if (isTaken(event)) return "";
  if (event.repeat) return event.key;
  const isSecond = event.timeStamp - goPressedAt < goMs;
  goPressedAt = event.key === goKey && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
  return isSecond ? `${goKey} ${event.key}` : event.key;
}

const fields = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]";

/** By what is being typed into, by an open menu, or by the button that Enter presses. */
function isTaken({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(`${fields}, [role=menu], [role=listbox]`)) return true;
  return key === keys.open.key && target.closest("a, button, summary, [role=button]") !== null;
}
