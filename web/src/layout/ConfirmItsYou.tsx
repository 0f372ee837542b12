import { passkeys } from "@footprint/contract/passkeys.ts";
import { session } from "@footprint/contract/session.ts";
import { Button, PasswordInput, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { callApi } from "../shared/api.ts";
import { FormModal } from "../shared/FormModal.tsx";
import { notifyError } from "../shared/notify.ts";
import { askPasskey, canUsePasskeys } from "../shared/passkeys.ts";
import { useApiQuery } from "../shared/queries.ts";

export function ConfirmItsYou({ onClose }: { onClose: (confirmed?: boolean) => void }) {
  const confirmed = useRef(false);
  const own = useApiQuery(passkeys.list, {}).data?.passkeys ?? [];
  const { mutate: confirmWithPasskey, isPending } = useMutation({
    mutationFn: async () => callApi(session.confirm, { body: { passkey: await askPasskey() } }),
    onSuccess: () => onClose(true),
    onError: notifyError,
  });
  return (
    <FormModal
      title="Confirm it's you"
      initialValues={{ password: "" }}
      onSubmit={async (body) => {
        const reply = await callApi(session.confirm, { body });
        confirmed.current = true;
        return reply;
      }}
      submitLabel="Confirm"
      workingLabel="Checking…"
      closeAfter={0}
      aside={
        own.length > 0 &&
        canUsePasskeys() && (
          <Button variant="default" disabled={isPending} onClick={() => confirmWithPasskey()}>
            Use a passkey
          </Button>
        )
      }
      onClose={() => onClose(confirmed.current)}
    >
      {(fields) => (
        <>
          <Text size="sm">
            You signed in more than half an hour ago, and this change matters. It goes ahead once you have confirmed.
          </Text>
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            data-autofocus
            {...fields.getInputProps("password")}
          />
        </>
      )}
    </FormModal>
  );
}
