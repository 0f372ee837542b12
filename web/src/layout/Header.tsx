import { session } from "@footprint/contract/session.ts";
import { ActionIcon, Badge, Kbd, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconHistory, IconKeyboard, IconLogout, IconMenu2, IconSettings } from "@tabler/icons-react";
import { Link } from "react-router";
import { callApi } from "../shared/api.ts";
import { Emblem, initialsOf } from "../shared/Emblem.tsx";
import { Hint } from "../shared/Hint.tsx";
import { keys } from "../shared/keys.ts";
import { LazyMenu } from "../shared/LazyMenu.tsx";
import { Logo } from "../shared/Logo.tsx";
import { leavePage } from "../shared/leavePage.ts";
import { queryClient } from "../shared/queries.ts";
import { useSession } from "../shared/session.ts";
import { removeToken } from "../shared/token.ts";
import { Bell } from "./Bell.tsx";
import classes from "./Header.module.css";
import { PaletteField } from "./PaletteField.tsx";
import { useKeysHelp } from "./PanelKeys.tsx";
import { ThemeSwitch } from "./ThemeSwitch.tsx";

export function Header({ onMenu, menuOpen }: { onMenu?: (() => void) | undefined; menuOpen: boolean }) {
  const { username, role, demo } = useSession();
  const showKeys = useKeysHelp();
  return (
    <header className={classes.header}>
      {onMenu && (
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Menu" aria-expanded={menuOpen} onClick={onMenu}>
          <IconMenu2 size={20} />
        </ActionIcon>
      )}
      <Link to="/" className={classes.brand}>
        <Logo size={28} /> <span>Footprint</span>
      </Link>
      {!onMenu && <PaletteField />}
      <span className={classes.space} />
      {demo && (
        <Hint label="Made-up customers and orders to look around in. npm run demo:remove takes them away.">
          <Badge variant="light" color="orange" radius="sm" tt="none" flex="none" tabIndex={0}>
            Demo
          </Badge>
        </Hint>
      )}
      {onMenu && <PaletteField />}
      <Bell />
      <ThemeSwitch />
      <LazyMenu
        position="bottom-end"
        width={208}
        button={
          <UnstyledButton className={classes.user}>
            <Emblem size={28}>{initialsOf(username)}</Emblem>
            <span>Admin</span>
            <IconChevronDown size={16} aria-hidden />
          </UnstyledButton>
        }
      >
        {(Menu) => (
          <>
            <Menu.Label>
              Signed in as {username} ({role})
            </Menu.Label>
            <Menu.Item component={Link} to="/admin-settings" leftSection={<IconSettings size={16} aria-hidden />}>
              Account Setting
            </Menu.Item>
            <Menu.Item
              leftSection={<IconKeyboard size={16} aria-hidden />}
              rightSection={<Kbd size="xs">{keys.help.key}</Kbd>}
              onClick={showKeys}
            >
              Keys
            </Menu.Item>
            {role === "admin" && (
              <Menu.Item component={Link} to="/logs" leftSection={<IconHistory size={16} aria-hidden />}>
                Transaction Logs
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
              Sign out
            </Menu.Item>
          </>
        )}
      </LazyMenu>
    </header>
  );
}

/** Removes the session from this browser at once, whether or not the server answers. */
function signOut(): void {
  // Calls still under way would be refused.
  void queryClient.cancelQueries();
  callApi(session.logout, {}, { keepalive: true }).catch((error: unknown) => console.error(error));
  removeToken();
  leavePage(() => window.location.reload());
}
