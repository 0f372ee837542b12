import * as z from "zod";
import { endpoint, imageTypes, scopes } from "./endpoint.ts";
import { author } from "./logs.ts";
import { handlePattern } from "./payment-qr.ts";
import { download, id, idParam, message, money, timestamp, visibleCharacter } from "./schemas.ts";
import { saved, version } from "./versions.ts";

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
  // Callers from there have an IPv4 address.
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
  /** Where it may be used; empty means everywhere. */
  addresses: z.array(network).max(50, "A key has at most 50 addresses"),
};

/** The key itself is shown only once, when it is created. */
export type ApiKey = z.input<typeof ApiKey>;
export const ApiKey = z.object({
  _id: id,
  name: z.string(),
  /** Its first characters, to tell keys apart. */
  start: z.string(),
  shop: z.object({ _id: id, name: z.string() }),
  /** False for an old key, which may see and change the data of all shops. */
  isBounded: z.boolean(),
  ...limits,
  expiresAt: timestamp.nullable(),
  addresses: z.array(z.string()),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});

/** The most that a staff account may do; null means any amount. */
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
  /** Whether amounts above them become requests for approval instead of refusals. */
  approvals: z.boolean(),
});

/** A payment handle and its QR image, as customers saw them at some time. */
export type PaymentHandle = z.input<typeof PaymentHandle>;
const PaymentHandle = z.object({
  _id: id,
  cashappId: z.string(),
  /** The previous handle. */
  previous: z.string(),
  /** The image's name; null if there was none. */
  image: z.string().nullable(),
  /** The texts of the image's QR codes, as far as they could be read. */
  qr: z.array(z.string()),
  /** Warnings with which it was saved. */
  warnings: z.array(z.string()),
  /** Null for the handle from before the history began. */
  by: author.nullable(),
  isCurrent: z.boolean(),
  createdAt: timestamp,
});

const savedHandle = saved.extend({ warnings: z.array(z.string()) });

/** Needed if a QR code pays somebody else; the refusal names the words. */
const confirmation = z.string().max(500).optional();

export const handleRule = "$ and up to 20 letters, digits, _ or -, the first a letter";

export const website = {
  getCashapp: endpoint({
    method: "GET",
    path: "/api/v1/website/get-cashapp",
    access: "admin",
    summary: "The payment-app handle and the path of its QR image",
    reply: z.object({
      cashapp: z.object({
        cashappId: z.string(),
        image: z.string().nullable(),
        /** The texts of the image's QR codes; empty if none could be read. */
        qr: z.array(z.string()),
        warnings: z.array(z.string()),
        version,
      }),
    }),
  }),
  updateCashapp: endpoint({
    method: "PUT",
    path: "/api/v1/website/update-cashapp",
    access: "admin",
    sensitive: true,
    summary:
      "Change the payment-app handle, its QR image, or both. An image whose QR code pays another handle is 409, unless confirmed in the words that the message names",
    body: z.object({
      cashappId: z.string().trim().regex(handlePattern, `A handle is ${handleRule}`).optional(),
      confirmation,
    }),
    upload: { field: "image", maxBytes: 2 * 1024 * 1024, types: imageTypes },
    versioned: true,
    idempotent: true,
    reply: savedHandle,
  }),
  removeCashapp: endpoint({
    method: "POST",
    path: "/api/v1/website/remove-cashapp",
    access: "admin",
    sensitive: true,
    summary: "Remove the QR image, or the payment-app handle with it",
    body: z.object({ remove: z.enum(["image", "handle"]) }),
    versioned: true,
    idempotent: true,
    reply: saved,
  }),
  cashappHistory: endpoint({
    method: "GET",
    path: "/api/v1/website/cashapp-history",
    access: "admin",
    summary: "The handles and images that customers were shown, the newest hundred, with who set them",
    reply: z.object({ history: z.array(PaymentHandle) }),
  }),
  restoreCashapp: endpoint({
    method: "POST",
    path: "/api/v1/website/restore-cashapp/:id",
    access: "admin",
    sensitive: true,
    summary: "Return to an earlier handle and its image; what is refused of a new one is refused of these too",
    params: idParam,
    body: z.object({ confirmation }),
    versioned: true,
    idempotent: true,
    reply: savedHandle,
  }),
  cashappImage: endpoint({
    method: "GET",
    path: "/api/v1/website/cashapp-image/:id",
    access: "admin",
    summary: "The QR image of an entry of the history",
    params: idParam,
    reply: download,
  }),
  limits: endpoint({
    method: "GET",
    path: "/api/v1/website/limits",
    access: "admin",
    summary: "The largest credit and refund a staff account may make, at once and in a business day",
    reply: z.object({ limits: StaffLimits, version }),
  }),
  updateLimits: endpoint({
    method: "PUT",
    path: "/api/v1/website/limits",
    access: "admin",
    sensitive: true,
    summary: "Change what staff accounts may credit and refund; null allows any amount, what is not given stays",
    body: StaffLimits.partial(),
    versioned: true,
    idempotent: true,
    reply: saved,
  }),
  listApiKeys: endpoint({
    method: "GET",
    path: "/api/v1/website/api-keys",
    access: "admin",
    summary: "List the keys that shops call with",
    reply: z.object({
      keys: z.array(ApiKey),
      /** All shops, including those without a key. */
      shops: z.array(z.object({ _id: id, name: z.string(), createdAt: timestamp })),
    }),
  }),
  createApiKey: endpoint({
    method: "POST",
    path: "/api/v1/website/api-keys",
    access: "admin",
    sensitive: true,
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
    sensitive: true,
    summary: "Change a key's name or limits; what is not given stays",
    params: idParam,
    body: z.object({ name: keyName, ...limits }).partial(),
    reply: message,
  }),
  deleteApiKey: endpoint({
    method: "DELETE",
    path: "/api/v1/website/api-keys/:id",
    access: "admin",
    sensitive: true,
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
