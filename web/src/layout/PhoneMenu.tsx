import { Drawer } from "@mantine/core";
import classes from "./Layout.module.css";
import { Sidebar } from "./Sidebar.tsx";

/** The sidebar on a phone. */
export function PhoneMenu({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer.Root opened={opened} onClose={onClose} size={264}>
      <Drawer.Overlay />
      <Drawer.Content aria-label="Menu">
        <div className={classes.drawerTop}>
          <Drawer.CloseButton aria-label="Close menu" />
        </div>
        <Sidebar />
      </Drawer.Content>
    </Drawer.Root>
  );
}
