import type { Role } from "@footprint/contract/session.ts";
import { createBrowserRouter, Navigate, Outlet, type RouteObject } from "react-router";
import { loadMustFirst, rootForStaff, type Screen, screens } from "../screens.tsx";
import { LeavingBlocker } from "../shared/blockLeaving.ts";
import { loadScreen } from "../shared/loadCode.ts";
import type { Session } from "../shared/session.ts";
import { AppError } from "./AppError.tsx";
import { Confirmation } from "./Confirmation.tsx";
import { FallbackPage } from "./FallbackPage.tsx";
import { Layout, LoadingScreen, Toasts } from "./Layout.tsx";

export function createPanelRouter({ role, mustFirst }: Session) {
  if (mustFirst)
    return createBrowserRouter([
      {
        element: (
          <>
            <Outlet />
            <Confirmation />
            <LeavingBlocker />
            <Toasts />
          </>
        ),
        ErrorBoundary: FallbackPage,
        children: [{ path: "*", lazy: { Component: () => loadScreen(loadMustFirst) } }],
      },
    ]);
  return createBrowserRouter([
    {
      Component: Layout,
      ErrorBoundary: FallbackPage,
      children: [
        {
          // The layout stays when a screen fails.
          ErrorBoundary: FallbackPage,
          HydrateFallback: LoadingScreen,
          children: [
            ...screens.map((screen) => routeOf(screen, role)),
            { path: "*", element: <AppError message="404 Not Found" canReload={false} /> },
          ],
        },
      ],
    },
  ]);
}

function routeOf(screen: Screen, role: Role): RouteObject {
  const { path, access, redirect = "/orders" } = screen;
  const allowed = access === "all" || role === "admin";
  if (!allowed && path !== "/") return { path, element: <Navigate to={redirect} replace /> };
  // No redirect at the root: staff see another screen there.
  const shown = allowed ? screen : (screens.find((other) => other.path === rootForStaff) ?? screen);
  return { path, lazy: { Component: () => loadScreen(shown.load) } };
}
