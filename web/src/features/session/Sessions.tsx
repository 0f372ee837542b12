import { type OpenSession, session } from "@footprint/contract/session.ts";
import { Box, Title } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { useConfirm } from "../../shared/dialogs.tsx";
import { nameOfSession, OpenSessions } from "../../shared/OpenSessions.tsx";
import { useApiQuery } from "../../shared/queries.ts";

/** Where one's own account is signed in. */
export function Sessions() {
  const query = useApiQuery(session.sessions, {});
  const confirm = useConfirm();

  const askToEnd = (open: OpenSession) =>
    confirm({
      title: `Sign out ${nameOfSession(open)}?`,
      message: `Whoever uses it${open.address && ` at ${open.address}`} has to sign in again.`,
      action: "Sign out",
      working: "Signing out…",
      danger: true,
      onConfirm: () => callApi(session.endSession, { params: { id: open._id } }),
    });

  return (
    <Box maw={984} mt={32}>
      <Title order={2} size="h4" mb="sm">
        Sessions
      </Title>
      <OpenSessions query={query} empty={{ title: "No open sessions", hint: "Sign in again." }} onEnd={askToEnd} />
    </Box>
  );
}
