import type { Webhook } from "@footprint/contract/webhooks.ts";
import { ActionIcon, Menu } from "@mantine/core";
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
    <Menu position="bottom-end" withinPortal portalProps={{ target: "#content" }}>
      <Menu.Target>
        <ActionIcon
          variant={withoutTest ? "default" : "subtle"}
          {...(withoutTest ? { size: 32 } : { color: "gray" })}
          aria-label={`More actions for ${nameOf(webhook)}`}
          loading={resume.isPending}
        >
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!withoutTest && <Item Icon={IconSend} text="Send test event" onClick={test} />}
        <Item Icon={IconPencil} text="Edit" onClick={edit} />
        <Item Icon={IconKey} text="Rotate secret" onClick={rotate} />
        {state === "failing" && <Item Icon={IconPlayerPlay} text="Try now" onClick={() => resume.mutate()} />}
        {state === "paused" ? (
          <Item Icon={IconPlayerPlay} text="Resume" onClick={() => resume.mutate()} />
        ) : (
          <Item Icon={IconPlayerPause} text="Pause" onClick={pause} />
        )}
        <Menu.Divider />
        <Item Icon={IconTrash} text="Delete" danger onClick={remove} />
      </Menu.Dropdown>
    </Menu>
  );
}

function Item(props: { Icon: TablerIcon; text: string; danger?: true; onClick: () => void }) {
  const { Icon, text, danger, onClick } = props;
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
