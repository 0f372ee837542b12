import type { Webhook } from "@footprint/contract/webhooks.ts";
import { ActionIcon } from "@mantine/core";
import {
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
  type TablerIcon,
} from "@tabler/icons-react";
import { LazyMenu, type MenuParts } from "../../shared/LazyMenu.tsx";
import type { useWebhookActions } from "./useWebhookActions.tsx";
import { nameOf } from "./words.ts";

/** What can be done with a webhook, but for what `without` has as buttons. */
export function WebhookMenu({
  webhook,
  actions: { edit, rotate, test, pause, resume, remove },
  withoutTest = false,
}: {
  webhook: Webhook;
  actions: ReturnType<typeof useWebhookActions>;
  withoutTest?: boolean;
}) {
  const { state } = webhook;
  return (
    <LazyMenu
      position="bottom-end"
      withinPortal
      portalProps={{ target: "#content" }}
      button={
        <ActionIcon
          variant={withoutTest ? "default" : "subtle"}
          {...(withoutTest ? { size: 32 } : { color: "gray" })}
          aria-label={`More actions for ${nameOf(webhook)}`}
          loading={resume.isPending}
        >
          <IconDots size={16} />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          {!withoutTest && <Item Menu={Menu} Icon={IconSend} text="Send test event" onClick={test} />}
          <Item Menu={Menu} Icon={IconPencil} text="Edit" onClick={edit} />
          <Item Menu={Menu} Icon={IconKey} text="Rotate secret" onClick={rotate} />
          {state === "failing" && (
            <Item Menu={Menu} Icon={IconPlayerPlay} text="Try now" onClick={() => resume.mutate()} />
          )}
          {state === "paused" ? (
            <Item Menu={Menu} Icon={IconPlayerPlay} text="Resume" onClick={() => resume.mutate()} />
          ) : (
            <Item Menu={Menu} Icon={IconPlayerPause} text="Pause" onClick={pause} />
          )}
          <Menu.Divider />
          <Item Menu={Menu} Icon={IconTrash} text="Delete" danger onClick={remove} />
        </>
      )}
    </LazyMenu>
  );
}

function Item(props: { Menu: MenuParts; Icon: TablerIcon; text: string; danger?: true; onClick: () => void }) {
  const { Menu, Icon, text, danger, onClick } = props;
  return (
    <Menu.Item
      {...(danger && { c: "var(--mantine-color-error)" })}
      leftSection={<Icon size={16} aria-hidden />}
      onClick={onClick}
    >
      {text}
    </Menu.Item>
  );
}
