import { passwordRule, session } from "@footprint/contract/session.ts";
import { Group, Paper, PasswordInput, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { ApiError, callApi } from "../../shared/api.ts";
import { FormAlert } from "../../shared/FormAlert.tsx";
import { SubmitButton, useApiForm } from "../../shared/form.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import classes from "./AccountSettingScreen.module.css";
import { FailedSignIns } from "./FailedSignIns.tsx";
import { OwnHistory } from "./OwnHistory.tsx";
import { Passkeys } from "./Passkeys.tsx";
import { SecondStepField, useHasPasskey, useSecondStep } from "./SecondStepField.tsx";
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
        <Stack gap={24}>
          <TwoStep />
          <Passkeys />
        </Stack>
      </div>
      <Sessions />
      <OwnHistory />
    </>
  );
}

function ChangePassword() {
  const isOn = Boolean(useApiQuery(session.twoStep, {}).data?.onSince);
  // If that could not be loaded, the server asks for the code.
  const [asked, setAsked] = useState(false);
  const withStep = useSecondStep();
  const takesCode = useHasPasskey() || isOn || asked;
  const askForCode = (error: unknown) => {
    if (error instanceof ApiError && error.codeRequired) setAsked(true);
    throw error;
  };
  const form = useApiForm({
    initialValues: blank,
    check: ({ newPassword, confirmPassword }) =>
      newPassword === confirmPassword ? undefined : "Passwords do not match",
    onSubmit: async ({ confirmPassword: _, code, ...passwords }) => {
      const body = takesCode ? await withStep({ ...passwords, code }) : passwords;
      return callApi(session.changePassword, { body }).catch(askForCode);
    },
    end: { after: 3000, on: "always", finish: "reset" },
  });
  const field = (name: keyof typeof blank) => ({
    ...form.fields.getInputProps(name),
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
          <PasswordInput required label="Old password" autoComplete="current-password" {...field("oldPassword")} />
          <PasswordInput
            required
            label="New password"
            description={`${passwordRule}. Your other sessions end.`}
            autoComplete="new-password"
            {...field("newPassword")}
          />
          <PasswordInput required label="Confirm password" autoComplete="new-password" {...field("confirmPassword")} />
          {takesCode && <SecondStepField {...field("code")} />}
          <FormAlert alert={form.alert} />
          <Group justify="flex-end">
            <SubmitButton form={form} label="Change password" workingLabel="Changing…" />
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
