import {
  cloneElement,
  type FocusEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import type { HintTipProps } from "./HintTip.tsx";
import { lazyPart } from "./lazyPart.tsx";

const load = () => import("./HintTip.tsx").then((file) => file.HintTip);
const HintTip = lazyPart(load);

const delayMs = 250;

type Shown = {
  label: ReactNode;
  disabled?: boolean;
  position?: NonNullable<HintTipProps["position"]>;
  children: ReactElement;
};

/**
 * The tooltip of an element, on hover or focus. A list has dozens, few of which are ever seen, so Mantine's tooltip is
 * loaded and created when the pointer first comes near.
 */
export function Hint({ label, disabled = false, position = "top", children }: Shown) {
  const element = useRef<HTMLElement>(null);
  const timer = useRef<number>(undefined);
  const [isMade, setMade] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  function open({ currentTarget }: MouseEvent<HTMLElement> | FocusEvent<HTMLElement>, delay: number) {
    if (disabled) return;
    element.current = currentTarget;
    // Where its code does not come, nothing is shown.
    load().then(
      () => setMade(true),
      () => {},
    );
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(setOpen, delay, true);
  }
  function close() {
    window.clearTimeout(timer.current);
    setOpen(false);
  }
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event) => {
      const isInside = event.target instanceof Node && element.current?.contains(event.target);
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !isInside) setOpen(false);
    };
    document.addEventListener("keydown", leave);
    document.addEventListener("pointerdown", leave);
    return () => {
      document.removeEventListener("keydown", leave);
      document.removeEventListener("pointerdown", leave);
    };
  }, [isOpen]);

  return (
    <>
      {cloneElement(children as ReactElement<Record<string, unknown>>, {
        onMouseEnter: (event: MouseEvent<HTMLElement>) => open(event, delayMs),
        onMouseLeave: close,
        onFocus: (event: FocusEvent<HTMLElement>) => event.target.matches(":focus-visible") && open(event, 0),
        onBlur: (event: FocusEvent<HTMLElement>) => !event.currentTarget.contains(event.relatedTarget) && close(),
      })}
      {isMade && <HintTip at={element} label={label} opened={isOpen} disabled={disabled} position={position} />}
    </>
  );
}
