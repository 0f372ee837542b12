import { passwordRule } from "@footprint/contract/session.ts";
import { type StaffMember, staff, usernameRule } from "@footprint/contract/staff.ts";
import { PasswordInput, Switch, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";

const username = { label: "Username", autoCapitalize: "none", spellCheck: false, "data-autofocus": true };

export function CreateStaff({ onClose }: { onClose: () => void }) {
  return (
    <FormModal
      title="Create staff member"
      initialValues={{ username: "", password: "" }}
      onSubmit={(values, options) => callApi(staff.create, { body: values }, options)}
      submitLabel="Create"
      workingLabel="Creating…"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput {...username} description={usernameRule} {...fields.getInputProps("username")} />
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
  const { chatId, notificationAccess } = member;
  return (
    <FormModal
      title={`Edit ${member.username}`}
      initialValues={{ username: member.username, chatId, notificationAccess }}
      onSubmit={(values, options) => callApi(staff.update, { params: { id: member._id }, body: values }, options)}
      submitLabel="Save"
      aside={<HistoryButton of={member.username} subject={member._id} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput {...username} {...fields.getInputProps("username")} />
          <TextInput label="Chat id" {...fields.getInputProps("chatId")} />
          <Switch label="Notification access" {...fields.getInputProps("notificationAccess", { type: "checkbox" })} />
        </>
      )}
    </FormModal>
  );
}
