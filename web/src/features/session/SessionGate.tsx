import { session } from "@footprint/contract/session.ts";
import { Loader, Stack } from "@mantine/core";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { ApiError, callApi, unreadable } from "../../shared/api.ts";
import { type Session, SessionContext } from "../../shared/session.ts";
import { readToken } from "../../shared/token.ts";
import { SignIn } from "./SignIn.tsx";

type Gate = "checking" | { session: Session } | SignedOut;
/** `problem`: why the session at hand could not be checked. It may well be a good one, so its cookie stays. */
type SignedOut = { problem?: string };

/** Stands before everything: without a session there is only Sign-In, on any path. */
export function SessionGate({ onCheck, children }: { onCheck: () => void; children: ReactNode }) {
  const [gate, setGate] = useState<Gate>(() => (readToken() ? "checking" : {}));

  const check = useCallback(async () => {
    // What a session will need loads beside the check, not after it.
    onCheck();
    const token = readToken();
    try {
      const found = await callApi(session.access, {});
      if (!found.role) throw unreadable(200);
      // Who signed in meanwhile is asked about by the sign-in itself.
      if (readToken() === token) setGate({ session: found });
    } catch (error) {
      // After a 401 the page is already on its way to the root, where it finds no token.
      if (error instanceof ApiError && error.status === 401) return;
      console.error(error);
      setGate({ problem: error instanceof Error ? error.message : String(error) });
    }
  }, [onCheck]);

  useEffect(() => {
    if (readToken()) void check();
  }, [check]);

  const isUnknown = gate !== "checking" && "problem" in gate;
  useCheckWhenLookedAt(isUnknown ? check : undefined);
  useSameAccount(typeof gate === "object" && "session" in gate ? gate.session : undefined);

  if (gate === "checking") {
    return (
      <Stack align="center" justify="center" mih="100dvh">
        <Loader aria-label="Loading" role="status" />
      </Stack>
    );
  }
  if ("session" in gate) return <SessionContext value={gate.session}>{children}</SessionContext>;
  return <SignIn problem={gate.problem} onCheck={check} />;
}

/** A session that could not be checked is checked again when somebody comes back to the page, or the network does. */
function useCheckWhenLookedAt(check: (() => Promise<void>) | undefined) {
  useEffect(() => {
    if (!check) return;
    const look = () => void check();
    window.addEventListener("focus", look);
    window.addEventListener("online", look);
    return () => {
      window.removeEventListener("focus", look);
      window.removeEventListener("online", look);
    };
  }, [check]);
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
