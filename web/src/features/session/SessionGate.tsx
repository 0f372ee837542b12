import { session } from "@footprint/contract/session.ts";
import { Loader, Stack } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { Fragment, type ReactNode, startTransition, useCallback, useEffect, useRef, useState } from "react";
import { ApiError, callApi, unreadable } from "../../shared/api.ts";
import { leavePage } from "../../shared/leavePage.ts";
import { recheckEvent } from "../../shared/recheck.ts";
import { type Session, SessionContext } from "../../shared/session.ts";
import { readToken } from "../../shared/token.ts";
import { SignIn } from "./SignIn.tsx";
import { keepTyped } from "./typedPassword.ts";

type Gate = "checking" | { session: Session } | SignedOut;
/** `problem`: why the session could not be checked. It may still be good, so the cookie is kept. */
type SignedOut = { problem?: string };

/** Shows Sign-In, whatever the path, until there is a session. */
export function SessionGate({ onCheck, children }: { onCheck: () => void; children: ReactNode }) {
  const [gate, setGate] = useState<Gate>(() => (readToken() ? "checking" : {}));

  const check = useCallback(async () => {
    // The panel's code loads during the check, not after it.
    onCheck();
    const token = readToken();
    try {
      const found = await callApi(session.access, {});
      if (!found.role) throw unreadable(200);
      if (found.mustFirst !== "password") keepTyped("");
      // Somebody may have signed in meanwhile; the sign-in makes a check of its own.
      if (readToken() === token) startTransition(() => setGate({ session: found }));
    } catch (error) {
      // A 401 has already sent the page to the root.
      if (error instanceof ApiError && error.status === 401) return;
      console.error(error);
      setGate({ problem: error instanceof Error ? error.message : String(error) });
    }
  }, [onCheck]);

  useEffect(() => {
    if (readToken()) void check();
  }, [check]);

  const isUnknown = gate !== "checking" && "problem" in gate;
  useCheckOnReturn(isUnknown ? check : undefined);
  useWindowEvent(recheckEvent, () => void check());
  useReloadForOtherAccount(typeof gate === "object" && "session" in gate ? gate.session : undefined);

  if (gate === "checking") {
    return (
      <Stack align="center" justify="center" mih="100dvh">
        <Loader aria-label="Loading" role="status" />
      </Stack>
    );
  }
  if ("session" in gate)
    return (
      <SessionContext value={gate.session}>
        {/* What has to be done first has a page of its own, and the panel begins anew after it. */}
        <Fragment key={gate.session.mustFirst}>{children}</Fragment>
      </SessionContext>
    );
  return <SignIn problem={gate.problem} onCheck={check} />;
}

/** Checks again when somebody returns to the page, or the network is back. */
function useCheckOnReturn(check: (() => Promise<void>) | undefined) {
  useWindowEvent("focus", () => void check?.());
  useWindowEvent("online", () => void check?.());
}

/** Reloads this tab if another one has signed out, or in with another account. */
function useReloadForOtherAccount(current: Session | undefined) {
  const known = useRef<string>(undefined);
  useEffect(() => {
    known.current = current && readToken();
  }, [current]);
  async function compare() {
    const token = readToken();
    if (!current || token === known.current || document.hidden) return;
    const { username, role } = token ? await callApi(session.access, {}) : {};
    known.current = token;
    if (username === current.username && role === current.role) return;
    leavePage(() => window.location.reload());
  }
  // If the server does not answer, the next visit to the tab asks again.
  const onReturn = () => void compare().catch(() => {});
  useWindowEvent("focus", onReturn);
  useWindowEvent("visibilitychange", onReturn);
}
