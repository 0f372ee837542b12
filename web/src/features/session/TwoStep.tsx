import { session } from "@footprint/contract/session.ts";
import { Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDialog } from "../../shared/dialogs.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";

const TurnOn = lazyPart(() => import("./twoStepDialogs.tsx").then((file) => file.TurnOn));
const TurnOff = lazyPart(() => import("./twoStepDialogs.tsx").then((file) => file.TurnOff));
const NewRecoveryCodes = lazyPart(() => import("./twoStepDialogs.tsx").then((file) => file.NewRecoveryCodes));

/** Whether a code is asked for after one's own password, and how to change that. */
export function TwoStep() {
  const query = useApiQuery(session.twoStep, {});
  const status = query.data;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="two-step" aria-busy={query.isPending}>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" id="two-step">
          Two-step sign-in
        </Title>
        {status && (
          <StatusBadge tone={status.onSince ? "positive" : "neutral"}>{status.onSince ? "On" : "Off"}</StatusBadge>
        )}
      </Group>
      {query.isError && !status ? (
        <LoadFailure title="This could not be loaded" query={query} />
      ) : !status ? (
        <Skeleton height={116} />
      ) : status.onSince ? (
        <On since={status.onSince} codesLeft={status.recoveryCodesLeft} />
      ) : (
        <Off />
      )}
    </Paper>
  );
}

function Off() {
  const open = useDialog();
  return (
    <Stack gap="md">
      <Text size="sm">
        Signing in then takes your password and a code from an authenticator app on your phone: a password that somebody
        else has learnt is not enough.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => open((close) => <TurnOn onClose={close} />)}>
          Turn on
        </Button>
      </Group>
    </Stack>
  );
}

function On({ since, codesLeft }: { since: string; codesLeft: number }) {
  const open = useDialog();
  const codes = codesLeft === 1 ? "1 recovery code is" : `${codesLeft || "No"} recovery codes are`;
  return (
    <Stack gap="md">
      <div>
        <Text size="sm">
          A code is asked for after your password. Turned on <Time value={since} />.
        </Text>
        <Group gap="xs" mt="xs">
          <Text size="sm">{codes} left.</Text>
          {codesLeft < 3 && <StatusBadge tone="warning">Running low</StatusBadge>}
        </Group>
      </div>
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" color="red" onClick={() => open((close) => <TurnOff onClose={close} />)}>
          Turn off
        </Button>
        <Button variant="default" onClick={() => open((close) => <NewRecoveryCodes onClose={close} />)}>
          New recovery codes
        </Button>
      </Group>
    </Stack>
  );
}
