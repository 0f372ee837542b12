import { type NoticeKind, noticeKinds, noticeNames, staffNoticeKinds } from "@footprint/contract/notices.ts";
import { passwordRule, type Role } from "@footprint/contract/session.ts";
import { type QuietHours, type StaffMember, staff, usernameRule } from "@footprint/contract/staff.ts";
import { Checkbox, Code, Group, NativeSelect, PasswordInput, SimpleGrid, Switch, Text, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { type EditedField, edited } from "../../shared/edits.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ShownOnce } from "../../shared/ShownOnce.tsx";
import { useSession } from "../../shared/session.ts";
import { whereToFind } from "./chatIds.ts";
import classes from "./StaffGrid.module.css";

const username = { label: "Username", autoCapitalize: "none", spellCheck: false, "data-autofocus": true };

const roles = [
  { value: "staff", label: "Staff" },
  { value: "admin", label: "Administrator" },
];

export function CreateStaff({ role, onClose }: { role: Role; onClose: () => void }) {
  return (
    <FormModal
      title={role === "admin" ? "Create administrator" : "Create staff member"}
      initialValues={{ username: "", password: "", role }}
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
          <NativeSelect
            label="Role"
            description="Administrators see the dashboard, prices and settings, and manage all accounts."
            data={roles}
            {...fields.getInputProps("role")}
          />
        </>
      )}
    </FormModal>
  );
}

type Told = Pick<StaffMember, "username" | "chatId" | "notificationAccess" | "messageKinds" | "quietHours">;
/** All kinds are chosen where none was left out; without quiet hours both times are empty. */
type Edited = Omit<Told, "messageKinds" | "quietHours"> & { messageKinds: string[]; quietHours: QuietHours };

const valuesOf =
  (kinds: readonly NoticeKind[]) =>
  ({ username, chatId, notificationAccess, messageKinds, quietHours }: Told): Edited => ({
    username,
    chatId,
    notificationAccess,
    messageKinds: kinds.filter((kind) => messageKinds?.includes(kind) ?? true),
    quietHours: quietHours ?? { from: "", to: "" },
  });

const nameOf = (kind: string) => noticeNames[kind as NoticeKind];

const editedFields: EditedField<Edited>[] = [
  edited<Edited>("username", "Username"),
  edited<Edited>("chatId", "Chat id"),
  edited<Edited>("notificationAccess", "Notification access"),
  {
    label: "Messages about",
    names: ["messageKinds"],
    comesTo: ({ messageKinds }) => messageKinds.toSorted().join(),
    text: ({ messageKinds }) => messageKinds.map(nameOf).join(", "),
  },
  {
    label: "Quiet hours",
    names: ["quietHours"],
    comesTo: ({ quietHours: { from, to } }) => `${from} ${to}`,
    text: ({ quietHours: { from, to } }) => (from || to ? `${from} to ${to}` : ""),
  },
];

export function EditStaff({ member, onClose }: { member: StaffMember; onClose: () => void }) {
  const { timezone } = useSession();
  const params = { id: member._id };
  const { provider } = useApiQuery(staff.messages, { params }).data ?? {};
  const kinds = member.role === "admin" ? noticeKinds : staffNoticeKinds;
  const asSent = ({ messageKinds, quietHours, ...values }: Edited) => ({
    ...values,
    // All of them is also what there may be later.
    messageKinds: messageKinds.length === kinds.length ? null : (messageKinds as NoticeKind[]),
    quietHours: quietHours?.from || quietHours?.to ? quietHours : null,
  });
  return (
    <FormModal
      title={`Edit ${member.username}`}
      initialValues={valuesOf(kinds)(member)}
      edit={{ version: member.version, fields: editedFields, valuesOf: valuesOf(kinds) }}
      onSubmit={(values, options) => callApi(staff.update, { params, body: asSent(values) }, options)}
      submitLabel="Save"
      aside={<HistoryButton of={member.username} subject={member._id} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput {...username} {...fields.getInputProps("username")} />
          <TextInput
            label="Chat id"
            description={provider === undefined ? " " : whereToFind(provider)}
            {...fields.getInputProps("chatId")}
          />
          <Switch
            label="Notification access"
            description="Messages about what happens are sent to this chat."
            {...fields.getInputProps("notificationAccess", { type: "checkbox" })}
          />
          {fields.values.notificationAccess && (
            <>
              <Checkbox.Group label="Messages about" {...fields.getInputProps("messageKinds")}>
                <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt={8}>
                  {kinds.map((kind) => (
                    <Checkbox key={kind} value={kind} label={noticeNames[kind]} />
                  ))}
                </SimpleGrid>
              </Checkbox.Group>
              <fieldset className={classes.times}>
                <legend>Quiet hours</legend>
                <Text size="xs" c="dimmed" mb={8}>
                  Optional, in the timezone {timezone}. What happens meanwhile comes in one message after them.
                </Text>
                <Group gap={12} grow align="flex-start">
                  <TextInput type="time" label="From" {...fields.getInputProps("quietHours.from")} />
                  <TextInput type="time" label="To" {...fields.getInputProps("quietHours.to")} />
                </Group>
              </fieldset>
            </>
          )}
        </>
      )}
    </FormModal>
  );
}

/** Asks first, then shows the password that was made. */
export function ResetPassword({ member, onClose }: { member: StaffMember; onClose: () => void }) {
  const { username, twoStep, passwordTemporary } = member;
  return (
    <FormModal
      title={`Reset the password of ${username}?`}
      initialValues={{}}
      onSubmit={() => callApi(staff.resetPassword, { params: { id: member._id }, body: { passwordTemporary } })}
      submitLabel="Reset password"
      workingLabel="Resetting…"
      danger
      next={({ password }) => <NewPassword username={username} password={password} onClose={onClose} />}
      onClose={onClose}
    >
      {() => (
        <Text size="sm">
          {username} is signed out everywhere and signs in with a new password, which you see once and which they have
          to change first.{passwordTemporary && " The one that they were given and have not changed yet stops working."}
          {twoStep && " Two-step sign-in stays on."} Make sure that it is {username} who asks for this.
        </Text>
      )}
    </FormModal>
  );
}

function NewPassword({ username, password, onClose }: { username: string; password: string; onClose: () => void }) {
  return (
    <ShownOnce
      title={`New password of ${username}`}
      hint={`Tell it to ${username} and nobody else. They choose their own when they sign in. It is not shown again.`}
      text={password}
      warning="Copy the password first, then say that you have passed it on."
      kept="I have passed it on"
      onClose={onClose}
    >
      <Code block aria-label="New password" ta="center" fz="md">
        {password}
      </Code>
    </ShownOnce>
  );
}
