import { type User, users } from "@footprint/contract/users.ts";
import { ActionIcon } from "@mantine/core";
import { IconDots, IconTag, IconTagOff, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import type { FormAlertContent } from "../../shared/FormAlert.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { LazyMenu } from "../../shared/LazyMenu.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useTemporary } from "../../shared/temporary.ts";
import { useUserActions } from "./useUserActions.tsx";

const ActionAlert = lazyPart(() => import("./ActionAlert.tsx").then((file) => file.ActionAlert));

/** What can be done with a customer: the daily things as buttons, the rest in a menu. */
export function UserActions({ user }: { user: User }) {
  const { username, status, customPricingEnabled } = user;
  const { enable, askToDisable, addBalance } = useUserActions(user);
  const [alert, setAlert] = useTemporary<FormAlertContent>();
  const pricing = useMutation({
    mutationFn: () =>
      callApi(users.setCustomPricing, {
        params: { id: user._id },
        body: { customPricingEnabled: !customPricingEnabled },
      }),
    onMutate: () => setAlert(undefined),
    onSuccess: ({ message }) => setAlert({ kind: "success", message }),
    onError: ({ message }) => setAlert({ kind: "failure", message }),
  });
  // The menu closes with its item: the focus goes to the button that opened it.
  const menuButton = useKeptFocus(enable.isPending || pricing.isPending);

  const fromMenu = (act: () => void) => () => {
    menuButton.current?.focus();
    act();
  };

  return (
    <>
      <RowButton text="Add Balance" of={`to ${username}`} onClick={addBalance} />
      <RowButton text="Pricing" of={`of ${username}`} to={`/users/${user._id}`} />
      <LazyMenu
        position="bottom-end"
        withinPortal
        portalProps={{ target: "#content" }}
        button={
          <ActionIcon
            ref={menuButton}
            variant="subtle"
            color="gray"
            aria-label={`More actions for ${username}`}
            // If told false, each makes a transition.
            {...((enable.isPending || pricing.isPending) && { loading: true })}
          >
            <IconDots size={16} />
          </ActionIcon>
        }
      >
        {(Menu) => (
          <>
            <Menu.Item
              leftSection={
                customPricingEnabled ? <IconTagOff size={16} aria-hidden /> : <IconTag size={16} aria-hidden />
              }
              onClick={fromMenu(() => pricing.mutate())}
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
          </>
        )}
      </LazyMenu>
      {/* The menu is closed when the answer comes: it is shown in its place. */}
      {alert && <ActionAlert at={menuButton} alert={alert} />}
    </>
  );
}
