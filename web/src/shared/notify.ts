import { toast } from "react-toastify/unstyled";

/** A toast, top right for five seconds. */
export function notify(kind: "info" | "success" | "warning" | "error" | "default", message: string): void {
  toast(message, { type: kind });
}

/** A failure as a toast, and in the console. */
export function notifyError(error: Error): void {
  console.error(error);
  notify("error", error.message);
}
