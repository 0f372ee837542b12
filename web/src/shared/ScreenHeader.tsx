import { Anchor, Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { listAddress } from "./listMemory.ts";
import classes from "./ScreenHeader.module.css";
import { useSession } from "./session.ts";

/** The top of every screen: heading, subtitle, and the main action on the right. Also names the browser tab. */
export function ScreenHeader({
  title,
  back,
  crumb = title,
  emblem,
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
  /** The record's name behind its list, if it differs from the title. */
  crumb?: string;
  /** The record's emblem, in front of title and subtitle. */
  emblem?: ReactNode;
  /** Usually a count; an empty text keeps its place while it loads. */
  subtitle?: ReactNode;
  /** Adds a note about the timezone of the times. */
  showsTimes?: boolean;
  actions?: ReactNode;
}) {
  const { timezone } = useSession();
  useDocumentTitle(`${title} · Footprint`);

  return (
    <>
      {back && (
        <div className={classes.back}>
          <Anchor component={Link} to={listAddress(back.to)} fz="inherit">
            {back.label}
          </Anchor>
          {/* The heading says it. */}
          <span className={classes.crumb} aria-hidden data-crumb={crumb} />
        </div>
      )}
      <Group className={classes.head} justify="space-between" gap="8px 24px" mb={16} data-emblem={Boolean(emblem)}>
        <div className={classes.about}>
          {emblem}
          <div>
            <Group gap="4px 12px">
              <Title order={1} size={20} lh={1.6} style={{ overflowWrap: "anywhere" }}>
                {title}
              </Title>
              {states}
            </Group>
            {subtitle !== undefined && <p className={classes.note}>{subtitle}</p>}
          </div>
        </div>
        <Group gap="8px 16px" className={classes.side}>
          {showsTimes && <p className={classes.times}>Times in {timezone}</p>}
          {actions && (
            <Group gap={8} className={classes.actions}>
              {actions}
            </Group>
          )}
        </Group>
      </Group>
    </>
  );
}
