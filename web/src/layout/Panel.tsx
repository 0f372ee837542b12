import "../shared/components.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { RouterProvider } from "react-router/dom";
import { LeavingContext } from "../shared/leaving.ts";
import { queryClient } from "../shared/queries.ts";
import { useSession } from "../shared/session.ts";
import { createPanelRouter } from "./router.tsx";
import "./Panel.css";

/** Everything behind Sign-In. */
export function Panel() {
  const session = useSession();
  const [router] = useState(() => createPanelRouter(session));
  // Asks the router itself, since components hear of it a moment later.
  const isLeaving = (pathname: string) =>
    router.state.navigation.state !== "idle" || router.state.location.pathname !== pathname;
  const isHeldUp = session.mustFirst !== null;
  useEffect(() => {
    if (isHeldUp) return;
    // After the screen, since everything works without it.
    const live = import("../shared/live.ts").then(({ startLive }) => startLive(queryClient));
    live.catch(() => {});
    return () => void live.then((stop) => stop()).catch(() => {});
  }, [isHeldUp]);
  return (
    <QueryClientProvider client={queryClient}>
      <LeavingContext value={isLeaving}>
        <RouterProvider router={router} />
      </LeavingContext>
    </QueryClientProvider>
  );
}
