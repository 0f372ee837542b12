import { cloneElement, type MouseEvent, type ReactElement, useId, useRef, useState } from "react";
import type { LoadedMenuProps } from "./LoadedMenu.tsx";
import { lazyPart } from "./lazyPart.tsx";

const load = () => import("./LoadedMenu.tsx").then((file) => file.LoadedMenu);
const LoadedMenu = lazyPart(load);

type LazyMenuProps = { button: ReactElement } & Omit<LoadedMenuProps, "id" | "at" | "opened" | "onChange" | "onClose">;

/** Mantine's menu parts, for the items. */
export type MenuParts = Parameters<LazyMenuProps["children"]>[0];

/**
 * A button with a menu that is loaded and created when first opened, since a list has one for every row and filter. Its
 * items get the menu's parts: `{(Menu) => <Menu.Item …/>}`.
 */
export function LazyMenu({ button, ...menu }: LazyMenuProps) {
  const id = useId();
  const element = useRef<HTMLElement>(null);
  const [isMade, setMade] = useState(false);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {cloneElement(button as ReactElement<Record<string, unknown>>, {
        id,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        "aria-controls": isOpen ? `${id}-dropdown` : undefined,
        "data-expanded": isOpen || undefined,
        onPointerEnter: () => void load().catch(() => {}),
        onClick: ({ currentTarget }: MouseEvent<HTMLElement>) => {
          element.current = currentTarget;
          setMade(true);
          if (isMade) setOpen(!isOpen);
        },
      })}
      {isMade && (
        <LoadedMenu {...menu} id={id} at={element} opened={isOpen} onChange={setOpen} onClose={() => setMade(false)} />
      )}
    </>
  );
}
