import { Modal } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useBlockLeaving } from "./blockLeaving.ts";
import classes from "./Dialog.module.css";
import { useLockedPage } from "./lockedPage.ts";
import { returnFocus } from "./returnFocus.ts";

/**
 * A modal dialog. Mount it to open it. The focus stays inside, Escape closes it, and the focus returns to where it was.
 * If two are open, such as a question above details, Escape closes the upper one. While a call is under way nothing
 * closes the dialog, because closing would not cancel the call and its outcome has to be shown.
 */
export function Dialog({
  title,
  size = "md",
  isWorking = false,
  onClose: close,
  children,
}: {
  title: ReactNode;
  size?: "sm" | "md" | "lg" | "xl" | number;
  isWorking?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  useLockedPage();
  const onClose = isWorking ? () => {} : close;
  const [opener] = useState(() => document.activeElement);
  useEffect(() => () => returnFocus(opener), [opener]);
  const content = useRef<HTMLDivElement>(null);
  useWindowEvent(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || event.isComposing || content.current !== topmostDialog()) return;
      // An open menu or list of choices closes first.
      if (event.target instanceof Element && event.target.matches("[data-mantine-stop-propagation=true]")) return;
      // The dialog below must not become topmost before it has seen this key.
      event.stopImmediatePropagation();
      if (!event.repeat) onClose();
    },
    { capture: true },
  );
  return (
    <Modal.Root opened onClose={onClose} size={size} closeOnEscape={false} closeOnClickOutside={false}>
      {isWorking && <Staying />}
      {/* The second click of the double click that opened the dialog must not close it. */}
      <Modal.Overlay onClick={(event) => event.detail < 2 && onClose()} />
      <Modal.Content ref={content} className={classes.content}>
        {/* Not Modal.Header: outside main, screen readers take a header element for a second page banner. */}
        <div className={classes.header}>
          <Modal.Title fw={650} lh={1.35} miw={0}>
            {title}
          </Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Staying() {
  useBlockLeaving();
  return null;
}

const topmostDialog = () => [...document.querySelectorAll('[role="dialog"]')].at(-1);
