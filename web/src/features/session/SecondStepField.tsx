import { passkeys } from "@footprint/contract/passkeys.ts";
import type { TextInputProps } from "@mantine/core";
import { askPasskey, canUsePasskeys } from "../../shared/passkeys.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { CodeField } from "./CodeField.tsx";

/** Whether a passkey of the operator's own could be used here. */
export const useHasPasskey = () => (useApiQuery(passkeys.list, {}).data?.passkeys.length ?? 0) > 0 && canUsePasskeys();

/** For who is signed in: a code or, left empty, a passkey. */
export function SecondStepField(props: TextInputProps) {
  const hasPasskey = useHasPasskey();
  return (
    <CodeField
      autoFocus={false}
      {...(hasPasskey && { required: false, description: "From your authenticator app, or empty to use a passkey" })}
      {...props}
    />
  );
}

/** The second step that was entered or, for an empty field, that of a passkey which the browser asks for. */
export function useSecondStep() {
  const hasPasskey = useHasPasskey();
  return async <V extends { code: string }>({ code, ...body }: V) =>
    code === "" && hasPasskey ? { ...body, passkey: await askPasskey() } : { ...body, code };
}
