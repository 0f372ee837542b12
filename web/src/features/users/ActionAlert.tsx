import { Popover } from "@mantine/core";
import type { RefObject } from "react";
import { FormAlert, type FormAlertContent } from "../../shared/FormAlert.tsx";
import { StandIn } from "../../shared/StandIn.tsx";

/** What became of an action, below its button. */
export function ActionAlert({ at, alert }: { at: RefObject<HTMLElement | null>; alert: FormAlertContent }) {
  return (
    <Popover opened position="bottom-end" withRoles={false} portalProps={{ target: "#content" }}>
      <Popover.Target>
        <StandIn at={at} />
      </Popover.Target>
      <Popover.Dropdown p={0} bd={0} maw={320}>
        <FormAlert alert={alert} />
      </Popover.Dropdown>
    </Popover>
  );
}
