import { type User, users } from "@footprint/contract/users.ts";
import { ActionIcon, Button, Group, Menu, Popover } from "@mantine/core";
import { IconDots, IconTag, IconTagOff, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import { Link } from "react-router";
import { useConfirm } from "../../shared/confirm.tsx";
import { FormAlert, useApiForm } from "../../shared/form.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { useApiMutation } from "../../shared/queries.ts";
import { useToastedCall } from "../../shared/toastedCall.ts";

/** What can be done with a customer: the daily things as buttons, the rest in a menu. */
export function UserActions({ user, onAddBalance }: { user: User; onAddBalance: () => void }) {
  const refreshes = [users.list, users.listNew, users.read];
  const setStatus = useApiMutation(users.setStatus, { refreshes });
  const setCustomPricing = useApiMutation(users.setCustomPricing, { refreshes });
  const { working, run } = useToastedCall();
  const pricing = useApiForm({
    initialValues: {},
    onSubmit: () => setCustomPricing.send({ params, body: { customPricingEnabled: !customPricingEnabled } }),
  });
  const confirm = useConfirm();
  // The menu goes with its item: the focus waits on the button that opened it.
  const menuButton = useKeptFocus(working || pricing.working);
  const { username, status, customPricingEnabled } = user;
  const params = { id: user._id };

  const fromMenu = (act: () => void) => () => {
    menuButton.current?.focus();
    act();
  };
  function askToDisable() {
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
      {/* The menu is gone by then: the answer stands where it was. */}
      <Popover
        opened={Boolean(pricing.alert)}
        position="bottom-end"
        withRoles={false}
        transitionProps={{ duration: 0 }}
        portalProps={{ target: "#content" }}
      >
        <Popover.Target>
          <div>
            <Menu position="bottom-end" withinPortal portalProps={{ target: "#content" }}>
              <Menu.Target>
                <ActionIcon
                  ref={menuButton}
                  variant="subtle"
                  color="gray"
                  aria-label={`More actions for ${username}`}
                  loading={working || pricing.working}
                >
                  <IconDots size={16} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={
                    customPricingEnabled ? <IconTagOff size={16} aria-hidden /> : <IconTag size={16} aria-hidden />
                  }
                  onClick={fromMenu(pricing.submit)}
                >
                  {customPricingEnabled ? "Disable Custom Pricing" : "Enable Custom Pricing"}
                </Menu.Item>
                {status ? (
                  <Menu.Item
                    c="var(--mantine-color-error)"
                    leftSection={<IconUserOff size={16} aria-hidden />}
                    onClick={fromMenu(askToDisable)}
                  >
                    Disable User
                  </Menu.Item>
                ) : (
                  <Menu.Item leftSection={<IconUserCheck size={16} aria-hidden />} onClick={fromMenu(enable)}>
                    Enable User
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
          </div>
        </Popover.Target>
        <Popover.Dropdown p={0} bd={0} maw={320}>
          <FormAlert alert={pricing.alert} />
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
