let mustLeave = false;

/** Loads a page anew in any case: nothing of a session that has ended may be left in it. */
export function leavePage(load: () => void): void {
  mustLeave = true;
  load();
}

/** What a browser asks before a page is left. */
export function askFirst(event: BeforeUnloadEvent): void {
  if (!mustLeave) event.preventDefault();
}
