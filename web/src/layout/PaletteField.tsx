import { ActionIcon, Kbd, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { commandKey, keys, useKeys } from "../shared/keys.ts";
import { lazyPart } from "../shared/lazyPart.tsx";
import { returnFocus } from "../shared/returnFocus.ts";
import { useWidthUpTo } from "../shared/windowWidth.ts";
import classes from "./PaletteField.module.css";

const name = "Search or jump to…";

const Palette = lazyPart(() => import("./Palette.tsx").then((file) => file.Palette));

/** Opens the palette, as ⌘K and Ctrl-K do on every screen. */
export function PaletteField() {
  const [isOpen, setOpen] = useState(false);
  const [isReady, setReady] = useState(false);
  const opener = useRef<Element>(null);
  const typed = useRef("");
  const isPhone = useWidthUpTo("phone");

  function open() {
    opener.current = document.activeElement;
    typed.current = "";
    setReady(false);
    setOpen(true);
  }
  useKeys({ [keys.palette.key]: open });

  /** After a choice the focus goes on there; otherwise it returns to where it was. */
  function close(hasChosen = false) {
    setOpen(false);
    returnFocus(hasChosen ? null : opener.current);
  }

  const button = { "aria-keyshortcuts": "Meta+K Control+K", "aria-haspopup": "dialog", onClick: open } as const;
  return (
    <>
      {isPhone ? (
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={name} {...button}>
          <IconSearch size={18} />
        </ActionIcon>
      ) : (
        <UnstyledButton className={classes.field} {...button}>
          <IconSearch size={16} aria-hidden />
          {name}
          <Kbd size="xs" aria-hidden>
            {commandKey === "⌘" ? "⌘K" : "Ctrl K"}
          </Kbd>
        </UnstyledButton>
      )}
      {isOpen && !isReady && (
        // Takes what is typed until the palette's own field has the focus, which is a while after it was loaded.
        <VisuallyHidden>
          <input
            // biome-ignore lint/a11y/noAutofocus: the operator pressed the key that leads into it
            autoFocus
            aria-label={name}
            onChange={(event) => {
              typed.current = event.currentTarget.value;
            }}
          />
        </VisuallyHidden>
      )}
      {isOpen && <Palette typed={typed} onReady={() => setReady(true)} onClose={close} />}
    </>
  );
}
