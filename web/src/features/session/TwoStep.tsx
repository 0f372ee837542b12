import { passkeys } from "@footprint/contract/passkeys.ts";
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
  const passkeyCount = useApiQuery(passkeys.list, {}).data?.passkeys.length ?? 0;
  const isOn = status && (status.onSince || passkeyCount > 0);
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="two-step" aria-busy={query.isPending}>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" id="two-step">
          Two-step sign-in
        </Title>
        {status && <StatusBadge tone={isOn ? "positive" : "neutral"}>{isOn ? "On" : "Off"}</StatusBadge>}
      </Group>
      {query.isError && !status ? (
        <LoadFailure title="This could not be loaded" query={query} />
      ) : !status ? (
        <Skeleton height={116} />
      ) : status.onSince ? (
        <On since={status.onSince} codesLeft={status.recoveryCodesLeft} hasPasskey={passkeyCount > 0} />
      ) : passkeyCount > 0 ? (
        <OnByPasskey codesLeft={status.recoveryCodesLeft} />
      ) : (
        <Off />
      )}
    </Paper>
  );
}

function Off() {
  return (
    <Stack gap="md">
      <Text size="sm">
        Signing in will take your password and a code from an authenticator app on your phone, so that a stolen password
        is not enough.
      </Text>
      <Group justify="flex-end">
        <TurnOnButton text="Turn on" />
      </Group>
    </Stack>
  );
}

function OnByPasskey({ codesLeft }: { codesLeft: number }) {
  return (
    <Stack gap="md">
      <div>
        <Text size="sm">
          A passkey is asked for after your password. An authenticator app on your phone can stand in for it.
        </Text>
        <CodesLeft count={codesLeft} />
      </div>
      <Group justify="flex-end" gap="xs">
        <NewCodesButton />
        <TurnOnButton text="Add authenticator app" />
      </Group>
    </Stack>
  );
}

function TurnOnButton({ text }: { text: string }) {
  const open = useDialog();
  return (
    <Button variant="default" onClick={() => open((close) => <TurnOn onClose={close} />)}>
      {text}
    </Button>
  );
}

function On({ since, codesLeft, hasPasskey }: { since: string; codesLeft: number; hasPasskey: boolean }) {
  const open = useDialog();
  return (
    <Stack gap="md">
      <div>
        <Text size="sm">
          A code{hasPasskey && " or a passkey"} is asked for after your password. Turned on <Time value={since} />.
        </Text>
        <CodesLeft count={codesLeft} />
      </div>
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" color="red" onClick={() => open((close) => <TurnOff onClose={close} />)}>
          Turn off
        </Button>
        <NewCodesButton />
      </Group>
    </Stack>
  );
}

function CodesLeft({ count }: { count: number }) {
  const codes = count === 1 ? "1 recovery code is" : `${count || "No"} recovery codes are`;
  return (
    <Group gap="xs" mt="xs">
      <Text size="sm">{codes} left.</Text>
      {count < 3 && <StatusBadge tone="warning">Running low</StatusBadge>}
    </Group>
  );
}

function NewCodesButton() {
  const open = useDialog();
  return (
    <Button variant="default" onClick={() => open((close) => <NewRecoveryCodes onClose={close} />)}>
      New recovery codes
    </Button>
  );
}
