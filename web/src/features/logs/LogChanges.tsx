import type { Log } from "@footprint/contract/logs.ts";
import { Author } from "../../shared/Author.tsx";
import { Changes } from "../../shared/Changes.tsx";
import { Dialog } from "../../shared/Dialog.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { statusLabel } from "../../shared/labels.ts";
import classes from "./LogChanges.module.css";

export function LogChanges({ log, onClose }: { log: Log; onClose: () => void }) {
  return (
    <Dialog title="Changes" size="lg" onClose={onClose}>
      <div className={classes.about}>
        <p>{log.action}</p>
        <span className={classes.who}>
          <Author by={log.admin} /> · <Time value={log.createdAt} full />
        </span>
        <StatusBadge tone="info">{statusLabel(log.type)}</StatusBadge>
      </div>
      <Changes log={log} />
    </Dialog>
  );
}
