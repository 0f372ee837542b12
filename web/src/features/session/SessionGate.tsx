import { session } from "@footprint/contract/session.ts";
import { Button, Loader, Stack } from "@mantine/core";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { ApiError, callApi } from "../../shared/api.ts";
import { Notice } from "../../shared/Notice.tsx";
import { type Session, SessionContext } from "../../shared/session.ts";
import { readToken } from "../../shared/token.ts";
import { SignIn } from "./SignIn.tsx";

type Gate = "checking" | "signed-out" | { unreachable: string } | { session: Session };

/** Stands before everything: without a session there is only Sign-In, on any path. */
export function SessionGate({ onCheck, children }: { onCheck: () => void; children: ReactNode }) {
  const [gate, setGate] = useState<Gate>(() => (readToken() ? "checking" : "signed-out"));

  const check = useCallback(async () => {
    setGate("checking");
    // What a session will need loads beside the check, not after it.
    onCheck();
    try {
      setGate({ session: await callApi(session.access, {}) });
    } catch (error) {
      // After a 401 the page is already on its way to the root, where it finds no token.
      if (error instanceof ApiError && error.status === 401) return;
      setGate({ unreachable: error instanceof Error ? error.message : String(error) });
    }
  }, [onCheck]);

  useEffect(() => {
    if (readToken()) void check();
  }, [check]);

  useSameAccount(typeof gate === "object" && "session" in gate ? gate.session : undefined);

  if (gate === "signed-out") return <SignIn onSignedIn={check} />;
  if (gate === "checking") {
    return (
      <Stack align="center" justify="center" mih="100dvh">
        <Loader aria-label="Loading" role="status" />
      </Stack>
    );
  }
  if ("unreachable" in gate) {
    return (
      <Stack component="main" justify="center" mih="100dvh">
        <Notice title="Cannot reach the server" hint={gate.unreachable} role="alert" heading>
          <Button onClick={check}>Retry</Button>
        </Notice>
      </Stack>
    );
  }
  return <SessionContext value={gate.session}>{children}</SessionContext>;
}

/** In another tab somebody may have signed out, or in as somebody else: then this one starts anew when it is looked at. */
function useSameAccount(current: Session | undefined) {
  useEffect(() => {
    if (!current) return;
    let known = readToken();
    async function compare() {
      const token = readToken();
      if (token === known || document.hidden) return;
      const { username, role } = token ? await callApi(session.access, {}) : {};
      known = token;
      if (username !== current?.username || role !== current?.role) window.location.reload();
    }
    // A server that does not answer now is asked again at the next look.
    const look = () => void compare().catch(() => {});
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [current]);
}
