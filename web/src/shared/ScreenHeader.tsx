import { Anchor, Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconChevronLeft } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { listAddress } from "./listMemory.ts";
import classes from "./ScreenHeader.module.css";
import { useSession } from "./session.ts";

/** The top of every screen: heading, subtitle, and the main action on the right. Also names the browser tab. */
export function ScreenHeader({
  title,
  back,
  subtitle,
  showsTimes = false,
  states,
  actions,
}: {
  title: string;
  /** Badges beside the title. */
  states?: ReactNode;
  /** The list that a record belongs to. */
  back?: { to: string; label: string };
  /** Mostly a count; an empty text keeps its place while it loads. */
  subtitle?: ReactNode;
  /** Adds a note which timezone the times are in. */
  showsTimes?: boolean;
  actions?: ReactNode;
}) {
  const { timezone } = useSession();
  useDocumentTitle(`${title} · Footprint`);

  return (
    <Group align="flex-end" justify="space-between" gap="8px 24px" mb={16}>
      <div>
        {back && (
          <Anchor component={Link} to={listAddress(back.to)} className={classes.back}>
            <IconChevronLeft size={14} aria-hidden />
            {back.label}
          </Anchor>
        )}
        <Group gap="4px 12px">
          <Title order={1} size={20} lh={1.6} style={{ overflowWrap: "anywhere" }}>
            {title}
          </Title>
          {states}
        </Group>
        {subtitle !== undefined && <p className={classes.note}>{subtitle}</p>}
      </div>
      <Group gap="8px 16px">
        {showsTimes && <p className={classes.times}>Times in {timezone}</p>}
        {actions && (
          <Group gap={8} className={classes.actions}>
            {actions}
          </Group>
        )}
      </Group>
    </Group>
  );
}
