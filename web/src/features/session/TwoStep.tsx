import type { Reply } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { type ComponentType, useState } from "react";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { Notice } from "../../shared/Notice.tsx";
import { useApiQuery } from "../../shared/queries.ts";

const TurnOn = lazyPart(() => import("./twoStepDialogs.tsx").then((file) => file.TurnOn));
const TurnOff = lazyPart(() => import("./twoStepDialogs.tsx").then((file) => file.TurnOff));
const NewRecoveryCodes = lazyPart(() => import("./twoStepDialogs.tsx").then((file) => file.NewRecoveryCodes));

type Open = (dialog: ComponentType<{ onClose: () => void }>) => void;

/** Whether a code is asked for after one's own password, and how to change that. */
export function TwoStep() {
  const query = useApiQuery(session.twoStep, {});
  const [dialog, setDialog] = useState<{ Shown: Parameters<Open>[0] }>();
  const open: Open = (Shown) => setDialog({ Shown });
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
        <Notice title="This could not be loaded" hint={query.error.message} role="alert">
          <Button variant="default" loading={query.isFetching} onClick={() => query.refetch()}>
            Retry
          </Button>
        </Notice>
      ) : !status ? (
        <Skeleton height={116} />
      ) : status.onSince ? (
        <On since={status.onSince} codesLeft={status.recoveryCodesLeft} open={open} />
      ) : (
        <Off open={open} />
      )}
      {dialog && <dialog.Shown onClose={() => setDialog(undefined)} />}
    </Paper>
  );
}

function Off({ open }: { open: Open }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        Signing in then takes your password and a code from an authenticator app on your phone: a password that somebody
        else has learnt is not enough.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => open(TurnOn)}>
          Turn on
        </Button>
      </Group>
    </Stack>
  );
}

type Status = Reply<typeof session.twoStep>;

function On({
  since,
  codesLeft,
  open,
}: {
  since: NonNullable<Status["onSince"]>;
  codesLeft: Status["recoveryCodesLeft"];
  open: Open;
}) {
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
        <Button variant="subtle" color="red" onClick={() => open(TurnOff)}>
          Turn off
        </Button>
        <Button variant="default" onClick={() => open(NewRecoveryCodes)}>
          New recovery codes
        </Button>
      </Group>
    </Stack>
  );
}
