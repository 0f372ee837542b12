import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** Something to check before going on. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <Alert color="orange" role="status" py={8} icon={<IconAlertTriangle size={16} aria-hidden />}>
      {children}
    </Alert>
  );
}
