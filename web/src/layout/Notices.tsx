import { type NoticeGroup, noticeNames, notices } from "@footprint/contract/notices.ts";
import { Drawer, Skeleton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { callApi } from "../shared/api.ts";
import { Time } from "../shared/format.tsx";
import { LoadFailure } from "../shared/LoadFailure.tsx";
import { useLockedPage } from "../shared/lockedPage.ts";
import { Notice } from "../shared/Notice.tsx";
import { useApiQuery } from "../shared/queries.ts";
import { returnFocus } from "../shared/returnFocus.ts";
import { useSession } from "../shared/session.ts";
import classes from "./Notices.module.css";

/** Recent notices by kind, with what can be done about them. Opening them marks them as seen. */
export function Notices({ onClose }: { onClose: () => void }) {
  useLockedPage();
  const [opener] = useState(() => document.activeElement);
  useEffect(() => () => returnFocus(opener), [opener]);
  // New notices stay marked as new while they are being read.
  const unseen = useApiQuery(notices.unseen, {});
  const [since, setSince] = useState(unseen.data?.seen);
  if (since === undefined && unseen.data) setSince(unseen.data.seen);
  const list = useApiQuery(notices.list, { query: { since: since ?? 0 } }, { enabled: since !== undefined });
  const failed = [list, unseen].find(({ isError }) => isError);
  useSeen(list.data?.newest);
  return (
    <Drawer.Root opened onClose={onClose} position="right" size={420}>
      <Drawer.Overlay />
      <Drawer.Content aria-label="Notices">
        <div className={classes.head}>
          <Drawer.Title fw={650} fz="md">
            Notices
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close notices" />
        </div>
        <Drawer.Body p={0} pb="md">
          {list.data ? (
            <Groups groups={list.data.groups} onLeave={onClose} />
          ) : failed ? (
            <LoadFailure title="The notices could not be loaded" query={failed} />
          ) : (
            <div className={classes.loading} role="status" aria-label="Loading">
              {[1, 2, 3].map((place) => (
                <Skeleton key={place} height={52} />
              ))}
            </div>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** Tells the server, and the bell. */
function useSeen(newest: number | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (newest === undefined) return;
    callApi(notices.see, { body: { position: newest } }, { byItself: true })
      .then(() => client.invalidateQueries({ queryKey: [notices.unseen.path] }))
      // If it fails, they stay new until the next time.
      .catch((error: unknown) => console.error(error));
  }, [client, newest]);
}

function Groups({ groups, onLeave }: { groups: NoticeGroup[]; onLeave: () => void }) {
  const { role } = useSession();
  if (groups.length === 0)
    return (
      <Notice
        title="Nothing new"
        hint={
          role === "admin"
            ? "New customers, orders to work on and anything that needs an administrator appear here."
            : "New customers, Fedex orders and invoices appear here."
        }
      />
    );
  return groups.map((group) => (
    <section key={group.kind} className={classes.group} aria-label={noticeNames[group.kind]}>
      <h3>
        <span data-new={group.count > 0 || undefined}>{group.title}</span>
        <Link to={group.to} onClick={onLeave} aria-label={`All ${noticeNames[group.kind].toLowerCase()}`}>
          All
        </Link>
      </h3>
      <ul>
        {group.notices.map(({ _id, text, to, done, isNew, createdAt }) => (
          <li key={_id}>
            <Link to={to} onClick={onLeave} data-new={isNew || undefined}>
              <span className={classes.text}>
                {text}
                <small>
                  <Time value={createdAt} withHour plain />
                  {isNew && <span className={classes.isNew}>, new</span>}
                </small>
              </span>
              <span className={done ? classes.done : classes.act}>{done || group.act}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ));
}
