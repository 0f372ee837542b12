import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { PasskeyAnswer } from "./passkeys.ts";
import { id, idParam, listQuery, message, pageCounts, timestamp } from "./schemas.ts";

export const role = z.enum(["admin", "staff"]);
export type Role = z.output<typeof role>;

export const passwordRule = "8 to 128 characters";
/** A new password. Sign-in accepts any text, so that every wrong password gets the same answer. */
export const newPassword = z
  .string()
  .min(8, "A password has at least 8 characters")
  .max(128, "A password has at most 128 characters");

/** A code of the authenticator app, or a recovery code. */
const code = z.string().trim().max(100);
/** Given to a browser when it signs in. */
const deviceToken = z.string().max(100);
/** A passkey always works instead of a code. */
const secondStep = { code: code.optional(), passkey: PasskeyAnswer.optional() };
const passwordAndSecondStep = z.object({ password: z.string().max(1000), ...secondStep });

/** What a session has to do before anything else. */
export const mustFirst = z.enum(["password", "two-step"]);
export type MustFirst = z.output<typeof mustFirst>;

export type OpenSession = z.input<typeof OpenSession>;
export const OpenSession = z.object({
  _id: id,
  device: z.string(),
  address: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  /** How many sign-ins to this account had failed since the last successful one. */
  failuresBefore: z.int(),
  /** The device was new to the account. */
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
  /** The device was new to the account. */
  newDevice: z.boolean(),
  /** Not a sign-in: an open session had to prove its owner again, and failed. */
  whileSignedIn: z.boolean(),
  /** The session that it opened or was tried in, while that exists; and whether it is the calling one. */
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
      /** To be sent with the next sign-in: a known device does not have to wait while strangers guess. */
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
      /** Until this is done, everything else is refused with 403. */
      mustFirst: mustFirst.nullable(),
      /** The timezone of "today" in the panel. */
      timezone: z.string(),
      /** Whether the database holds the demo business. */
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
