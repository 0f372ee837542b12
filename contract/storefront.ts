import * as z from "zod";
import { flatAddress } from "./address.ts";
import { endpoint } from "./endpoint.ts";
import { fedexStatus } from "./fedex.ts";
import { invoiceStatus, paymentMethod } from "./invoices.ts";
import { labelKind } from "./label-types.ts";
import { Order, orderStatuses } from "./orders.ts";
import {
  download,
  id,
  idParam,
  inThousandths,
  listQuery,
  money,
  oneLine,
  pageCounts,
  parcelWeight,
  period,
  timestamp,
  visibleCharacter,
} from "./schemas.ts";
import { Transfer, transfers } from "./transfers.ts";

/**
 * Text from a shop: trimmed, with each accent in its letter, so that what looks the same is found the same, and without
 * control characters and those that change the direction of text.
 */
const text = (max: number, allowed: RegExp) =>
  z.string().trim().normalize().max(max).regex(allowed, "Text may not contain control characters");
const line = (max: number) => text(max, oneLine);
const lines = (max: number) => text(max, /^([\r\n\t]|[^\p{Cc}\u202a-\u202e\u2066-\u2069])*$/u);
const filled = (max: number) =>
  line(max).min(1, { abort: true }).regex(visibleCharacter, "Text needs at least one visible character");

const discordId = z
  .string()
  .regex(/^[\w.-]{1,64}$/, "A discordId has 1 to 64 letters, digits, dots, underscores or hyphens");

export type StorefrontCustomer = z.input<typeof StorefrontCustomer>;
export const StorefrontCustomer = z.object({
  _id: id,
  discordId: z.string(),
  username: z.string(),
  email: z.string(),
  balance: money,
  status: z.boolean(),
  isVerified: z.boolean(),
  customPricingEnabled: z.boolean(),
  createdAt: timestamp,
});

export const Price = z.object({ fromWeight: z.number(), toWeight: z.number(), price: money });

const address = {
  name: filled(100),
  company: line(100).default(""),
  street: filled(200),
  street2: line(200).default(""),
  city: filled(100),
  state: line(100).default(""),
  zip: filled(20),
  country: filled(100),
};

/** One label to buy. In shops' calls, `labelType` is always the label type's uid. */
const purchase = z.object({
  labelType: filled(100),
  weight: parcelWeight,
  ...flatAddress("from", address),
  ...flatAddress("to", address),
  /** For label types without prepaid codes. Other first characters could begin a formula in a spreadsheet. */
  tracking: z
    .string()
    .trim()
    .max(100)
    .regex(
      /^([A-Za-z0-9][A-Za-z0-9 ._-]*)?$/,
      "A tracking code has letters, digits, spaces and . _ - only, and begins with a letter or a digit",
    )
    .optional(),
});

const { company, country, ...party } = address;

/** Anything below a thousandth would be stored as 0. */
const size = z.number().min(0.001).max(100_000).overwrite(inThousandths);

export const ShopFedexOrder = z.object({
  _id: id,
  uuid: z.string(),
  status: fedexStatus,
  note: z.string(),
  price: money.nullable(),
  /** Where to download the label, once it exists. */
  file: z.string().nullable(),
  createdAt: timestamp,
});

/** Sender or receiver of a Fedex order, as in lists. */
const place = z.object({ name: z.string(), city: z.string(), state: z.string(), zip: z.string() });

export const ShopInvoice = z.object({
  _id: id,
  amount: money,
  payment_method: paymentMethod,
  status: invoiceStatus,
  hosted_url: z.string(),
  createdAt: timestamp,
});

/** Possible mistakes in accepted input, with paths like those of issues. */
const warnings = z.array(z.object({ path: z.string(), message: z.string() }));

/** What every list of a customer's orders, invoices and so on accepts. */
const ofCustomer = listQuery.omit({ ids: true }).extend({ discordId });

export const storefront = {
  putCustomer: endpoint({
    method: "PUT",
    path: "/api/v1/storefront/customers/:discordId",
    access: "storefront",
    scope: ["customers"],
    summary:
      "Create a customer, or update one that this shop brought; a new one is unverified, active, with a balance of 0",
    params: z.object({ discordId }),
    body: z.object({ username: filled(64), email: z.union([z.literal(""), z.email().max(200)]).optional() }),
    reply: z.object({ customer: StorefrontCustomer }),
  }),
  getCustomer: endpoint({
    method: "GET",
    path: "/api/v1/storefront/customers/:discordId",
    access: "storefront",
    summary: "Read a customer and their balance",
    params: z.object({ discordId }),
    reply: z.object({ customer: StorefrontCustomer }),
  }),
  transfers: endpoint({
    method: "GET",
    path: "/api/v1/storefront/customers/:discordId/transfers",
    access: "storefront",
    summary: "What changed a customer's balance, with the balance after each change",
    params: z.object({ discordId }),
    query: transfers.history.query.omit({ by: true }),
    reply: z.object({ transfers: z.array(Transfer.omit({ by: true })), ...pageCounts }),
  }),
  labelTypes: endpoint({
    method: "GET",
    path: "/api/v1/storefront/label-types",
    access: "storefront",
    scope: ["orders"],
    summary: "Active label types with the prices that this customer pays",
    query: z.object({ discordId }),
    reply: z.object({
      labelTypes: z.array(
        z.object({
          uid: z.string(),
          name: z.string(),
          type: labelKind,
          maxWeight: z.number(),
          prices: z.array(Price.extend({ custom: z.boolean() })),
        }),
      ),
    }),
  }),
  quote: endpoint({
    method: "POST",
    path: "/api/v1/storefront/quotes",
    access: "storefront",
    scope: ["orders"],
    summary: "What a label would cost this customer",
    body: z.object({ discordId, ...purchase.pick({ labelType: true, weight: true }).shape }),
    reply: z.object({ price: money, tier: Price, custom: z.boolean() }),
  }),
  createOrder: endpoint({
    method: "POST",
    path: "/api/v1/storefront/orders",
    access: "storefront",
    scope: ["orders"],
    summary: "Buy a label: priced, paid from the balance and recorded in one step",
    body: purchase.extend({ discordId }),
    idempotent: "required",
    together: true,
    status: 201,
    reply: z.object({ order: Order, balance: money, warnings }),
  }),
  orders: endpoint({
    method: "GET",
    path: "/api/v1/storefront/orders",
    access: "storefront",
    scope: ["orders"],
    summary: "List what a customer bought in this shop",
    query: ofCustomer.extend({ status: z.enum(orderStatuses).default("All"), ...period }),
    reply: z.object({ orders: z.array(Order), ...pageCounts }),
  }),
  readOrder: endpoint({
    method: "GET",
    path: "/api/v1/storefront/orders/:id",
    access: "storefront",
    scope: ["orders"],
    summary: "Read an order, and its refund if there was one",
    params: idParam,
    reply: z.object({
      order: Order,
      refund: z.object({ amount: money, reason: z.string(), createdAt: timestamp }).nullable(),
    }),
  }),
  createBulkOrder: endpoint({
    method: "POST",
    path: "/api/v1/storefront/bulk-orders",
    access: "storefront",
    scope: ["orders"],
    summary: "Buy 1 to 500 labels, all or none",
    body: z.object({ discordId, orders: z.array(purchase).min(1).max(500) }),
    maxBytes: 1024 * 1024,
    idempotent: "required",
    status: 201,
    reply: z.object({
      bulkOrder: z.object({ _id: id, uuid: z.string(), orders: z.array(Order), total: money, createdAt: timestamp }),
      balance: money,
      warnings,
    }),
  }),
  createFedexOrder: endpoint({
    method: "POST",
    path: "/api/v1/storefront/fedex-orders",
    access: "storefront",
    scope: ["orders"],
    summary: "Ask for a Fedex label; staff quote and fulfil it",
    body: z.object({
      discordId,
      from: z.object(party),
      to: z.object(party),
      weight: parcelWeight,
      length: size,
      width: size,
      height: size,
      dimensionUnit: filled(10),
      weightUnit: filled(10),
      specialNotes: lines(2000).default(""),
    }),
    idempotent: "required",
    status: 201,
    reply: z.object({ order: ShopFedexOrder, warnings }),
  }),
  fedexOrders: endpoint({
    method: "GET",
    path: "/api/v1/storefront/fedex-orders",
    access: "storefront",
    scope: ["orders"],
    summary: "List a customer's Fedex orders of this shop",
    query: ofCustomer,
    reply: z.object({
      orders: z.array(ShopFedexOrder.extend({ from: place, to: place, weight: z.number(), weightUnit: z.string() })),
      ...pageCounts,
    }),
  }),
  readFedexOrder: endpoint({
    method: "GET",
    path: "/api/v1/storefront/fedex-orders/:id",
    access: "storefront",
    scope: ["orders"],
    summary: "How a Fedex order stands",
    params: idParam,
    reply: z.object({ order: ShopFedexOrder }),
  }),
  readFedexFile: endpoint({
    method: "GET",
    path: "/api/v1/storefront/fedex-orders/:id/file",
    access: "storefront",
    scope: ["orders"],
    summary: "Download the file of a Fedex order",
    params: idParam,
    reply: download,
  }),
  createInvoice: endpoint({
    method: "POST",
    path: "/api/v1/storefront/invoices",
    access: "storefront",
    scope: ["deposits"],
    summary: "Open an invoice for a deposit",
    body: z.object({
      discordId,
      amount: money
        .refine((cents) => cents > 0, "An invoice is for more than 0")
        .refine((cents) => cents <= 100_000_000, "An amount is at most 1,000,000.00"),
      payment_method: paymentMethod,
      hosted_url: z
        .union([
          z.literal(""),
          z
            .url({ protocol: /^https?$/ })
            .max(500)
            .regex(oneLine, "An address is one line without characters that change its direction"),
        ])
        .default(""),
    }),
    idempotent: "required",
    status: 201,
    reply: z.object({ invoice: ShopInvoice }),
  }),
  invoices: endpoint({
    method: "GET",
    path: "/api/v1/storefront/invoices",
    access: "storefront",
    scope: ["deposits", "mark-as-paid"],
    summary: "List a customer's invoices of this shop",
    query: ofCustomer.omit({ search: true }),
    reply: z.object({ invoices: z.array(ShopInvoice), ...pageCounts }),
  }),
  readInvoice: endpoint({
    method: "GET",
    path: "/api/v1/storefront/invoices/:id",
    access: "storefront",
    scope: ["deposits", "mark-as-paid"],
    summary: "How an invoice stands",
    params: idParam,
    reply: z.object({ invoice: ShopInvoice }),
  }),
  setInvoiceStatus: endpoint({
    method: "PUT",
    path: "/api/v1/storefront/invoices/:id/status",
    access: "storefront",
    scope: ["deposits", "mark-as-paid"],
    summary:
      "What became of an invoice; paid credits the customer, once, and needs the scope mark-as-paid, the others deposits",
    params: idParam,
    body: z.object({ status: invoiceStatus.exclude(["reversed"]) }),
    idempotent: true,
    reply: z.object({ invoice: ShopInvoice, balance: money }),
  }),
  paymentSettings: endpoint({
    method: "GET",
    path: "/api/v1/storefront/payment-settings",
    access: "storefront",
    summary: "The payment-app handle and the path of its QR image",
    reply: z.object({ cashapp: z.object({ cashappId: z.string(), image: z.string().nullable() }) }),
  }),
};
