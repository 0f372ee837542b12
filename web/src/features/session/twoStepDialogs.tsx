import type { Reply } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { Alert, Anchor, Button, Code, Group, PasswordInput, Stack, Text } from "@mantine/core";
import encodeQR from "qr";
import { useState } from "react";
import { copyText } from "../../shared/copyText.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { saveFile } from "../../shared/downloadFile.ts";
import { FormDialog, FormModal } from "../../shared/FormModal.tsx";
import { atOnce, useApiForm } from "../../shared/form.tsx";
import { useLeaveWarning } from "../../shared/leaveWarning.ts";
import { useApiMutation } from "../../shared/queries.ts";
import { useSession } from "../../shared/session.ts";
import { useWidthUpTo } from "../../shared/windowWidth.ts";
import { CodeField } from "./CodeField.tsx";
import classes from "./twoStepDialogs.module.css";

type Closable = { onClose: () => void };

const blank = { password: "", code: "" };
const password = { label: "Password", autoComplete: "current-password", required: true, withAsterisk: false };

/** Password, then the secret and a first code, then the recovery codes. */
export function TurnOn({ onClose }: Closable) {
  const begin = useApiMutation(session.beginTwoStep, { refreshes: [] });
  const confirm = useApiMutation(session.confirmTwoStep, { refreshes: [session.twoStep, session.sessions] });
  const begun = begin.data;
  const codes = confirm.data?.recoveryCodes;
  const form = useApiForm({
    initialValues: blank,
    onSubmit: async (values) => {
      if (begun) await confirm.send({ body: { code: values.code } });
      else await begin.send({ body: { password: values.password } });
      return { message: "" };
    },
    end: atOnce,
  });
  const title = "Turn on two-step sign-in";
  if (codes) return <RecoveryCodes title="Your recovery codes" codes={codes} onClose={onClose} />;
  if (!begun)
    return (
      <FormDialog title={title} form={form} submitLabel="Continue" workingLabel="Checking…" onClose={onClose}>
        <Text size="sm">
          You need an authenticator app on your phone, such as Google Authenticator, Microsoft Authenticator or
          1Password.
        </Text>
        <PasswordInput {...password} data-autofocus {...form.fields.getInputProps("password")} />
      </FormDialog>
    );
  return (
    <FormDialog title={title} form={form} submitLabel="Turn on" workingLabel="Turning on…" onClose={onClose}>
      <Scan {...begun} />
      <CodeField appOnly {...form.fields.getInputProps("code")} />
      <Text size="sm" c="dimmed">
        Your other sessions end when it is on.
      </Text>
    </FormDialog>
  );
}

function Scan({ secret, uri }: Reply<typeof session.beginTwoStep>) {
  const isPhone = useWidthUpTo("phone");
  return (
    <>
      <Text size="sm">Scan this with the app, or type the key into it. Then enter the code that it shows.</Text>
      <div className={classes.picture}>
        <QrCode text={uri} label="QR code for the authenticator app" />
      </div>
      {isPhone && (
        <Anchor href={uri} size="sm" ta="center">
          Open in an app on this phone
        </Anchor>
      )}
      <div className={classes.key}>
        <div>
          <Text size="sm" fw={500} id="two-step-key">
            Key
          </Text>
          <Code aria-labelledby="two-step-key">{secret.replace(/.{4}(?=.)/g, "$& ")}</Code>
        </div>
        <CopyButton text={secret} label="Copy key" />
      </div>
    </>
  );
}

function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, "raw");
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  return (
    <svg width={4 * rows.length} viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={squares.join("")} />
    </svg>
  );
}

/** Password and code again; then the new codes. */
export function NewRecoveryCodes({ onClose }: Closable) {
  const renew = useApiMutation(session.newRecoveryCodes, { refreshes: [session.twoStep] });
  const codes = renew.data?.recoveryCodes;
  const form = useApiForm({
    initialValues: blank,
    onSubmit: async (body) => {
      await renew.send({ body });
      return { message: "" };
    },
    end: atOnce,
  });
  if (codes) return <RecoveryCodes title="Your new recovery codes" codes={codes} onClose={onClose} />;
  return (
    <FormDialog
      title="New recovery codes"
      form={form}
      submitLabel="Make new codes"
      workingLabel="Making…"
      onClose={onClose}
    >
      <Text size="sm">The recovery codes that you have now stop working.</Text>
      <PasswordInput {...password} data-autofocus {...form.fields.getInputProps("password")} />
      <CodeField autoFocus={false} {...form.fields.getInputProps("code")} />
    </FormDialog>
  );
}

export function TurnOff({ onClose }: Closable) {
  const disable = useApiMutation(session.disableTwoStep, { refreshes: [session.twoStep, session.sessions] });
  return (
    <FormModal
      title="Turn off two-step sign-in"
      initialValues={blank}
      onSubmit={(body, options) => disable.send({ body }, options)}
      submitLabel="Turn off"
      workingLabel="Turning off…"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            The password alone is then enough to sign in as you. Your recovery codes stop working, and your other
            sessions end.
          </Text>
          <PasswordInput {...password} data-autofocus {...fields.getInputProps("password")} />
          <CodeField autoFocus={false} {...fields.getInputProps("code")} />
        </>
      )}
    </FormModal>
  );
}

function RecoveryCodes({ title, codes, onClose }: Closable & { title: string; codes: string[] }) {
  const { username } = useSession();
  const { isWarned, warn } = useLeaveWarning();
  const text = `Footprint recovery codes of ${username}. Each works once.\n\n${codes.join("\n")}\n`;
  return (
    <Dialog title={title} onClose={warn}>
      <Stack gap="md">
        <Text size="sm">
          Each of these works once instead of a code, for when your phone is not at hand. Keep them where you keep your
          passwords: they are not shown again.
        </Text>
        <ul className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        {isWarned && (
          <Alert color="orange" role="alert" py={8}>
            Copy or download the codes first, then say that you have kept them.
          </Alert>
        )}
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <CopyButton text={codes.join("\n")} label="Copy" autoFocus />
            <Button
              variant="default"
              onClick={() => saveFile(new Blob([text], { type: "text/plain" }), "footprint-recovery-codes.txt")}
            >
              Download
            </Button>
          </Group>
          <Button onClick={onClose}>I have kept them</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function CopyButton({ text, label, autoFocus }: { text: string; label: string; autoFocus?: boolean }) {
  const [copied, setCopied] = useState(false);
  return (
    <Button
      variant="default"
      data-autofocus={autoFocus || undefined}
      onClick={async () => setCopied(await copyText(text))}
    >
      {copied ? "Copied" : label}
    </Button>
  );
}
