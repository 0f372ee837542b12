import { Tooltip, UnstyledButton } from "@mantine/core";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import { Link, useLocation } from "react-router";
import { rootForStaff, screens, screensFor } from "../screens.tsx";
import { useSession } from "../shared/session.ts";
import classes from "./Sidebar.module.css";

export function Sidebar({ collapsed = false, onCollapse }: { collapsed?: boolean; onCollapse?: () => void }) {
  const { role } = useSession();
  const active = useActivePath(role === "admin");
  const entries = screensFor(role).filter(({ icon }) => icon);
  const groups = [...new Set(entries.map((screen) => screen.group))];
  const CollapseIcon = collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;

  return (
    <div className={classes.sidebar} data-collapsed={collapsed || undefined}>
      <nav aria-label="Main">
        {groups.map((group) => (
          <section key={group ?? ""} aria-label={group}>
            {group && (
              <div className={classes.group} aria-hidden>
                {group}
              </div>
            )}
            <ul>
              {entries
                .filter((screen) => screen.group === group)
                .map(({ path, label, icon: Icon, load }) => (
                  <li key={path}>
                    <Tooltip label={label} position="right" disabled={!collapsed}>
                      <Link
                        to={path}
                        className={classes.entry}
                        aria-current={path === active ? "page" : undefined}
                        aria-label={collapsed ? label : undefined}
                        // Loads the screen's code before the click.
                        onPointerEnter={() => void load().catch(() => {})}
                      >
                        {Icon && <Icon size={18} stroke={1.75} aria-hidden />}
                        {!collapsed && label}
                      </Link>
                    </Tooltip>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </nav>
      {onCollapse && (
        <Tooltip label="Expand" position="right" disabled={!collapsed}>
          <UnstyledButton
            className={classes.collapse}
            onClick={onCollapse}
            aria-label={collapsed ? "Expand sidebar" : "Collapse sidebar"}
            aria-expanded={!collapsed}
          >
            <CollapseIcon size={18} stroke={1.75} aria-hidden />
            {!collapsed && "Collapse"}
          </UnstyledButton>
        </Tooltip>
      )}
    </div>
  );
}

/** The first segment of the path, so that /users/… marks Users; the logs are reached through Staff, and mark it. */
function useActivePath(isAdmin: boolean): string {
  const [, segment] = useLocation().pathname.split("/");
  if (!segment && !isAdmin) return rootForStaff;
  const path = `/${segment ?? ""}`;
  return screens.find((screen) => screen.path === path)?.under ?? path;
}
