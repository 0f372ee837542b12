let mustLeave = false;

/** Loads a page without asking, so that nothing of an ended session is left in it. */
export function leavePage(load: () => void): void {
  mustLeave = true;
  load();
}

/** Makes the browser ask before the page is left. */
export function askFirst(event: BeforeUnloadEvent): void {
  if (!mustLeave) event.preventDefault();
}
