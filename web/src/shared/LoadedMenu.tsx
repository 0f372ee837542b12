import { Menu, type MenuProps } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect } from "react";
import { StandIn } from "./StandIn.tsx";

export type LoadedMenuProps = Pick<MenuProps, "position" | "width" | "withinPortal" | "portalProps"> & {
  id: string;
  at: RefObject<HTMLElement | null>;
  opened: boolean;
  onChange: (opened: boolean) => void;
  /** If the code of the menu does not come. */
  onClose: () => void;
  children: (parts: typeof Menu) => ReactNode;
};

/** The menu of a LazyMenu, which opens once it is loaded. */
export function LoadedMenu({ at, onChange, onClose: _, children, ...menu }: LoadedMenuProps) {
  // Opened after mounting, or it would not be animated; not for somebody who has gone on to something else meanwhile.
  useEffect(() => {
    if (document.activeElement?.contains(at.current)) onChange(true);
  }, [at, onChange]);
  return (
    <Menu {...menu} onChange={onChange}>
      <Menu.Target>
        <StandIn at={at} />
      </Menu.Target>
      <Menu.Dropdown>{children(Menu)}</Menu.Dropdown>
    </Menu>
  );
}
