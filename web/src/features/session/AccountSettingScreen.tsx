import { passwordRule, session } from "@footprint/contract/session.ts";
import { Group, Paper, PasswordInput, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { ApiError, callApi } from "../../shared/api.ts";
import { FormAlert, SubmitButton, useApiForm } from "../../shared/form.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import classes from "./AccountSettingScreen.module.css";
import { CodeField } from "./CodeField.tsx";
import { FailedSignIns } from "./FailedSignIns.tsx";
import { Sessions } from "./Sessions.tsx";
import { TwoStep } from "./TwoStep.tsx";

const blank = { oldPassword: "", newPassword: "", confirmPassword: "", code: "" };

export function AccountSettingScreen() {
  return (
    <>
      <ScreenHeader title="Account Setting" showsTimes />
      <FailedSignIns />
      <div className={classes.columns}>
        <ChangePassword />
        <TwoStep />
      </div>
      <Sessions />
    </>
  );
}

function ChangePassword() {
  const isOn = Boolean(useApiQuery(session.twoStep, {}).data?.onSince);
  // If that could not be loaded, the server asks for the code.
  const [asked, setAsked] = useState(false);
  const takesCode = isOn || asked;
  const askForCode = (error: unknown) => {
    if (error instanceof ApiError && error.codeRequired) setAsked(true);
    throw error;
  };
  const form = useApiForm({
    initialValues: blank,
    check: ({ newPassword, confirmPassword }) =>
      newPassword === confirmPassword ? undefined : "Passwords do not match",
    onSubmit: ({ oldPassword, newPassword, code }) =>
      callApi(session.changePassword, { body: { oldPassword, newPassword, ...(takesCode && { code }) } }).catch(
        askForCode,
      ),
    end: { after: 3000, on: "always", finish: "reset" },
  });
  const field = (name: keyof typeof blank) => ({
    ...form.fields.getInputProps(name),
    required: true,
    // The form is about to be reset.
    readOnly: form.working || form.settled,
  });

  return (
    <Paper withBorder p="lg" maw={480}>
      <Title order={2} size="h4" mb="md">
        Change password
      </Title>
      <form onSubmit={form.submit}>
        <Stack gap="md">
          <PasswordInput label="Old password" autoComplete="current-password" {...field("oldPassword")} />
          <PasswordInput
            label="New password"
            description={`${passwordRule}. Your other sessions end.`}
            autoComplete="new-password"
            {...field("newPassword")}
          />
          <PasswordInput label="Confirm password" autoComplete="new-password" {...field("confirmPassword")} />
          {takesCode && <CodeField autoFocus={false} {...field("code")} />}
          <FormAlert alert={form.alert} />
          <Group justify="flex-end">
            <SubmitButton form={form} label="Change password" workingLabel="Changing…" />
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
