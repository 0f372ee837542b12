import "../shared/components.css";
import "react-toastify/ReactToastify.css";
import { useComputedColorScheme } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { RouterProvider } from "react-router/dom";
import { ToastContainer } from "react-toastify/unstyled";
import { LeavingContext } from "../shared/leaving.ts";
import { queryClient } from "../shared/queries.ts";
import { useSession } from "../shared/session.ts";
import { createPanelRouter } from "./router.tsx";
import "./Panel.css";

/** Everything behind Sign-In. */
export function Panel() {
  const { role } = useSession();
  const [router] = useState(() => createPanelRouter(role));
  // Asked of the router itself: what it tells components comes a moment later.
  const isLeaving = (pathname: string) =>
    router.state.navigation.state !== "idle" || router.state.location.pathname !== pathname;
  const scheme = useComputedColorScheme();
  return (
    <QueryClientProvider client={queryClient}>
      <LeavingContext value={isLeaving}>
        <RouterProvider router={router} />
      </LeavingContext>
      <ToastContainer position="top-right" autoClose={5000} theme={scheme} aria-label="Notifications" />
    </QueryClientProvider>
  );
}
