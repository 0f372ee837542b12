import * as z from "zod";
import { endpoint, imageTypes, scopes } from "./endpoint.ts";
import { download, id, idParam, message, money, timestamp, visibleCharacter } from "./schemas.ts";

const keyName = z
  .string()
  .normalize("NFKC")
  .trim()
  .min(1, { error: "A key needs a name", abort: true })
  .max(64, "A name has at most 64 characters")
  .regex(
    /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u1680\u2800]*$/u,
    "A name may not contain line breaks, control or invisible characters",
  )
  .regex(visibleCharacter, "A key needs a name");

const expiresAt = timestamp.refine(
  (date) => date.getUTCFullYear() >= 2000 && date.getUTCFullYear() <= 9999,
  "A key expires between the years 2000 and 9999",
);

const network = z
  .union(
    [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
    "Give addresses such as 203.0.113.7 or ranges such as 203.0.113.0/24",
  )
  // Whoever calls from there has an IPv4 address.
  .refine((given) => !/^::ffff:/i.test(given), "Write an IPv4 address without ::ffff: before it");

/** What a key may do. */
const limits = {
  scopes: z.array(z.enum(scopes)).min(1, "Choose what the key is for").max(scopes.length),
  /** The most it may mark as paid in a business day. */
  depositsPerDay: money
    .refine((cents) => cents > 0, "A limit is more than 0")
    .refine((cents) => cents <= 100_000_000_000, "A limit is at most 1,000,000,000.00")
    .nullable(),
  expiresAt: expiresAt.nullable(),
  /** Where it may be used; empty for everywhere. */
  addresses: z.array(network).max(50, "A key has at most 50 addresses"),
};

/** The key itself is shown once, when it is created. */
export type ApiKey = z.input<typeof ApiKey>;
export const ApiKey = z.object({
  _id: id,
  name: z.string(),
  /** Its first characters, to tell keys apart. */
  start: z.string(),
  shop: z.object({ _id: id, name: z.string() }),
  /** False for an old key that may see and change the data of all shops. */
  isBounded: z.boolean(),
  ...limits,
  expiresAt: timestamp.nullable(),
  addresses: z.array(z.string()),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});

/** What a staff account may do at most; null for any amount. */
export type StaffLimits = z.input<typeof StaffLimits>;
const limit = money
  .refine((cents) => cents >= 0, "A limit is not negative")
  .refine((cents) => cents <= 100_000_000_000, "A limit is at most 1,000,000,000.00")
  .nullable();
export const StaffLimits = z.object({
  staffCredit: limit,
  staffCreditPerDay: limit,
  staffRefund: limit,
  staffRefundPerDay: limit,
});

export const handleRule = "$ and up to 20 letters, digits, _ or -, the first a letter";

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
        .regex(/^\$[A-Za-z][\w-]{0,19}$/, `A handle is ${handleRule}`)
        .optional(),
    }),
    upload: { field: "image", maxBytes: 2 * 1024 * 1024, types: imageTypes },
    reply: message,
  }),
  limits: endpoint({
    method: "GET",
    path: "/api/v1/website/limits",
    access: "admin",
    summary: "The largest credit and refund a staff account may make, at once and in a business day",
    reply: z.object({ limits: StaffLimits }),
  }),
  updateLimits: endpoint({
    method: "PUT",
    path: "/api/v1/website/limits",
    access: "admin",
    summary: "Change what staff accounts may credit and refund; null allows any amount, what is not given stays",
    body: StaffLimits.partial(),
    reply: message,
  }),
  listApiKeys: endpoint({
    method: "GET",
    path: "/api/v1/website/api-keys",
    access: "admin",
    summary: "List the keys that shops call with",
    reply: z.object({
      keys: z.array(ApiKey),
      /** All shops, also those without a key. */
      shops: z.array(z.object({ _id: id, name: z.string(), createdAt: timestamp })),
    }),
  }),
  createApiKey: endpoint({
    method: "POST",
    path: "/api/v1/website/api-keys",
    access: "admin",
    summary: "Create a key; this is the only time it is shown. Without a shop it gets one of its own",
    body: z.object({
      name: keyName,
      shop: id.optional(),
      scopes: limits.scopes.default([...scopes]),
      depositsPerDay: limits.depositsPerDay.default(null),
      expiresAt: limits.expiresAt.default(null),
      addresses: limits.addresses.default([]),
    }),
    reply: z.object({ message: z.string(), key: z.string() }),
  }),
  updateApiKey: endpoint({
    method: "PUT",
    path: "/api/v1/website/api-keys/:id",
    access: "admin",
    summary: "Change a key's name or limits; what is not given stays",
    params: idParam,
    body: z.object({ name: keyName, ...limits }).partial(),
    reply: message,
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
