import { Alert } from "@mantine/core";

export type FormAlertContent = { kind: "success" | "failure"; message: string };

/** The result of a call, shown where it was made. */
export function FormAlert({ alert }: { alert: FormAlertContent | undefined }) {
  if (!alert) return null;
  return (
    <Alert color={alert.kind === "success" ? "green" : "red"} role="alert" py={8}>
      {alert.message}
    </Alert>
  );
}
