import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { id, idParam, listQuery, message, pageCounts, timestamp } from "./schemas.ts";
import { newPassword } from "./session.ts";

export const usernamePattern = /^[A-Za-z0-9._-]{3,32}$/;
export const usernameRule = "3 to 32 letters, digits, dots, underscores or hyphens";
export const username = z.string().trim().regex(usernamePattern, `A username has ${usernameRule}`);

/** Names that could be mistaken for the program itself in the log. */
export const isReservedName = (name: string) =>
  /^(system|terminal|footprint|housekeeping|nobody|unknown)$/i.test(name.replace(/[\s._-]/g, ""));

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
});

/** An account, administrators included, with failed sign-ins in the last hour. */
const GuessedAt = z.object({ _id: id, username: z.string(), failedSignIns: z.int(), addresses: z.int() });

const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/staff/read",
  access: "admin",
  summary: "List staff accounts",
  query: listQuery,
  reply: z.object({ staff: z.array(StaffMember), guessedAt: z.array(GuessedAt), ...pageCounts }),
});

export const staff = {
  list,
  export: exportOf(list),
  create: endpoint({
    method: "POST",
    path: "/api/v1/admin/staff/create",
    access: "admin",
    summary: "Create a staff account",
    body: z.object({ username, password: newPassword }),
    reply: message,
  }),
  update: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/update/:id",
    access: "admin",
    summary: "Change a staff account",
    params: idParam,
    body: z.object({ username, chatId: z.string().trim().max(64), notificationAccess: z.boolean() }).partial(),
    reply: message,
  }),
  resetTwoStep: endpoint({
    method: "PUT",
    path: "/api/v1/admin/staff/reset-two-step/:id",
    access: "admin",
    summary: "Turn two-step sign-in off for a staff account and end its sessions",
    params: idParam,
    reply: message,
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/v1/admin/staff/delete/:id",
    access: "admin",
    summary: "Delete a staff account and end its sessions",
    params: idParam,
    reply: message,
  }),
};
