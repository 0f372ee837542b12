import { passwordRule } from "@footprint/contract/session.ts";
import { type StaffMember, staff, usernameRule } from "@footprint/contract/staff.ts";
import { PasswordInput, Switch, TextInput } from "@mantine/core";
import { FormModal } from "../../shared/FormModal.tsx";
import { useApiMutation } from "../../shared/queries.ts";

export function CreateStaff({ onClose }: { onClose: () => void }) {
  const create = useApiMutation(staff.create, { refreshes: [staff.list] });
  return (
    <FormModal
      title="Create staff member"
      initialValues={{ username: "", password: "" }}
      onSubmit={(values, options) => create.send({ body: values }, options)}
      submitLabel="Create"
      workingLabel="Creating…"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput
            label="Username"
            description={usernameRule}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            {...fields.getInputProps("username")}
          />
          <PasswordInput
            label="Password"
            description={passwordRule}
            autoComplete="new-password"
            {...fields.getInputProps("password")}
          />
        </>
      )}
    </FormModal>
  );
}

export function EditStaff({ member, onClose }: { member: StaffMember; onClose: () => void }) {
  const update = useApiMutation(staff.update, { refreshes: [staff.list] });
  const { username, chatId, notificationAccess } = member;
  return (
    <FormModal
      title={`Edit ${username}`}
      initialValues={{ username, chatId, notificationAccess }}
      onSubmit={(values, options) => update.send({ params: { id: member._id }, body: values }, options)}
      submitLabel="Save"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput
            label="Username"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            {...fields.getInputProps("username")}
          />
          <TextInput label="Chat id" autoComplete="off" {...fields.getInputProps("chatId")} />
          <Switch label="Notification access" {...fields.getInputProps("notificationAccess", { type: "checkbox" })} />
        </>
      )}
    </FormModal>
  );
}
