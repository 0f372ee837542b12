import * as z from "zod";
import { endpoint, message } from "./endpoint.ts";

export const role = z.enum(["admin", "staff"]);
export type Role = z.output<typeof role>;

/** For setting a password. Signing in accepts any text, so that a wrong one is always just wrong. */
export const newPassword = z
  .string()
  .min(8, "A password has at least 8 characters")
  .max(128, "A password has at most 128 characters");

export const session = {
  login: endpoint({
    method: "POST",
    path: "/api/v1/auth/admin-login",
    access: "public",
    summary: "Sign in",
    body: z.object({ username: z.string().max(200), password: z.string().max(1000) }),
    reply: z.object({ accessToken: z.string() }),
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
    summary: "Change one's own password; the account's other sessions end",
    body: z.object({ oldPassword: z.string().max(1000), newPassword }),
    reply: message,
  }),
};
