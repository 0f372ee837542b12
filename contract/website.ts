import * as z from "zod";
import { download, endpoint, id, idParam, imageTypes, message, timestamp } from "./endpoint.ts";

/** As it travels. The key itself is shown once, when it is created. */
export type ApiKey = z.input<typeof ApiKey>;
export const ApiKey = z.object({
  _id: id,
  name: z.string(),
  /** Its first characters, to tell keys apart. */
  start: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});

export const website = {
  getCashapp: endpoint({
    method: "GET",
    path: "/api/v1/website/get-cashapp",
    access: "admin",
    summary: "The payment-app handle and the path of its QR image",
    reply: z.object({ cashapp: z.object({ cashappId: z.string(), image: z.string().nullable() }) }),
  }),
  updateCashapp: endpoint({
    method: "PUT",
    path: "/api/v1/website/update-cashapp",
    access: "admin",
    summary: "Change the payment-app handle, its QR image, or both",
    body: z.object({
      cashappId: z
        .string()
        .trim()
        .regex(/^\$[A-Za-z][\w-]{0,19}$/, "A handle is $ and up to 20 letters, digits, _ or -, the first a letter")
        .optional(),
    }),
    upload: { field: "image", maxBytes: 2 * 1024 * 1024, types: imageTypes },
    reply: message,
  }),
  listApiKeys: endpoint({
    method: "GET",
    path: "/api/v1/website/api-keys",
    access: "admin",
    summary: "List the keys that shops call with",
    reply: z.object({ keys: z.array(ApiKey) }),
  }),
  createApiKey: endpoint({
    method: "POST",
    path: "/api/v1/website/api-keys",
    access: "admin",
    summary: "Create a key; this is the only time it is shown",
    body: z.object({ name: z.string().trim().min(1, "A key needs a name").max(64) }),
    reply: z.object({ message: z.string(), key: z.string() }),
  }),
  deleteApiKey: endpoint({
    method: "DELETE",
    path: "/api/v1/website/api-keys/:id",
    access: "admin",
    summary: "Delete a key; the shop that uses it is shut out at once",
    params: idParam,
    reply: message,
  }),
  image: endpoint({
    method: "GET",
    path: "/api/v1/website/image/:id",
    access: "public",
    summary: "The QR image; its address changes with its content",
    params: idParam,
    reply: download,
  }),
};
