import { isRouteErrorResponse, useRouteError } from "react-router";
import { AppError } from "./AppError.tsx";

/** For errors while loading or drawing a screen. */
export function FallbackPage() {
  const error = useRouteError();
  if (isRouteErrorResponse(error)) return <AppError message={`${error.status} ${error.statusText}`} canReload />;
  return <AppError message={error instanceof Error ? error.message : String(error)} canReload />;
}
