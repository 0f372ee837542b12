import type { Reply } from "@footprint/contract/endpoint.ts";
import { type PasskeyAnswer, passkeys } from "@footprint/contract/passkeys.ts";
import { session } from "@footprint/contract/session.ts";
import { Alert, Button, PasswordInput, Stack, TextInput, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ApiError, callApi, unreadable } from "../../shared/api.ts";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { Logo } from "../../shared/Logo.tsx";
import { askPasskey, canUsePasskeys } from "../../shared/passkeys.ts";
import { useTemporary } from "../../shared/temporary.ts";
import { forgetSessionEnd, hasSessionEnded, readDevice, storeDevice, storeToken } from "../../shared/token.ts";
import { CodeField } from "./CodeField.tsx";
import classes from "./SignIn.module.css";
import { keepTyped } from "./typedPassword.ts";

export function SignIn({
  problem,
  onCheck,
}: {
  /** Why the existing session could not be checked. */
  problem: string | undefined;
  /** Asks the server who is signed in. */
  onCheck: () => Promise<void>;
}) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [step, setStep] = useState<"password" | "code">("password");
  const [passkeyAccepted, setPasskeyAccepted] = useState(false);
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useTemporary<string>();
  const [hasEnded] = useState(hasSessionEnded);
  useEffect(forgetSessionEnd, []);
  const button = useKeptFocus(working);
  const secret = useRef<HTMLInputElement>(null);

  useDocumentTitle("Sign-In · Footprint");

  async function withPassword(secondStep: { code?: string; passkey?: PasskeyAnswer }) {
    const reply = await callApi(session.login, { body: { username, password, ...readDevice(), ...secondStep } });
    keepTyped(password);
    return reply;
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    void signIn(() => withPassword(step === "code" ? { code } : {}));
  }

  /** Instead of the password or, once that was right, of a code. */
  const usePasskey = () =>
    signIn(async () => {
      const passkey = await askPasskey();
      return step === "code"
        ? withPassword({ passkey })
        : callApi(passkeys.signIn, { body: { passkey, ...readDevice() } });
    });

  async function signIn(call: () => Promise<Reply<typeof session.login>>) {
    if (working) return;
    setWorking(true);
    setFailure(undefined);
    try {
      const { accessToken, deviceToken } = await call();
      if (!accessToken) throw unreadable(200);
      storeToken(accessToken);
      storeDevice(deviceToken);
      window.history.replaceState(null, "", "/");
      await onCheck();
    } catch (error) {
      handleFailure(error);
    }
    setWorking(false);
  }

  function handleFailure(error: unknown) {
    const { status, codeRequired, passkeyAccepted } = error instanceof ApiError ? error : new ApiError(0, "");
    if (codeRequired && step === "password") {
      setPasskeyAccepted(passkeyAccepted);
      showStep("code");
      // Being asked for a code is no failure, but having to wait first is.
      if (status === 401) return;
    }
    console.error(error);
    // The password has been changed since it was entered.
    if (status === 401 && !codeRequired) showStep("password");
    setFailure(error instanceof Error ? error.message : String(error));
    secret.current?.focus();
    if (codeRequired) secret.current?.select();
  }

  function showStep(next: "password" | "code") {
    setStep(next);
    setCode("");
    setFailure(undefined);
  }

  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Logo size={32} /> Footprint
        </div>
        <Title order={1} size="h2" mb="md">
          Sign-In
        </Title>
        {problem && <SessionProblem problem={problem} onCheck={onCheck} />}
        {hasEnded && !problem && (
          <Alert role="status" mb="md" py={8}>
            Your session has ended.
          </Alert>
        )}
        <form onSubmit={submit}>
          <Stack gap="md">
            {step === "password" ? (
              <>
                <TextInput
                  label="Username"
                  name="username"
                  autoComplete="username"
                  autoCapitalize="none"
                  spellCheck={false}
                  autoFocus
                  required
                  value={username}
                  onChange={(event) => setUsername(event.currentTarget.value)}
                />
                <PasswordInput
                  ref={secret}
                  label="Passcode"
                  name="password"
                  autoComplete="current-password"
                  required
                  value={password}
                  onChange={(event) => setPassword(event.currentTarget.value)}
                />
              </>
            ) : (
              <CodeField ref={secret} value={code} onChange={(event) => setCode(event.currentTarget.value)} />
            )}
            {failure && (
              <Alert color="red" role="alert" py={8}>
                {failure}
              </Alert>
            )}
            <Button ref={button} type="submit" fullWidth disabled={working}>
              {working ? "Signing in…" : "Sign in"}
            </Button>
            {canUsePasskeys() && (step === "password" || passkeyAccepted) && (
              <Button variant="default" fullWidth disabled={working} onClick={usePasskey}>
                {step === "password" ? "Sign in with a passkey" : "Use a passkey"}
              </Button>
            )}
            {step === "code" && (
              <Button
                variant="default"
                fullWidth
                disabled={working}
                // It appears where Sign in was: a double click there must not press it.
                onClick={(event) => event.detail < 2 && showStep("password")}
              >
                Back
              </Button>
            )}
          </Stack>
        </form>
      </div>
    </main>
  );
}

/** The session may still be good: if a check succeeds, the panel opens. */
function SessionProblem({ problem, onCheck }: { problem: string; onCheck: () => Promise<void> }) {
  const [working, setWorking] = useState(false);
  async function retry() {
    if (working) return;
    setWorking(true);
    await onCheck();
    setWorking(false);
  }
  return (
    <Alert color="red" role="alert" mb="md" title="Your session could not be checked">
      {problem}
      <Button mt="sm" variant="default" fullWidth onClick={retry} aria-disabled={working} data-disabled={working}>
        {working ? "Checking…" : "Retry"}
      </Button>
    </Alert>
  );
}
