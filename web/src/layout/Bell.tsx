import { mostCounted, notices } from "@footprint/contract/notices.ts";
import { ActionIcon } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useDialog } from "../shared/dialogs.tsx";
import { keys, useKeys } from "../shared/keys.ts";
import { lazyPart } from "../shared/lazyPart.tsx";
import { useApiQuery } from "../shared/queries.ts";
import classes from "./Header.module.css";

const Notices = lazyPart(() => import("./Notices.tsx").then((file) => file.Notices));

/** Shows how many notices are new, and opens them. */
export function Bell() {
  const { unseen = 0 } = useApiQuery(notices.unseen, {}).data ?? {};
  const openDialog = useDialog();
  const open = () => openDialog((close) => <Notices onClose={close} />);
  useKeys({ [keys.notices.key]: open });
  const count = unseen < mostCounted ? String(unseen) : `${mostCounted - 1}+`;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      className={classes.bell}
      aria-label={unseen > 0 ? `Notices, ${count} new` : "Notices"}
      aria-haspopup="dialog"
      onClick={open}
    >
      <IconBell size={18} />
      {unseen > 0 && <span aria-hidden>{count}</span>}
    </ActionIcon>
  );
}
