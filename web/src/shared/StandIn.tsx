import { type Ref, type RefObject, useImperativeHandle, useLayoutEffect } from "react";

/**
 * The target of a menu or tooltip, replacing the plain element once it is used. Wrapping the element later would create
 * another one, without the focus.
 */
export function StandIn({
  at,
  ref,
  "aria-describedby": description,
}: {
  at: RefObject<HTMLElement | null>;
  ref?: Ref<HTMLElement | null> | undefined;
  /** Set by a tooltip while it is open. */
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
