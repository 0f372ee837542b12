import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, idParam, message, oneLine, timestamp, visibleCharacter } from "./schemas.ts";

/** The list screens, by their paths in the panel. */
export const viewScreens = [
  "orders",
  "bulk-orders",
  "fedex",
  "users",
  "new-users",
  "invoices",
  "transfers",
  "usps",
  "staff",
  "logs",
  "unusual",
  "approvals",
] as const;
/** Screens for administrators only. */
export const adminScreens: readonly string[] = ["usps", "staff", "logs", "unusual"];
export const viewScreen = z.enum(viewScreens);
export type ViewScreen = z.infer<typeof viewScreen>;

/** Most views of an account per screen. */
export const mostViews = 20;

/** A list's search and filters, saved under a name. */
export type View = z.input<typeof View>;
const View = z.object({
  _id: id,
  screen: viewScreen,
  name: z.string(),
  /** As in the address, without the question mark. */
  query: z.string(),
  shared: z.boolean(),
  /** Whether it belongs to the caller. */
  own: z.boolean(),
  by: z.object({ username: z.string() }),
  createdAt: timestamp,
});

const content = {
  name: z
    .string()
    .trim()
    .max(40, "A name has at most 40 characters")
    .regex(visibleCharacter, "Enter a name")
    .regex(oneLine, "A name is one line of text"),
  query: z
    .string()
    .max(1_000, "What a view shows fits in 1,000 characters")
    .regex(/^[\w%&=+.~*!'(),:;/@$[\]-]*$/, "This is the query of an address, without its question mark"),
  shared: z.boolean(),
};

export const views = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/views",
    access: "staff",
    summary: "List the caller's own views of a screen and those that are shared, oldest first",
    query: z.object({ screen: viewScreen }),
    reply: z.object({ views: z.array(View) }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/views",
    access: "staff",
    summary: "Keep a view of a screen under a name; administrators may share it with everybody",
    body: z.object({ screen: viewScreen, ...content, shared: content.shared.default(false) }),
    reply: message.extend({ view: View }),
  }),
  update: endpoint({
    method: "PUT",
    path: "/api/v1/views/:id",
    access: "staff",
    summary: "Rename, change or share a view: one's own, or for administrators any that is shared",
    params: idParam,
    body: z.object(content).partial(),
    reply: message.extend({ view: View }),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/v1/views/:id",
    access: "staff",
    summary: "Delete a view: one's own, or for administrators any that is shared",
    params: idParam,
    reply: message,
  }),
};
