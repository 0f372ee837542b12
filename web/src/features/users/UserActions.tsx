import { type User, users } from "@footprint/contract/users.ts";
import { ActionIcon, Menu, Popover } from "@mantine/core";
import { IconDots, IconTag, IconTagOff, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { FormAlert, useApiForm } from "../../shared/form.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useToastedCall } from "../../shared/queries.ts";

const AddBalance = lazyPart(() => import("./AddBalance.tsx").then((file) => file.AddBalance));

/** What can be done with a customer: the daily things as buttons, the rest in a menu. */
export function UserActions({ user }: { user: User }) {
  const { username, status, customPricingEnabled } = user;
  const params = { id: user._id };
  const setStatus = (next: boolean) => callApi(users.setStatus, { params, body: { status: next } });
  const enable = useToastedCall(() => setStatus(true));
  const pricing = useApiForm({
    initialValues: {},
    onSubmit: () => callApi(users.setCustomPricing, { params, body: { customPricingEnabled: !customPricingEnabled } }),
  });
  const open = useDialog();
  const confirm = useConfirm();
  // The menu closes with its item: the focus goes to the button that opened it.
  const menuButton = useKeptFocus(enable.isPending || pricing.working);

  const fromMenu = (act: () => void) => () => {
    menuButton.current?.focus();
    act();
  };
  const askToDisable = () =>
    confirm({
      title: `Disable ${username}?`,
      message: `${username} can no longer buy labels until the account is enabled again. The balance of ${formatMoney(user.balance)} stays.`,
      action: "Disable User",
      working: "Disabling…",
      danger: true,
      onConfirm: () => setStatus(false),
    });
  const addBalance = () => open((close) => <AddBalance user={user} onClose={close} />);

  return (
    <>
      <RowButton text="Add Balance" of={`to ${username}`} onClick={addBalance} />
      <RowButton text="Pricing" of={`of ${username}`} to={`/users/${user._id}`} />
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
                    onClick={fromMenu(() => enable.mutate())}
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
    </>
  );
}
