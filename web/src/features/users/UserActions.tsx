import { type User, users } from "@footprint/contract/users.ts";
import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import { IconDots, IconTag, IconTagOff, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import { useRef } from "react";
import { Link } from "react-router";
import { useConfirm } from "../../shared/confirm.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { useApiMutation } from "../../shared/queries.ts";
import { useToastedCall } from "../../shared/toastedCall.ts";

/** What can be done with a customer: the daily things as buttons, the rest in a menu. */
export function UserActions({ user, onAddBalance }: { user: User; onAddBalance: () => void }) {
  const refreshes = [users.list, users.listNew, users.read];
  const setStatus = useApiMutation(users.setStatus, { refreshes });
  const setCustomPricing = useApiMutation(users.setCustomPricing, { refreshes });
  const { working, run } = useToastedCall();
  const confirm = useConfirm();
  const menuButton = useRef<HTMLButtonElement>(null);
  const { username, status, customPricingEnabled } = user;
  const params = { id: user._id };

  function askToDisable() {
    // The menu goes; the question gives the focus back to what opened it.
    menuButton.current?.focus();
    confirm({
      title: `Disable ${username}?`,
      message: `${username} can no longer buy labels until the account is enabled again. The balance of ${formatMoney(user.balance)} stays.`,
      action: "Disable User",
      working: "Disabling…",
      danger: true,
      onConfirm: () => setStatus.send({ params, body: { status: false } }),
    });
  }
  const enable = () => run(() => setStatus.send({ params, body: { status: true } }));
  const togglePricing = () =>
    run(() => setCustomPricing.send({ params, body: { customPricingEnabled: !customPricingEnabled } }));

  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="subtle" aria-label={`Add Balance to ${username}`} onClick={onAddBalance}>
        Add Balance
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        component={Link}
        to={`/users/${user._id}`}
        aria-label={`Pricing of ${username}`}
      >
        Pricing
      </Button>
      <Menu position="bottom-end" withinPortal portalProps={{ target: "#content" }}>
        <Menu.Target>
          <ActionIcon
            ref={menuButton}
            variant="subtle"
            color="gray"
            aria-label={`More actions for ${username}`}
            loading={working}
          >
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={
              customPricingEnabled ? <IconTagOff size={16} aria-hidden /> : <IconTag size={16} aria-hidden />
            }
            onClick={togglePricing}
          >
            {customPricingEnabled ? "Disable Custom Pricing" : "Enable Custom Pricing"}
          </Menu.Item>
          {status ? (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconUserOff size={16} aria-hidden />}
              onClick={askToDisable}
            >
              Disable User
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconUserCheck size={16} aria-hidden />} onClick={enable}>
              Enable User
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
