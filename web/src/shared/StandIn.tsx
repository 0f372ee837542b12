import { type Ref, type RefObject, useImperativeHandle, useLayoutEffect } from "react";

/**
 * The target of a menu or tooltip that is made once it is used, in place of the element that was there before it:
 * wrapped later, that would be another element, without the focus.
 */
export function StandIn({
  at,
  ref,
  "aria-describedby": description,
}: {
  at: RefObject<HTMLElement | null>;
  ref?: Ref<HTMLElement | null> | undefined;
  /** Given by a tooltip while it is open. */
  "aria-describedby"?: string;
}) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => at.current, [at]);
  useLayoutEffect(() => {
    if (!description) return;
    const element = at.current;
    element?.setAttribute("aria-describedby", description);
    return () => element?.removeAttribute("aria-describedby");
  }, [at, description]);
  return null;
}
