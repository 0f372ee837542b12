import type { SignIn } from "@footprint/contract/session.ts";
import { Group } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ApiError } from "./api.ts";
import type { Column } from "./DataTable.tsx";
import { StatusBadge, Time } from "./format.tsx";
import { NewerOlder } from "./NewerOlder.tsx";
import { nameOfSession } from "./OpenSessions.tsx";
import { TablePanel } from "./TablePanel.tsx";

const outcomes = {
  "signed in": { tone: "plain", words: "Signed in" },
  "wrong password": { tone: "warning", words: "Wrong password" },
  "wrong code": { tone: "warning", words: "Wrong code" },
  suspended: { tone: "warning", words: "Suspended" },
} as const;

const columns: Column<SignIn>[] = [
  {
    title: "Device",
    cell: (signIn) => (
      <Group component="span" gap="4px 8px" style={{ overflowWrap: "anywhere" }}>
        <b>{nameOfSession(signIn)}</b> {signIn.newDevice && <StatusBadge tone="info">New device</StatusBadge>}
      </Group>
    ),
    width: "40%",
    onCard: "headline",
  },
  { title: "Address", cell: ({ address }) => address || "–", width: "20%", below: "Device" },
  {
    title: "Outcome",
    cell: ({ outcome, whileSignedIn }) => (
      <StatusBadge tone={outcomes[outcome].tone}>
        {outcomes[outcome].words}
        {whileSignedIn && " in a session"}
      </StatusBadge>
    ),
    onCard: "aside",
  },
  { title: "Time", cell: ({ createdAt }) => <Time value={createdAt} withHour />, dimmed: true },
];

/** An account's sign-ins, newest first, including failed ones. */
export function SignIns({
  query,
  page,
  onPage,
}: {
  query: UseQueryResult<{ signIns: SignIn[]; totalPages: number }, ApiError>;
  page: number;
  onPage: (page: number) => void;
}) {
  return (
    <>
      <TablePanel
        title="Sign-ins"
        query={query}
        rows={(reply) => reply.signIns}
        columns={columns}
        empty={{ title: "No sign-ins", hint: "Sign-ins of the last 90 days are kept, and those that failed." }}
      />
      <Group justify="flex-end" gap="xs" mt="xs">
        <NewerOlder page={page} totalPages={query.data?.totalPages} onPage={onPage} />
      </Group>
    </>
  );
}
