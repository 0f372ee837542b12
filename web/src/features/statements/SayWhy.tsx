import { type StatementLine, statements } from "@footprint/contract/statements.ts";
import { Text } from "@mantine/core";
import { ApiError, type CallOptions, callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { notify } from "../../shared/notify.ts";
import { ReasonField } from "../../shared/ReasonField.tsx";

const acts = {
  aside: {
    title: "Set this line aside?",
    submit: "Set aside",
    working: "Setting aside…",
    hint: "belongs to no invoice",
    async call(id: string, reason: string, options: CallOptions) {
      const { outcomes } = await callApi(statements.setAside, { body: { ids: [id], reason } }, options);
      const [outcome] = outcomes;
      if (!outcome?.done) throw new ApiError(409, outcome?.message ?? "");
      return outcome.message;
    },
  },
  reopen: {
    title: "Open this line again?",
    submit: "Open again",
    working: "Opening…",
    hint: "can pay an invoice then",
    call: async (id: string, reason: string, options: CallOptions) =>
      (await callApi(statements.reopen, { params: { id }, body: { reason } }, options)).message,
  },
};

/** Asks why a line is set aside, or used again. */
export function SayWhy(props: { line: StatementLine; act: keyof typeof acts; onClose: () => void }) {
  const { line, act, onClose } = props;
  const { title, submit, working, hint } = acts[act];
  return (
    <FormModal
      title={title}
      initialValues={{ reason: "" }}
      validate={({ reason }) => (reason.trim() ? {} : { reason: "Say why" })}
      onSubmit={async ({ reason }, options) => {
        const message = await acts[act].call(line._id, reason, options);
        notify("success", message);
        return { message };
      }}
      submitLabel={submit}
      workingLabel={working}
      closeAfter={0}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            <b>{formatMoney(line.amount)}</b> of {line.name || line.email || "somebody without a name"} {hint}.
          </Text>
          <ReasonField
            description="Up to 500 characters. Kept with the line and in the log."
            data-autofocus
            {...fields.getInputProps("reason")}
          />
        </>
      )}
    </FormModal>
  );
}
