import type { Role } from "@footprint/contract/session.ts";
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { rootForStaff, type Screen, screens } from "../screens.tsx";
import { lazyScreen } from "../shared/lazyScreen.ts";
import { AppError } from "./AppError.tsx";
import { FallbackPage } from "./FallbackPage.tsx";
import { Layout, LoadingScreen } from "./Layout.tsx";

export function createPanelRouter(role: Role) {
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
  // The root has no redirect: staff see another screen there.
  const shown = allowed ? screen : (screens.find((other) => other.path === rootForStaff) ?? screen);
  return { path, lazy: { Component: () => lazyScreen(shown.load) } };
}
