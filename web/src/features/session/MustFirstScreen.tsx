import { passwordRule, session } from "@footprint/contract/session.ts";
import { Button, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useState } from "react";
import { ApiError, callApi } from "../../shared/api.ts";
import { FormAlert } from "../../shared/FormAlert.tsx";
import { SubmitButton, useApiForm } from "../../shared/form.tsx";
import { Logo } from "../../shared/Logo.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { leavePage } from "../../shared/leavePage.ts";
import { canUsePasskeys } from "../../shared/passkeys.ts";
import { recheckSession } from "../../shared/recheck.ts";
import { useSession } from "../../shared/session.ts";
import { removeToken } from "../../shared/token.ts";
import { SecondStepField, useSecondStep } from "./SecondStepField.tsx";
import classes from "./SignIn.module.css";
import { typedPassword } from "./typedPassword.ts";

const AddPasskey = lazyPart(() => import("./passkeyDialogs.tsx").then((file) => file.AddPasskey));
const TurnOn = lazyPart(() => import("./twoStepDialogs.tsx").then((file) => file.TurnOn));

/** Shown instead of the panel until it is done; then the panel opens where it was to. */
export function MustFirstScreen() {
  const { mustFirst } = useSession();
  return (
    <main className={classes.page} id="content">
      <div className={classes.card}>
        <div className={classes.brand}>
          <Logo size={32} /> Footprint
        </div>
        {mustFirst === "password" ? <NewPassword /> : <SetUpTwoStep />}
        <Button variant="subtle" color="gray" fullWidth mt="xs" onClick={signOut}>
          Sign out
        </Button>
      </div>
    </main>
  );
}

const blank = { newPassword: "", confirmPassword: "", code: "" };

function NewPassword() {
  const { username } = useSession();
  const [takesCode, setTakesCode] = useState(false);
  // Nobody types twice what was made up for them.
  const [isTyped, setTyped] = useState(typedPassword() !== "");
  const takeStep = useSecondStep();
  useDocumentTitle("New password · Footprint");
  const form = useApiForm({
    initialValues: { ...blank, oldPassword: typedPassword() },
    check: ({ newPassword, confirmPassword }) =>
      newPassword === confirmPassword ? undefined : "Passwords do not match",
    onSubmit: async ({ oldPassword, newPassword, code }) => {
      const body = { oldPassword, newPassword };
      return callApi(session.changePassword, { body: takesCode ? await takeStep({ ...body, code }) : body }).catch(
        (error: unknown) => {
          if (error instanceof ApiError && error.codeRequired) setTakesCode(true);
          if (error instanceof ApiError && error.issues.some(({ path }) => path === "body.oldPassword"))
            setTyped(false);
          throw error;
        },
      );
    },
    end: { after: 0, on: "success", finish: recheckSession },
  });
  const field = (name: keyof typeof blank | "oldPassword") => ({ ...form.fields.getInputProps(name), required: true });
  return (
    <>
      <Title order={1} size="h2" mb="xs">
        Choose your password
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        An administrator gave you a new one, {username}. From here on only you know yours.
      </Text>
      <form onSubmit={form.submit}>
        <Stack gap="md">
          {!isTyped && (
            <PasswordInput
              label="Password you were given"
              autoComplete="current-password"
              autoFocus
              {...field("oldPassword")}
            />
          )}
          <PasswordInput
            label="New password"
            description={passwordRule}
            autoComplete="new-password"
            autoFocus={isTyped}
            {...field("newPassword")}
          />
          <PasswordInput label="Confirm password" autoComplete="new-password" {...field("confirmPassword")} />
          {takesCode && <SecondStepField {...form.fields.getInputProps("code")} />}
          <FormAlert alert={form.alert} />
          <SubmitButton form={form} label="Save and go on" workingLabel="Saving…" />
        </Stack>
      </form>
    </>
  );
}

function SetUpTwoStep() {
  const [opened, setOpened] = useState<"app" | "passkey">();
  const onClose = () => {
    setOpened(undefined);
    recheckSession();
  };
  useDocumentTitle("Two-step sign-in · Footprint");
  return (
    <>
      <Title order={1} size="h2" mb="xs">
        Set up two-step sign-in
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Your administrators require it: signing in then takes more than your password.{" "}
        {canUsePasskeys()
          ? "Use a code from an app on your phone, or a passkey: your fingerprint, your face or your device's PIN."
          : "Use a code from an app on your phone."}{" "}
        It takes a minute, once.
      </Text>
      <Stack gap="xs">
        <Button fullWidth onClick={() => setOpened("app")}>
          Set up an authenticator app
        </Button>
        {canUsePasskeys() && (
          <Button fullWidth variant="default" onClick={() => setOpened("passkey")}>
            Add a passkey
          </Button>
        )}
      </Stack>
      {opened === "app" && <TurnOn onClose={onClose} />}
      {opened === "passkey" && <AddPasskey onClose={onClose} />}
    </>
  );
}

function signOut(): void {
  callApi(session.logout, {}, { keepalive: true }).catch((error: unknown) => console.error(error));
  removeToken();
  leavePage(() => window.location.reload());
}
