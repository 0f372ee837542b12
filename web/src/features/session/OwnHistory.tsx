import { logs } from "@footprint/contract/logs.ts";
import { session } from "@footprint/contract/session.ts";
import { Box, Group, Paper, Text, Title } from "@mantine/core";
import { useState } from "react";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { LogEntries } from "../../shared/LogEntries.tsx";
import { NewerOlder } from "../../shared/NewerOlder.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { SignIns } from "../../shared/SignIns.tsx";

/** Who signed in as this account, and what was done with it to accounts and settings. */
export function OwnHistory() {
  const [page, setPage] = useState(1);
  const query = useApiQuery(session.signIns, { query: { page } });
  return (
    <>
      <Box maw={984} mt={32}>
        <Title order={2} size="h4" mb={4}>
          Sign-ins
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          The last 90 days, failed ones included. If one of them was not you, change your password.
        </Text>
        <SignIns query={query} page={page} onPage={setPage} />
      </Box>
      <OwnActs />
    </>
  );
}

function OwnActs() {
  const [page, setPage] = useState(1);
  const query = useApiQuery(logs.own, { query: { page } });
  const { logs: entries, totalPages } = query.data ?? {};
  return (
    <Box maw={984} mt={32} component="section" aria-labelledby="own-acts">
      <Title order={2} size="h4" mb="sm" id="own-acts">
        What you did to accounts and settings
      </Title>
      <Paper withBorder p="lg">
        {query.isError && !entries ? (
          <LoadFailure title="This could not be loaded" query={query} />
        ) : entries?.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing yet.
          </Text>
        ) : (
          <LogEntries entries={entries} brief />
        )}
        <Group justify="flex-end" gap="xs" mt={(totalPages ?? 1) > 1 ? "md" : 0}>
          <NewerOlder page={page} totalPages={totalPages} onPage={setPage} />
        </Group>
      </Paper>
    </Box>
  );
}
