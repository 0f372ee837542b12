import { type Passkey, passkeys } from "@footprint/contract/passkeys.ts";
import { Checkbox, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { notify } from "../../shared/notify.ts";
import { makePasskey } from "../../shared/passkeys.ts";
import { RecoveryCodes } from "./RecoveryCodes.tsx";

type Values = { name: string; replacesPassword: boolean };

/** A name, then the browser's own questions; the first second step of an account comes with recovery codes. */
export function AddPasskey({ onClose }: { onClose: () => void }) {
  async function add(values: Values) {
    const passkey = await makePasskey();
    const reply = await callApi(passkeys.add, { body: { ...values, passkey } });
    if (reply.recoveryCodes.length === 0) {
      notify("success", reply.message);
      onClose();
    }
    return reply;
  }
  return (
    <FormModal
      title="Add a passkey"
      initialValues={{ name: "", replacesPassword: true }}
      onSubmit={add}
      submitLabel="Continue"
      workingLabel="Waiting for the passkey…"
      next={({ recoveryCodes }) =>
        recoveryCodes.length > 0 && (
          <RecoveryCodes title="Your recovery codes" codes={recoveryCodes} onClose={onClose} />
        )
      }
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            Your browser then asks where to keep it: on this device, on your phone, or on a security key. From then on
            your password alone does not sign you in.
          </Text>
          <Fields fields={fields} />
        </>
      )}
    </FormModal>
  );
}

export function EditPasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  return (
    <FormModal
      title={`Edit the passkey ${passkey.name}`}
      initialValues={{ name: passkey.name, replacesPassword: passkey.replacesPassword }}
      onSubmit={(body) => callApi(passkeys.update, { params: { id: passkey._id }, body })}
      submitLabel="Save"
      onClose={onClose}
    >
      {(fields) => <Fields fields={fields} />}
    </FormModal>
  );
}

function Fields({ fields }: { fields: UseFormReturnType<Values> }) {
  return (
    <>
      <TextInput
        label="Name"
        description="To tell it from your others"
        placeholder="My laptop"
        maxLength={64}
        required
        data-autofocus
        {...fields.getInputProps("name")}
      />
      <Checkbox
        label="Signs me in instead of the password"
        description="Otherwise it is asked for after the password"
        {...fields.getInputProps("replacesPassword", { type: "checkbox" })}
      />
    </>
  );
}
