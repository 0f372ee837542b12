import { Anchor, Title } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";
import { Link } from "react-router";
import classes from "./ScreenHeader.module.css";
import { useSession } from "./session.ts";

/** The top of every screen: heading, subtitle, and the main action on the right. Also names the browser tab. */
export function ScreenHeader({
  title,
  back,
  subtitle,
  showsTimes = false,
  actions,
}: {
  title: string;
  /** The list that a record belongs to. */
  back?: { to: string; label: string };
  /** Mostly a count; an empty text keeps its place while it loads. */
  subtitle?: ReactNode;
  /** Adds a note which timezone the times are in. */
  showsTimes?: boolean;
  actions?: ReactNode;
}) {
  const { timezone } = useSession();
  useEffect(() => {
    document.title = `${title} · Footprint`;
  }, [title]);

  return (
    <div className={classes.header}>
      <div>
        {back && (
          <Anchor component={Link} to={back.to} className={classes.back}>
            <IconChevronLeft size={14} aria-hidden />
            {back.label}
          </Anchor>
        )}
        <Title order={1} size={24} lh={1.35} className={classes.title}>
          {title}
        </Title>
        {subtitle !== undefined && <p className={classes.note}>{subtitle}</p>}
      </div>
      <div className={classes.right}>
        {showsTimes && <p className={classes.note}>Times in {timezone}</p>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
    </div>
  );
}
