import { session } from "@footprint/contract/session.ts";
import { Alert, Button, PasswordInput, Stack, TextInput, Title } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { callApi } from "../../shared/api.ts";
import { Logo } from "../../shared/Logo.tsx";
import { storeToken } from "../../shared/token.ts";
import classes from "./SignIn.module.css";

export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<string>();
  const passcode = useRef<HTMLInputElement>(null);

  useEffect(() => {
    document.title = "Sign-In · Footprint";
  }, []);

  async function signIn(event: FormEvent) {
    event.preventDefault();
    if (working) return;
    setWorking(true);
    setFailure(undefined);
    try {
      const { accessToken } = await callApi(session.login, { body: { username, password } });
      storeToken(accessToken);
      window.history.replaceState(null, "", "/");
      onSignedIn();
    } catch (error) {
      console.error(error);
      setFailure(error instanceof Error ? error.message : String(error));
      setWorking(false);
      passcode.current?.focus();
    }
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
        <form onSubmit={signIn}>
          <Stack gap="md">
            <TextInput
              label="Username"
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
              required
              withAsterisk={false}
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordInput
              ref={passcode}
              label="Passcode"
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            {failure && (
              <Alert color="red" role="alert" py={8}>
                {failure}
              </Alert>
            )}
            <Button type="submit" fullWidth disabled={working}>
              {working ? "Signing in…" : "Sign in"}
            </Button>
          </Stack>
        </form>
      </div>
    </main>
  );
}
