import { type Approval, approvals } from "@footprint/contract/approvals.ts";
import { Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { notify } from "../../shared/notify.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";
import { actWords } from "./words.ts";

/** Approves or declines what somebody asked for. */
export function Decide({
  approval,
  approves,
  onClose,
}: {
  approval: Approval;
  approves: boolean;
  onClose: () => void;
}) {
  const { _id: id, act, user, amount, reason: why, by } = approval;
  const call = approves ? approvals.approve : approvals.decline;
  return (
    <FormModal
      title={approves ? "Approve this request?" : "Decline this request?"}
      initialValues={{ reason: "" }}
      validate={({ reason }) => (approves || reason.trim() ? {} : { reason: "Say why it is declined" })}
      onSubmit={async ({ reason }, options) => {
        const reply = await callApi(call, { params: { id }, body: { reason } }, options);
        notify("success", reply.message);
        return reply;
      }}
      submitLabel={approves ? "Approve" : "Decline"}
      workingLabel={approves ? "Approving…" : "Declining…"}
      closeAfter={0}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            {actWords[act]}: <b>{formatMoney(amount)}</b> for <b>{user.username}</b>
            {approves ? ", at once and in your name" : ""}. {by.username} asked: “{why}”
          </Text>
          <ReasonField
            description={
              approves ? "Optional. Kept with the transfer and in the log." : "They read it. Kept in the log too."
            }
            data-autofocus
            {...fields.getInputProps("reason")}
          />
        </>
      )}
    </FormModal>
  );
}
