import { Button, Stack, TextInput, type TextInputProps } from "@mantine/core";
import { type MouseEvent, useState } from "react";

/** For a code of the authenticator app (phones show digits) or, unless `appOnly`, a recovery code. */
export function CodeField({ appOnly = false, ...props }: TextInputProps & { appOnly?: boolean }) {
  const [recovery, setRecovery] = useState(false);
  function swap(event: MouseEvent<HTMLButtonElement>) {
    setRecovery(!recovery);
    event.currentTarget.parentElement?.querySelector("input")?.focus();
  }
  return (
    <Stack gap={4} align="stretch">
      <TextInput
        label="Code"
        description={recovery ? "One of the recovery codes that you kept" : "Six digits from your authenticator app"}
        name="code"
        inputMode={recovery ? "text" : "numeric"}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        required
        {...props}
      />
      {!appOnly && (
        <Button variant="subtle" size="compact-sm" style={{ alignSelf: "flex-start" }} ml={-8} onClick={swap}>
          {recovery ? "Use the authenticator app" : "Use a recovery code"}
        </Button>
      )}
    </Stack>
  );
}
