import type { Endpoint, Input } from "@footprint/contract/endpoint.ts";
import { ApiError, request } from "./api.ts";

/** Fetches a file with the session's token and saves it under the name that the server gives it. */
export async function downloadFile<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<void> {
  const response = await request(endpoint, input);
  const file = await response.blob().catch(() => {
    throw new ApiError(0, "The download broke off. Try again.");
  });
  saveFile(file, nameIn(response.headers.get("content-disposition") ?? ""));
}

/** Lets the browser save a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads the file after the click has returned.
  setTimeout(URL.revokeObjectURL, 60_000, link.href);
}

/** The name in a Content-Disposition header (RFC 6266): the full one if there is one, else the ASCII one. */
function nameIn(disposition: string): string {
  const whole = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (whole) return decodeURIComponent(whole);
  return /filename="([^"]+)"/i.exec(disposition)?.[1] ?? "file";
}
