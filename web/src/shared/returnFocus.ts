/** Moves the focus back to where it was or, if that is gone, to the screen itself. */
export function returnFocus(opener: Element | null): void {
  const content = document.getElementById("content");
  // A button that its own click disabled has lost the focus to the body, which cannot be focused.
  const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
  // A dialog below that closed at the same time has already returned the focus.
  if (!isThere && content?.contains(document.activeElement)) return;
  const target = isThere ? opener : content;
  target?.focus({ preventScroll: true });
}
