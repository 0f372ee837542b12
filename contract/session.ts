import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, idParam, message, timestamp } from "./schemas.ts";

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
const passwordAndCode = z.object({ password: z.string().max(1000), code });

export type OpenSession = z.input<typeof OpenSession>;
const OpenSession = z.object({
  _id: id,
  device: z.string(),
  address: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  /** How many sign-ins with this account had failed since the previous one. */
  failuresBefore: z.int(),
  /** The session that makes this call. */
  current: z.boolean(),
});

export const session = {
  login: endpoint({
    method: "POST",
    path: "/api/v1/auth/admin-login",
    access: "public",
    summary: "Sign in; a 401 with codeRequired asks for the same call with a code, where two-step sign-in is on",
    body: z.object({
      username: z.string().max(200),
      password: z.string().max(1000),
      code: code.optional(),
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
  changePassword: endpoint({
    method: "POST",
    path: "/admin/changePassword",
    access: "staff",
    summary: "Change one's own password; the account's other sessions end. With two-step sign-in it takes a code",
    body: z.object({ oldPassword: z.string().max(1000), newPassword, code: code.optional() }),
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
    summary: "Turn two-step sign-in on with a first code; the account's other sessions end",
    body: z.object({ code }),
    reply: z.object({ recoveryCodes: z.array(z.string()) }),
  }),
  disableTwoStep: endpoint({
    method: "POST",
    path: "/api/v1/auth/two-step/disable",
    access: "staff",
    summary: "Turn two-step sign-in off; the account's other sessions end",
    body: passwordAndCode,
    reply: message,
  }),
  newRecoveryCodes: endpoint({
    method: "POST",
    path: "/api/v1/auth/two-step/recovery-codes",
    access: "staff",
    summary: "Get new recovery codes; those of before are worth nothing afterwards",
    body: passwordAndCode,
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
};
