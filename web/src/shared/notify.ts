import { toast } from "react-toastify/unstyled";

/** A toast, top right for five seconds. */
export function notify(kind: "info" | "success" | "warning" | "error" | "default", message: string): void {
  toast(message, { type: kind });
}

/** For failures: `send(...).catch(notifyError)`. */
export function notifyError(error: unknown): void {
  console.error(error);
  notify("error", error instanceof Error ? error.message : String(error));
}
