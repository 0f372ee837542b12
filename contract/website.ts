import * as z from "zod";
import { download, endpoint, idParam, imageTypes, message } from "./endpoint.ts";

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
  image: endpoint({
    method: "GET",
    path: "/api/v1/website/image/:id",
    access: "public",
    summary: "The QR image; its address changes with its content",
    params: idParam,
    reply: download,
  }),
};
