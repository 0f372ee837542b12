import Cookies from "js-cookie";

const cookie = "footprint";

export const readToken = () => Cookies.get(cookie);

export function storeToken(token: string): void {
  Cookies.set(cookie, token, { path: "/", sameSite: "strict", secure: window.location.protocol === "https:" });
}

/** From the last sign-in: a known device does not have to wait while others guess the password. */
const device = "footprint-device";

export function readDevice(): { deviceToken?: string } {
  try {
    const deviceToken = window.localStorage.getItem(device);
    return deviceToken ? { deviceToken } : {};
  } catch {
    // The browser may be set to store nothing.
    return {};
  }
}

export function storeDevice(token: string): void {
  try {
    window.localStorage.setItem(device, token);
  } catch {}
}

export const removeToken = () => Cookies.remove(cookie, { path: "/" });

/** Kept while the page loads anew, for Sign-In to tell it. */
const ended = "footprint-session-ended";

export function noteSessionEnd(): void {
  try {
    window.sessionStorage.setItem(ended, "yes");
  } catch {}
}

export function hasSessionEnded(): boolean {
  try {
    return window.sessionStorage.getItem(ended) !== null;
  } catch {
    return false;
  }
}

export function forgetSessionEnd(): void {
  try {
    window.sessionStorage.removeItem(ended);
  } catch {}
}
