import type { Reply } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { Anchor, Code, Group, PasswordInput, Text } from "@mantine/core";
import encodeQR from "qr";
import { callApi } from "../../shared/api.ts";
import { CopyButton } from "../../shared/CopyButton.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { useWidthUpTo } from "../../shared/windowWidth.ts";
import { CodeField } from "./CodeField.tsx";
import { RecoveryCodes } from "./RecoveryCodes.tsx";
import { SecondStepField, useSecondStep } from "./SecondStepField.tsx";
import classes from "./twoStepDialogs.module.css";

type Closable = { onClose: () => void };

const blank = { password: "", code: "" };
const password = { label: "Password", autoComplete: "current-password", required: true };

/** Password, then the secret and a first code, then the recovery codes. */
export function TurnOn({ onClose }: Closable) {
  return (
    <FormModal
      title="Turn on two-step sign-in"
      initialValues={{ password: "" }}
      onSubmit={(body) => callApi(session.beginTwoStep, { body })}
      submitLabel="Continue"
      workingLabel="Checking…"
      next={(begun) => <EnterFirstCode begun={begun} onClose={onClose} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            You need an authenticator app on your phone, such as Google Authenticator, Microsoft Authenticator or
            1Password.
          </Text>
          <PasswordInput {...password} data-autofocus {...fields.getInputProps("password")} />
        </>
      )}
    </FormModal>
  );
}

type Begun = Reply<typeof session.beginTwoStep>;

function EnterFirstCode({ begun, onClose }: Closable & { begun: Begun }) {
  return (
    <FormModal
      title="Turn on two-step sign-in"
      initialValues={{ code: "" }}
      onSubmit={(body) => callApi(session.confirmTwoStep, { body })}
      submitLabel="Turn on"
      workingLabel="Turning on…"
      next={(reply) => <RecoveryCodes title="Your recovery codes" codes={reply.recoveryCodes} onClose={onClose} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Scan {...begun} />
          <CodeField appOnly data-autofocus {...fields.getInputProps("code")} />
          <Text size="sm" c="dimmed">
            Your other sessions end when it is on.
          </Text>
        </>
      )}
    </FormModal>
  );
}

function Scan({ secret, uri }: Begun) {
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
      <Group justify="space-between" align="flex-end" gap={8}>
        <div>
          <Text size="sm" fw={500} id="two-step-key">
            Key
          </Text>
          <Code aria-labelledby="two-step-key">{secret.replace(/.{4}(?=.)/g, "$& ")}</Code>
        </div>
        <CopyButton text={secret} label="Copy key" />
      </Group>
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

export function NewRecoveryCodes({ onClose }: Closable) {
  const withStep = useSecondStep();
  return (
    <FormModal
      title="New recovery codes"
      initialValues={blank}
      onSubmit={async (body) => callApi(session.newRecoveryCodes, { body: await withStep(body) })}
      submitLabel="Make new codes"
      workingLabel="Making…"
      next={(reply) => <RecoveryCodes title="Your new recovery codes" codes={reply.recoveryCodes} onClose={onClose} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">The recovery codes that you have now stop working.</Text>
          <PasswordInput {...password} data-autofocus {...fields.getInputProps("password")} />
          <SecondStepField {...fields.getInputProps("code")} />
        </>
      )}
    </FormModal>
  );
}

export function TurnOff({ onClose }: Closable) {
  const withStep = useSecondStep();
  return (
    <FormModal
      title="Turn off two-step sign-in"
      initialValues={blank}
      onSubmit={async (body, options) => callApi(session.disableTwoStep, { body: await withStep(body) }, options)}
      submitLabel="Turn off"
      workingLabel="Turning off…"
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            Unless you have a passkey, the password alone is then enough to sign in as you, and your recovery codes stop
            working. Your other sessions end.
          </Text>
          <PasswordInput {...password} data-autofocus {...fields.getInputProps("password")} />
          <SecondStepField {...fields.getInputProps("code")} />
        </>
      )}
    </FormModal>
  );
}
