import type { Log } from "@footprint/contract/logs.ts";
import { Button, Text } from "@mantine/core";
import { IconArrowUpRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { Author } from "../../shared/Author.tsx";
import { Changes } from "../../shared/Changes.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { statusLabel } from "../../shared/labels.ts";
import classes from "./LogChanges.module.css";
import { subjectPath } from "./subject.ts";

/** What an entry changed, from what to what. */
export function LogChanges({ log, onClose }: { log: Log; onClose: () => void }) {
  const subject = subjectPath(log);
  return (
    <DetailsPane
      what="Entry"
      id={log._id}
      title="Changes"
      status={<StatusBadge tone="neutral">{statusLabel(log.type)}</StatusBadge>}
      onClose={onClose}
      foot={
        subject && (
          <Button
            component={Link}
            to={subject}
            variant="default"
            ml="auto"
            leftSection={<IconArrowUpRight size={16} aria-hidden />}
          >
            Open {log.subject?.kind}
          </Button>
        )
      }
    >
      <div className={classes.about}>
        <p>{log.action}</p>
        <span className={classes.who}>
          <Author by={log.admin} /> · <Time value={log.createdAt} full />
        </span>
      </div>
      {log.before === null && log.after === null ? (
        <Text size="sm" c="dimmed">
          Nothing but this sentence was kept.
        </Text>
      ) : (
        <Changes log={log} />
      )}
    </DetailsPane>
  );
}
