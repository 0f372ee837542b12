import { type Log, logs } from "@footprint/contract/logs.ts";
import { Anchor, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { Author } from "./Author.tsx";
import { Changes } from "./Changes.tsx";
import { Dialog } from "./Dialog.tsx";
import { Time } from "./format.tsx";
import classes from "./History.module.css";
import { LoadFailure } from "./LoadFailure.tsx";
import { Notice } from "./Notice.tsx";
import { useApiQuery } from "./queries.ts";

/** All that the log says about one thing, newest first. */
export function History({ of, subject, onClose }: { of: string; subject: string; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const query = useApiQuery(logs.list, { query: { subject, page, limit: 10 } });
  const { logs: entries, totalPages = 1 } = query.data ?? {};
  return (
    <Dialog title={`History of ${of}`} size="lg" onClose={onClose}>
      {query.isError && !entries ? (
        <LoadFailure title="The history could not be loaded" query={query} />
      ) : entries?.length === 0 ? (
        <Notice title="Nothing is known" hint="It was not changed since changes are kept by what they are about." />
      ) : (
        <Stack gap="md">
          <ol className={classes.entries} aria-busy={!entries}>
            {entries?.map((entry) => <Entry key={entry._id} entry={entry} />) ?? (
              <li>
                <Skeleton height={160} />
              </li>
            )}
          </ol>
          <Group justify="flex-end" gap="xs">
            <Anchor component={Link} to={`/logs?subject=${subject}`} fz="sm" me="auto">
              Show in Transaction Logs
            </Anchor>
            {totalPages > 1 && (
              <>
                <Button variant="default" size="xs" disabled={page === 1} onClick={() => setPage(page - 1)}>
                  Newer
                </Button>
                <Button variant="default" size="xs" disabled={page >= totalPages} onClick={() => setPage(page + 1)}>
                  Older
                </Button>
              </>
            )}
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function Entry({ entry }: { entry: Log }) {
  return (
    <li className={classes.entry}>
      <Group justify="space-between" gap="0 16px">
        <Author by={entry.admin} />
        <Text size="xs" c="dimmed">
          <Time value={entry.createdAt} full />
        </Text>
      </Group>
      <Text size="sm" mb="xs">
        {entry.action}
      </Text>
      {(entry.before !== null || entry.after !== null) && <Changes log={entry} />}
    </li>
  );
}
