import { type PasskeyAnswer, passkeys } from "@footprint/contract/passkeys.ts";
import { callApi } from "./api.ts";
import { loadPart } from "./loadCode.ts";

/** Browsers allow passkeys on secure connections only, and for a name rather than an address. */
export const canUsePasskeys = () =>
  window.isSecureContext && "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(window.location.hostname);

const library = () => loadPart(() => import("@simplewebauthn/browser"));

/** Lets the browser use one of the operator's passkeys. */
export async function askPasskey(): Promise<PasskeyAnswer> {
  const { options } = await callApi(passkeys.ask, {});
  const { startAuthentication } = await library();
  const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"];
  return startAuthentication({ optionsJSON }).catch(explain);
}

/** Lets the browser make a new one. */
export async function makePasskey() {
  const { options } = await callApi(passkeys.begin, {});
  const { startRegistration } = await library();
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"];
  return startRegistration({ optionsJSON }).catch(explain);
}

/** Browsers' own messages are written for programmers. */
function explain(error: Error): never {
  if (error.name === "InvalidStateError") throw new Error("This device has a passkey of yours already.");
  if (error.name === "NotAllowedError" || error.name === "AbortError") throw new Error("No passkey was used.");
  throw new Error(`The browser cannot use a passkey here (${error.message}).`);
}
