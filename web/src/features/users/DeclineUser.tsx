import { type User, users } from "@footprint/contract/users.ts";
import { Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { notify } from "../../shared/notify.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";

/** Disables a newcomer, who leaves the queue. */
export function DeclineUser({ user, onDone, onClose }: { user: User; onDone: () => void; onClose: () => void }) {
  async function decline(reason: string) {
    const reply = await callApi(users.setStatus, { params: { id: user._id }, body: { status: false, reason } });
    notify("success", reply.message);
    onDone();
    return reply;
  }
  return (
    <FormModal
      title={`Decline ${user.username}?`}
      initialValues={{ reason: "" }}
      onSubmit={({ reason }) => decline(reason)}
      submitLabel="Decline"
      workingLabel="Declining…"
      danger
      closeAfter={0}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">{user.username} is disabled and cannot buy labels. Enabling the account takes it back.</Text>
          <ReasonField
            description="Optional, up to 500 characters. Kept in the log."
            data-autofocus
            {...fields.getInputProps("reason")}
          />
        </>
      )}
    </FormModal>
  );
}
