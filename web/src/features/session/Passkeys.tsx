import { type Passkey, passkeys } from "@footprint/contract/passkeys.ts";
import { Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { canUsePasskeys } from "../../shared/passkeys.ts";
import { useApiQuery } from "../../shared/queries.ts";
import classes from "./Passkeys.module.css";

const AddPasskey = lazyPart(() => import("./passkeyDialogs.tsx").then((file) => file.AddPasskey));
const EditPasskey = lazyPart(() => import("./passkeyDialogs.tsx").then((file) => file.EditPasskey));

/** One's own passkeys, and how to add, change and remove them. */
export function Passkeys() {
  const query = useApiQuery(passkeys.list, {});
  const open = useDialog();
  const own = query.data?.passkeys;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="passkeys" aria-busy={query.isPending}>
      <Title order={2} size="h4" id="passkeys" mb="md">
        Passkeys
      </Title>
      {query.isError && !own ? (
        <LoadFailure title="Your passkeys could not be loaded" query={query} />
      ) : !own ? (
        <Skeleton height={116} />
      ) : (
        <Stack gap="md">
          <Text size="sm">
            Sign in with your fingerprint, your face or your device's PIN, instead of your password or after it. A
            passkey cannot be guessed, and works only on the real site.
          </Text>
          {own.length > 0 && (
            <ul className={classes.list}>
              {own.map((passkey) => (
                <Row key={passkey._id} passkey={passkey} isLast={own.length === 1} />
              ))}
            </ul>
          )}
          {canUsePasskeys() ? (
            <Group justify="flex-end">
              <AddButton
                variant="default"
                text="Add a passkey"
                onClick={() => open((close) => <AddPasskey onClose={close} />)}
              />
            </Group>
          ) : (
            <Text size="sm" c="dimmed">
              To add one, open the panel over https, by its name, in a browser that supports passkeys.
            </Text>
          )}
        </Stack>
      )}
    </Paper>
  );
}

function Row({ passkey, isLast }: { passkey: Passkey; isLast: boolean }) {
  const open = useDialog();
  const confirm = useConfirm();
  const askToRemove = () =>
    confirm({
      title: `Remove the passkey ${passkey.name}?`,
      message: isLast
        ? "It no longer signs you in. It is your last one: unless you use an authenticator app, the password alone is then enough, and your recovery codes stop working."
        : "It no longer signs you in. You may delete it from your device too.",
      action: "Remove",
      working: "Removing…",
      danger: true,
      onConfirm: () => callApi(passkeys.remove, { params: { id: passkey._id } }),
    });
  return (
    <li className={classes.row}>
      <div className={classes.words}>
        <Group gap="2px 8px" mb={2}>
          <b className={classes.name}>{passkey.name}</b>
          {!passkey.replacesPassword && <StatusBadge tone="neutral">After the password</StatusBadge>}
        </Group>
        <Text size="xs" c="dimmed">
          Added <Time value={passkey.createdAt} />
          {passkey.lastUsedAt ? (
            <>
              , last used <Time value={passkey.lastUsedAt} />
            </>
          ) : (
            ", never used"
          )}
        </Text>
      </div>
      <Group gap={4} wrap="nowrap">
        <RowButton
          text="Edit"
          of={passkey.name}
          onClick={() => open((close) => <EditPasskey passkey={passkey} onClose={close} />)}
        />
        <RowButton danger text="Remove" of={passkey.name} onClick={askToRemove} />
      </Group>
    </li>
  );
}
