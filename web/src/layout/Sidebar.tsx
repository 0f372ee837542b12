import { type Queues, queues } from "@footprint/contract/queues.ts";
import { UnstyledButton } from "@mantine/core";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import { Link, useLocation } from "react-router";
import { rootForStaff, type Screen, screens, screensFor } from "../screens.tsx";
import { formatCount } from "../shared/format.tsx";
import { Hint } from "../shared/Hint.tsx";
import { useApiQuery } from "../shared/queries.ts";
import { useSession } from "../shared/session.ts";
import classes from "./Sidebar.module.css";

export function Sidebar({
  collapsed = false,
  onCollapse,
  onChoose,
}: {
  collapsed?: boolean;
  onCollapse?: () => void;
  onChoose?: () => void;
}) {
  const { role } = useSession();
  const active = useActivePath(role === "admin");
  const waiting = useApiQuery(queues.read, {}).data;
  const isInUse = ({ optional, queue }: Screen) => !optional || !queue || Boolean(waiting?.[queue]);
  const entries = screensFor(role).filter((screen) => screen.icon && isInUse(screen));
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
                .map(({ path, label, icon: Icon, queue, load }) => {
                  const note = noteOf(queue, waiting);
                  const name = note ? `${label}, ${note.said}` : label;
                  return (
                    <li key={path}>
                      <Hint label={name} position="right" disabled={!collapsed}>
                        <Link
                          to={path}
                          className={classes.entry}
                          aria-current={path === active ? "page" : undefined}
                          aria-label={collapsed || note ? name : undefined}
                          // Loads the screen's code before the click.
                          onPointerEnter={() => void load().catch(() => {})}
                          onClick={onChoose}
                        >
                          {Icon && <Icon size={18} stroke={1.75} aria-hidden />}
                          {!collapsed && label}
                        </Link>
                      </Hint>
                      {note && (
                        <span className={classes.note} data-low={note.low || undefined} aria-hidden>
                          {!collapsed && note.shown}
                        </span>
                      )}
                    </li>
                  );
                })}
            </ul>
          </section>
        ))}
      </nav>
      {onCollapse && (
        <Hint label="Expand" position="right" disabled={!collapsed}>
          <UnstyledButton
            className={classes.collapse}
            onClick={onCollapse}
            aria-label={collapsed ? "Expand sidebar" : "Collapse sidebar"}
            aria-expanded={!collapsed}
          >
            <CollapseIcon size={18} stroke={1.75} aria-hidden />
            {!collapsed && "Collapse"}
          </UnstyledButton>
        </Hint>
      )}
    </div>
  );
}

/** The number beside a name; nothing if nobody waits, or the counts could not be loaded. */
function noteOf(queue: Screen["queue"], queues: Queues | undefined) {
  if (!queue || !queues) return undefined;
  if (queue === "codes") return queues.codes?.low ? lowCodes(queues.codes) : undefined;
  const waiting = queues[queue]?.count ?? 0;
  const count = formatCount(waiting);
  return waiting > 0 ? { shown: count, said: `${count} waiting`, low: false } : undefined;
}

/** The codes that run out first, and in how many days, if that is known. */
function lowCodes({ type, left, days }: NonNullable<Queues["codes"]>) {
  if (left === 0) return { shown: "None", said: `no ${type} codes are left`, low: true };
  if (days === null) return { shown: "Low", said: `${type} codes are low`, low: true };
  const until = days === 1 ? "1 day" : `${formatCount(days)} days`;
  return { shown: until, said: `${type} codes last ${until}`, low: true };
}

/** The first segment of the path, so that /users/… marks Users. The logs are reached through Staff, and mark that. */
function useActivePath(isAdmin: boolean): string {
  const [, segment] = useLocation().pathname.split("/");
  if (!segment && !isAdmin) return rootForStaff;
  const path = `/${segment ?? ""}`;
  return screens.find((screen) => screen.path === path)?.under ?? path;
}
