import { Alert } from "@mantine/core";

export type FormAlertContent = { kind: "success" | "failure"; message: string };

/** What became of a call, in its place. */
export function FormAlert({ alert }: { alert: FormAlertContent | undefined }) {
  if (!alert) return null;
  return (
    <Alert color={alert.kind === "success" ? "green" : "red"} role="alert" py={8}>
      {alert.message}
    </Alert>
  );
}
