import { logs } from "@footprint/contract/logs.ts";
import { Anchor, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { Dialog } from "./Dialog.tsx";
import { LoadFailure } from "./LoadFailure.tsx";
import { LogEntries } from "./LogEntries.tsx";
import { NewerOlder } from "./NewerOlder.tsx";
import { Notice } from "./Notice.tsx";
import { useApiQuery } from "./queries.ts";

/** All log entries about one thing, newest first. */
export function History({ of, subject, onClose }: { of: string; subject: string; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const query = useApiQuery(logs.list, { query: { subject, page, limit: 10 } });
  const { logs: entries, totalPages } = query.data ?? {};
  return (
    <Dialog title={`History of ${of}`} size="lg" onClose={onClose}>
      {query.isError && !entries ? (
        <LoadFailure title="The history could not be loaded" query={query} />
      ) : entries?.length === 0 ? (
        <Notice title="Nothing is known" hint="It was not changed since changes are kept by what they are about." />
      ) : (
        <Stack gap="md">
          <LogEntries entries={entries} />
          <Group justify="flex-end" gap="xs">
            <Anchor component={Link} to={`/logs?subject=${subject}`} fz="sm" me="auto">
              Show in Transaction Logs
            </Anchor>
            <NewerOlder page={page} totalPages={totalPages} onPage={setPage} />
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
