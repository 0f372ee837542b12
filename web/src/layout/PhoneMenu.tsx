import { Drawer } from "@mantine/core";
import { useState } from "react";
import { useLockedPage } from "../shared/lockedPage.ts";
import { returnFocus } from "../shared/returnFocus.ts";
import classes from "./Layout.module.css";
import { Sidebar } from "./Sidebar.tsx";

/** The sidebar on a phone. */
export function PhoneMenu({ onClose }: { onClose: () => void }) {
  useLockedPage();
  const [opener] = useState(() => document.activeElement);
  function close() {
    onClose();
    returnFocus(opener);
  }
  return (
    <Drawer.Root opened onClose={close} size={264}>
      <Drawer.Overlay />
      <Drawer.Content aria-label="Menu">
        <div className={classes.drawerTop}>
          <Drawer.CloseButton aria-label="Close menu" />
        </div>
        <Sidebar onChoose={close} />
      </Drawer.Content>
    </Drawer.Root>
  );
}
