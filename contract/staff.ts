import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { ChatMessage, chatProvider, noticeKind } from "./notices.ts";
import { id, idParam, listQuery, message, oneLine, pageCounts, reason, timestamp } from "./schemas.ts";
import { newPassword, OpenSession, role, signInList } from "./session.ts";
import { saved, version } from "./versions.ts";

export const usernamePattern = /^[A-Za-z0-9._-]{3,32}$/;
export const usernameRule = "3 to 32 letters, digits, dots, underscores or hyphens";
export const username = z.string().trim().regex(usernamePattern, `A username has ${usernameRule}`);

/** Names that could be mistaken for the program itself in the log. */
export const isReservedName = (name: string) =>
  /^(system|terminal|footprint|housekeeping|nobody|unknown)$/i.test(name.replace(/[\s._-]/g, ""));

const hour = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Give a time such as 22:00");
/** No messages between these times of the day, in the business's timezone; may span midnight. */
export type QuietHours = z.output<typeof quietHours>;
const quietHours = z
  .object({ from: hour, to: hour })
  .refine(({ from, to }) => from !== to, { path: ["to"], error: "Quiet hours end at another time than they begin" });

/** The kinds of messages that an account gets; null for all that it may see. */
const messageKinds = z.array(noticeKind).max(noticeKind.options.length);

export type StaffMember = z.input<typeof StaffMember>;
export const StaffMember = z.object({
  _id: id,
  username: z.string(),
  role: z.string(),
  chatId: z.string(),
  notificationAccess: z.boolean(),
  twoStep: z.boolean(),
  /** In the last hour. */
  failedSignIns: z.int(),
  createdAt: timestamp,
  /** To the minute; null for accounts that never signed in. */
  lastSeenAt: timestamp.nullable(),
  /** Since when the account cannot sign in, and why. */
  suspendedAt: timestamp.nullable(),
  suspendedBecause: z.string(),
  /** The password was made by an administrator, and not changed yet. */
  passwordTemporary: z.boolean(),
  messageKinds: messageKinds.nullable(),
  quietHours: quietHours.nullable(),
  /** Covers username, chatId, notificationAccess, messageKinds and quietHours. */
  version,
});

/** Who must sign in with a second step. */
export const twoStepRequired = z.enum(["nobody", "administrators", "everybody"]);
export type TwoStepRequired = z.output<typeof twoStepRequired>;

/** An account (administrators included) with failed sign-ins in the last hour. */
const GuessedAt = z.object({ _id: id, username: z.string(), failedSignIns: z.int(), addresses: z.int() });

const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/staff/read",
  access: "admin",
  summary: "List staff accounts, or with `role` administrators",
  query: listQuery.extend({ role: role.default("staff") }),
  reply: z.object({ staff: z.array(StaffMember), guessedAt: z.array(GuessedAt), ...pageCounts }),
});

const act = { access: "admin", sensitive: true, params: idParam, reply: message } as const;

/** These calls also work on administrators' accounts; those that end sessions or rights never on the caller's own. */
export const staff = {
  list,
  export: exportOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/staff/read/:id",
    access: "admin",
    summary: "Read one account",
    params: idParam,
    reply: z.object({ member: StaffMember }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/admin/staff/create",
    access: "admin",
    sensitive: true,
    summary: "Create a staff account, or with `role` an administrator",
    body: z.object({ username, password: newPassword, role: role.default("staff") }),
    reply: message,
  }),
  update: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/update/:id",
    ...act,
    summary: "Change an account",
    body: z
      .object({
        username,
        chatId: z.string().trim().max(64).regex(oneLine, "A chat id is one line of text"),
        notificationAccess: z.boolean(),
        messageKinds: messageKinds.transform((kinds) => [...new Set(kinds)]).nullable(),
        quietHours: quietHours.nullable(),
      })
      .partial(),
    versioned: true,
    idempotent: true,
    reply: saved,
  }),
  changeRole: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/role/:id",
    ...act,
    summary: "Make a staff account an administrator, or the other way round, and end its sessions",
    body: z.object({ role }),
  }),
  resetPassword: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/reset-password/:id",
    ...act,
    summary:
      "Give an account a new password, to be changed at the first sign-in, and end its sessions; shown only here; 409 if a colleague just did",
    /** The state that the caller saw: if it has changed, somebody else has given the account a password. */
    body: StaffMember.pick({ passwordTemporary: true }).partial(),
    reply: message.extend({ password: z.string() }),
  }),
  resetTwoStep: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/reset-two-step/:id",
    ...act,
    summary: "Turn two-step sign-in off for an account and end its sessions",
  }),
  suspend: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/suspend/:id",
    ...act,
    summary: "Let nobody sign in with an account, and end its sessions; all else of it stays",
    body: z.object({ reason }),
  }),
  resume: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/resume/:id",
    ...act,
    summary: "Let a suspended account sign in again",
    body: z.object({ reason }),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/v1/admin/staff/delete/:id",
    ...act,
    summary: "Delete an account and end its sessions",
    versioned: true,
  }),
  sessions: endpoint({
    method: "GET",
    path: "/api/v1/admin/staff/sessions/:id",
    access: "admin",
    summary: "List the open sessions of an account, the last used first",
    params: idParam,
    reply: z.object({ sessions: z.array(OpenSession) }),
  }),
  endSessions: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/end-sessions/:id",
    ...act,
    summary: "Sign an account out everywhere, or where `session` names one of its sessions, there",
    body: z.object({ session: id.optional() }),
  }),
  signIns: endpoint({
    method: "GET",
    path: "/api/v1/admin/staff/sign-ins/:id",
    access: "admin",
    summary: "List an account's sign-ins of the last 90 days and those that failed, newest first",
    params: idParam,
    ...signInList,
  }),
  messages: endpoint({
    method: "GET",
    path: "/api/v1/admin/staff/messages/:id",
    access: "admin",
    summary: "The last messages that an account was sent, and what sends them; `provider` is null where none is set up",
    params: idParam,
    reply: z.object({ provider: chatProvider.nullable(), messages: z.array(ChatMessage) }),
  }),
  testMessage: endpoint({
    method: "POST",
    path: "/api/v1/admin/staff/test-message/:id",
    access: "staff",
    summary: "Send an account a message at once, and tell what the provider answered; staff do this for their own",
    params: idParam,
    takesLong: true,
    reply: message.extend({ sent: z.boolean(), status: z.int().nullable(), answer: z.string() }),
  }),
  twoStepRequired: endpoint({
    method: "GET",
    path: "/api/v1/website/two-step-required",
    access: "admin",
    summary: "Who has to sign in with a second step, and how many accounts have none",
    reply: z.object({
      twoStepRequired,
      /** Accounts that are not suspended. */
      without: z.object({ administrators: z.int(), staff: z.int() }),
    }),
  }),
  updateTwoStepRequired: endpoint({
    method: "PUT",
    path: "/api/v1/website/two-step-required",
    access: "admin",
    sensitive: true,
    summary: "Change who has to sign in with a second step; who has none sets it up before anything else",
    body: z.object({ twoStepRequired }),
    reply: message,
  }),
};
