import { type User, users } from "@footprint/contract/users.ts";
import { ActionIcon, Group, Menu, Popover } from "@mantine/core";
import { IconDots, IconTag, IconTagOff, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import { useConfirm } from "../../shared/confirm.tsx";
import { FormAlert, useApiForm } from "../../shared/form.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { toasts } from "../../shared/notify.ts";
import { useApiMutation } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";

/** What can be done with a customer: the daily things as buttons, the rest in a menu. */
export function UserActions({ user, onAddBalance }: { user: User; onAddBalance: () => void }) {
  const refreshes = [users.list, users.listNew, users.read];
  const disable = useApiMutation(users.setStatus, { refreshes });
  const enable = useApiMutation(users.setStatus, { refreshes, ...toasts });
  const setCustomPricing = useApiMutation(users.setCustomPricing, { refreshes });
  const pricing = useApiForm({
    initialValues: {},
    onSubmit: () => setCustomPricing.send({ params, body: { customPricingEnabled: !customPricingEnabled } }),
  });
  const confirm = useConfirm();
  // The menu closes with its item: the focus goes to the button that opened it.
  const menuButton = useKeptFocus(enable.isPending || pricing.working);
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
      onConfirm: () => disable.send({ params, body: { status: false } }),
    });
  }

  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <RowButton label={`Add Balance to ${username}`} onClick={onAddBalance}>
        Add Balance
      </RowButton>
      <RowButton to={`/users/${user._id}`} label={`Pricing of ${username}`}>
        Pricing
      </RowButton>
      {/* The menu is closed when the answer comes: it is shown in its place. */}
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
                  loading={enable.isPending || pricing.working}
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
                  <Menu.Item
                    leftSection={<IconUserCheck size={16} aria-hidden />}
                    onClick={fromMenu(() => enable.start({ params, body: { status: true } }))}
                  >
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
