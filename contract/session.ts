import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { PasskeyAnswer } from "./passkeys.ts";
import { id, idParam, listQuery, message, pageCounts, timestamp } from "./schemas.ts";

export const role = z.enum(["admin", "staff"]);
export type Role = z.output<typeof role>;

export const passwordRule = "8 to 128 characters";
/** A password to be set. Signing in takes any text, so that a wrong password is answered like any other. */
export const newPassword = z
  .string()
  .min(8, "A password has at least 8 characters")
  .max(128, "A password has at most 128 characters");

/** A code of the authenticator app, or a recovery code. */
const code = z.string().trim().max(100);
/** Given to a browser when it signs in. */
const deviceToken = z.string().max(100);
/** A passkey will do instead of a code, whatever is asked for. */
const secondStep = { code: code.optional(), passkey: PasskeyAnswer.optional() };
const passwordAndSecondStep = z.object({ password: z.string().max(1000), ...secondStep });

/** What a session has to do before anything else is done with it. */
export const mustFirst = z.enum(["password", "two-step"]);
export type MustFirst = z.output<typeof mustFirst>;

export type OpenSession = z.input<typeof OpenSession>;
export const OpenSession = z.object({
  _id: id,
  device: z.string(),
  address: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  /** How many sign-ins with this account had failed since the previous one. */
  failuresBefore: z.int(),
  /** It was opened on a device that the account did not know. */
  newDevice: z.boolean(),
  /** The session that makes this call. */
  current: z.boolean(),
});

export const signInOutcome = z.enum(["signed in", "wrong password", "wrong code", "suspended"]);

export type SignIn = z.input<typeof SignIn>;
const SignIn = z.object({
  _id: id,
  outcome: signInOutcome,
  device: z.string(),
  address: z.string(),
  /** The account had not signed in on it before. */
  newDevice: z.boolean(),
  /** It was no sign-in: an open session had to show again that it is its owner, and failed. */
  whileSignedIn: z.boolean(),
  /** The session that it opened or was tried in, while that lasts; and whether it is the one that makes this call. */
  session: z.object({ _id: id, current: z.boolean() }).nullable(),
  createdAt: timestamp,
});

/** An account's sign-ins, newest first. */
export const signInList = {
  query: listQuery.pick({ page: true, limit: true }),
  reply: z.object({ signIns: z.array(SignIn), ...pageCounts }),
};

export const session = {
  login: endpoint({
    method: "POST",
    path: "/api/v1/auth/admin-login",
    access: "public",
    summary: "Sign in; a 401 with codeRequired asks for the same call with a code, or a passkey where one is accepted",
    body: z.object({
      username: z.string().max(200),
      password: z.string().max(1000),
      ...secondStep,
      deviceToken: deviceToken.optional(),
    }),
    reply: z.object({
      accessToken: z.string(),
      /** To be sent with the next sign-in: a known device need not wait while others guess the password. */
      deviceToken,
    }),
  }),
  access: endpoint({
    method: "GET",
    path: "/api/v1/auth/admin-access",
    access: "staff",
    summary: "Who is signed in",
    reply: z.object({
      role,
      username: z.string(),
      /** Everything else is refused with 403 until this is done. */
      mustFirst: mustFirst.nullable(),
      /** What "today" means in the panel. */
      timezone: z.string(),
      /** The business in the database is the demo. */
      demo: z.boolean(),
    }),
  }),
  logout: endpoint({
    method: "POST",
    path: "/api/v1/auth/logout",
    access: "staff",
    summary: "Sign out: the token is worth nothing afterwards",
    reply: message,
  }),
  confirm: endpoint({
    method: "POST",
    path: "/api/v1/auth/confirm",
    access: "staff",
    summary: "Show again that it is you: sensitive calls then work for 30 minutes, as after signing in",
    body: z.object({ password: z.string().max(1000).optional(), passkey: PasskeyAnswer.optional() }),
    reply: message,
  }),
  changePassword: endpoint({
    method: "POST",
    path: "/admin/changePassword",
    access: "staff",
    summary:
      "Change one's own password; the account's other sessions end. With two-step sign-in it takes a code or a passkey",
    body: z.object({ oldPassword: z.string().max(1000), newPassword, ...secondStep }),
    reply: message,
  }),
  twoStep: endpoint({
    method: "GET",
    path: "/api/v1/auth/two-step",
    access: "staff",
    summary: "Whether one's own account has two-step sign-in",
    reply: z.object({ onSince: timestamp.nullable(), recoveryCodesLeft: z.int() }),
  }),
  beginTwoStep: endpoint({
    method: "POST",
    path: "/api/v1/auth/two-step/begin",
    access: "staff",
    summary: "Get a secret for the authenticator app; it counts once a code confirms it",
    body: z.object({ password: z.string().max(1000) }),
    reply: z.object({ secret: z.string(), uri: z.string() }),
  }),
  confirmTwoStep: endpoint({
    method: "POST",
    path: "/api/v1/auth/two-step/confirm",
    access: "staff",
    sensitive: true,
    summary: "Turn two-step sign-in on with a first code; the account's other sessions end",
    body: z.object({ code }),
    reply: z.object({ recoveryCodes: z.array(z.string()) }),
  }),
  disableTwoStep: endpoint({
    method: "POST",
    path: "/api/v1/auth/two-step/disable",
    access: "staff",
    summary: "Turn codes of the authenticator app off; passkeys stay; the account's other sessions end",
    body: passwordAndSecondStep,
    reply: message,
  }),
  newRecoveryCodes: endpoint({
    method: "POST",
    path: "/api/v1/auth/two-step/recovery-codes",
    access: "staff",
    summary: "Get new recovery codes; those of before are worth nothing afterwards",
    body: passwordAndSecondStep,
    reply: z.object({ recoveryCodes: z.array(z.string()) }),
  }),
  sessions: endpoint({
    method: "GET",
    path: "/api/v1/auth/sessions",
    access: "staff",
    summary: "List one's own open sessions, the last used first",
    reply: z.object({ sessions: z.array(OpenSession) }),
  }),
  endSession: endpoint({
    method: "DELETE",
    path: "/api/v1/auth/sessions/:id",
    access: "staff",
    summary: "Sign out one of one's own sessions",
    params: idParam,
    reply: message,
  }),
  signIns: endpoint({
    method: "GET",
    path: "/api/v1/auth/sign-ins",
    access: "staff",
    summary: "List one's own sign-ins of the last 90 days and those that failed, newest first",
    ...signInList,
  }),
};
