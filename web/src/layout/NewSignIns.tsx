import { type OpenSession, session } from "@footprint/contract/session.ts";
import { Alert, Button, Group } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { callApi } from "../shared/api.ts";
import { Time } from "../shared/format.tsx";
import { useApiQuery, useToastedCall } from "../shared/queries.ts";

/** Announces sessions opened on new devices since this one began, as long as they last. */
export function NewSignIns() {
  const sessions = useApiQuery(session.sessions, {}).data?.sessions ?? [];
  const [known, setKnown] = useLocalStorage<string[]>({ key: "footprint-known-sign-ins", defaultValue: [] });
  const end = useToastedCall(({ _id: id }: OpenSession) => callApi(session.endSession, { params: { id } }));
  const since = sessions.find(({ current }) => current)?.createdAt ?? "";
  const isNews = ({ _id, newDevice, createdAt }: OpenSession) => newDevice && createdAt > since && !known.includes(_id);
  const [first] = sessions.filter(isNews).sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  if (!first) return null;
  return (
    <Alert color="orange" role="status" mb="md" py={8}>
      <Group justify="space-between" gap="4px 16px">
        <span>
          New sign-in from {first.device}, {first.address}, <Time value={first.createdAt} withHour />: not you?
        </span>
        <Group gap="xs">
          <Button size="compact-sm" color="red.8" disabled={end.isPending} onClick={() => end.mutate(first)}>
            End it
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setKnown((before) => [...before.slice(-20), first._id])}
          >
            It was me
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}
