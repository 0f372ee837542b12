import type { Id } from "react-toastify/unstyled";

const mostSuccesses = 3;
const successes: Id[] = [];

/** A toast, top right, for five seconds. Of many successes the newest are shown; they never hide a failure. */
export async function notify(kind: "info" | "success" | "warning" | "error" | "default", message: string) {
  const { toast } = await import("react-toastify/unstyled");
  const id = toast(message, { type: kind });
  if (kind !== "success") return;
  successes.push(id);
  if (successes.length > mostSuccesses) toast.dismiss(successes.shift());
}

/** A failure as a toast, and in the console. */
export function notifyError(error: Error): void {
  console.error(error);
  notify("error", error.message);
}
