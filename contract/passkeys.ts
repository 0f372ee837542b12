import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, idParam, message, oneLine, timestamp, visibleCharacter } from "./schemas.ts";

const base64url = z
  .string()
  .max(8_000)
  .regex(/^[\w-]+$/, "This is not what a passkey answers");
const credential = { id: base64url.max(1_400), rawId: base64url.max(1_400), type: z.literal("public-key") };

/** A browser's answer when a passkey is used, in WebAuthn's JSON. */
export type PasskeyAnswer = z.output<typeof PasskeyAnswer>;
export const PasskeyAnswer = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
});

/** The same for a passkey that was just made. */
const NewPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(32)).max(10).default([]),
  }),
});

/** The question to the browser, in WebAuthn's JSON. */
const options = z.looseObject({ challenge: z.string() });

const name = z
  .string()
  .trim()
  .max(64, "A name has at most 64 characters")
  .regex(visibleCharacter, "A passkey needs a name")
  .regex(oneLine, "A name is one line of text");

export type Passkey = z.input<typeof Passkey>;
const Passkey = z.object({
  _id: id,
  name: z.string(),
  /** Enough to sign in without the password. */
  replacesPassword: z.boolean(),
  /** Synchronised to its owner's other devices. */
  backedUp: z.boolean(),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});

export const passkeys = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/auth/passkeys",
    access: "staff",
    summary: "List one's own passkeys",
    reply: z.object({ passkeys: z.array(Passkey) }),
  }),
  begin: endpoint({
    method: "POST",
    path: "/api/v1/auth/passkeys/begin",
    access: "staff",
    sensitive: true,
    summary: "Begin to add a passkey: what the browser is to be asked",
    reply: z.object({ options }),
  }),
  add: endpoint({
    method: "POST",
    path: "/api/v1/auth/passkeys",
    access: "staff",
    sensitive: true,
    summary:
      "Add a passkey; as the account's first second step it ends the other sessions, and comes with recovery codes",
    body: z.object({ name, replacesPassword: z.boolean().default(true), passkey: NewPasskey }),
    reply: z.object({ message: z.string(), recoveryCodes: z.array(z.string()) }),
  }),
  update: endpoint({
    method: "PUT",
    path: "/api/v1/auth/passkeys/:id",
    access: "staff",
    sensitive: true,
    summary: "Rename one of one's own passkeys, or say whether it signs in by itself",
    params: idParam,
    body: z.object({ name, replacesPassword: z.boolean() }).partial(),
    reply: message,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/auth/passkeys/:id",
    access: "staff",
    sensitive: true,
    summary: "Remove one of one's own passkeys",
    params: idParam,
    reply: message,
  }),
  /** The same answer for everybody, so that it does not tell who has a passkey. */
  ask: endpoint({
    method: "POST",
    path: "/api/v1/auth/passkeys/ask",
    access: "public",
    summary: "What the browser is to be asked before a passkey is used: to sign in, as second step, to confirm",
    reply: z.object({ options }),
  }),
  signIn: endpoint({
    method: "POST",
    path: "/api/v1/auth/passkeys/sign-in",
    access: "public",
    summary: "Sign in with a passkey alone",
    body: z.object({ passkey: PasskeyAnswer, deviceToken: z.string().max(100).optional() }),
    reply: z.object({ accessToken: z.string(), deviceToken: z.string() }),
  }),
};
