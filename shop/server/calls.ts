import type { IncomingMessage, ServerResponse } from "node:http";
import { type Customer, FootprintError } from "@footprint/client";
import { inCents, sumOf } from "../prices.ts";
import type { accountsIn, sessionsIn } from "./accounts.ts";
import type { Connection } from "./footprint.ts";
import { amount, fedexRequest, formKey, label, labels, listed } from "./input.ts";
import type { Live } from "./live.ts";
import { badField, missing, refusal } from "./refusal.ts";
import type { Storage } from "./storage.ts";
import { forCustomer } from "./words.ts";

export type Shop = {
  connection: Connection;
  storage: Storage;
  accounts: ReturnType<typeof accountsIn>;
  sessions: ReturnType<typeof sessionsIn>;
  live: Live;
};

/** A signed-in customer and their request. */
export type Visit = {
  shop: Shop;
  discordId: string;
  params: Record<string, string>;
  query: URLSearchParams;
  body: Record<string, unknown>;
  request: IncomingMessage;
  response: ServerResponse;
};

/** Reads the customer; one who signed up here but is unknown to Footprint is registered again. */
export async function customerOf({ connection, accounts }: Shop, discordId: string): Promise<Customer> {
  try {
    return (await connection.ask((footprint) => footprint.getCustomer({ discordId }))).customer;
  } catch (error) {
    if (!(error instanceof FootprintError) || error.status !== 404) throw forCustomer(error);
    const account = accounts.of(discordId);
    if (!account) throw refusal(401, "signed-out", "This customer is not known any more. Sign in again.");
    const { username, email } = account;
    return (await connection.ask((footprint) => footprint.putCustomer({ discordId, username, email }))).customer;
  }
}

/** Asks Footprint for a customer, and translates its refusals for them. */
async function ask<T>({ shop, discordId }: Visit, work: Parameters<typeof shop.connection.ask<T>>[0]): Promise<T> {
  try {
    return await shop.connection.ask(work);
  } catch (error) {
    const isForbidden = error instanceof FootprintError && error.status === 403;
    throw forCustomer(error, isForbidden ? await customerOf(shop, discordId) : undefined);
  }
}

/** The agreed price is what is paid: if prices have changed, the customer is asked again. */
async function refuseOtherPrice(visit: Visit, parcels: { labelType: string; weight: number }[], agreed: number) {
  const { labelTypes } = await ask(visit, (footprint) => footprint.labelTypes({ discordId: visit.discordId }));
  const sum = sumOf(labelTypes, parcels);
  // Without a price Footprint explains best what is wrong.
  if (sum === undefined || sum === inCents(agreed)) return;
  const words = `The price changed just now: it is $${(sum / 100).toFixed(2)}. Nothing was bought yet.`;
  throw refusal(409, "price", words, { price: sum / 100 });
}

/** Finds an item in the customer's own list, on whatever page. */
async function findOwn<T extends { _id: string }>(
  id: string | undefined,
  readPage: (page: number) => Promise<{ rows: T[]; totalPages: number }>,
): Promise<T> {
  for (let page = 1; ; page++) {
    const { rows, totalPages } = await readPage(page);
    const found = rows.find((row) => row._id === id);
    if (found) return found;
    if (page >= totalPages) throw missing();
  }
}

const findFedexOrder = (visit: Visit) =>
  findOwn(visit.params.id, async (page) => {
    const { discordId } = visit;
    const { orders, totalPages } = await ask(visit, (footprint) =>
      footprint.fedexOrders({ discordId, page, limit: 100 }),
    );
    return { rows: orders, totalPages };
  });

const findInvoice = (visit: Visit) =>
  findOwn(visit.params.id, async (page) => {
    const { discordId } = visit;
    const { invoices, totalPages } = await ask(visit, (footprint) =>
      footprint.invoices({ discordId, page, limit: 100 }),
    );
    return { rows: invoices, totalPages };
  });

export const calls = {
  "GET /api/me": async ({ shop, discordId }: Visit) => ({ customer: await customerOf(shop, discordId) }),

  "GET /api/label-types": (visit: Visit) =>
    ask(visit, (footprint) => footprint.labelTypes({ discordId: visit.discordId })),

  "GET /api/payment": async (visit: Visit) => {
    const { cashapp } = await ask(visit, (footprint) => footprint.paymentSettings());
    return { handle: cashapp.cashappId };
  },

  "GET /api/orders": (visit: Visit) =>
    ask(visit, (footprint) => footprint.orders({ discordId: visit.discordId, ...listed(visit.query), limit: 20 })),

  "GET /api/orders/:id": async (visit: Visit) => {
    const found = await ask(visit, (footprint) => footprint.readOrder({ id: visit.params.id ?? "" }));
    const { _id } = await customerOf(visit.shop, visit.discordId);
    if (found.order.user._id !== _id) throw missing();
    return found;
  },

  "POST /api/orders": async (visit: Visit) => {
    const { discordId, body } = visit;
    const options = { idempotencyKey: formKey(body, discordId) };
    const bought = label(body.label);
    await refuseOtherPrice(visit, [bought], amount(body, "price"));
    const answer = await ask(visit, (footprint) => footprint.createOrder({ ...bought, discordId }, options));
    visit.shop.live.tell(discordId, ["me", "orders", "transfers"]);
    return answer;
  },

  "POST /api/bulk-orders": async (visit: Visit) => {
    const { discordId, body } = visit;
    // Five hundred take a while; repeating the call would only take longer.
    const options = { idempotencyKey: formKey(body, discordId), timeout: 60_000 };
    const orders = labels(body.labels);
    await refuseOtherPrice(visit, orders, amount(body, "price"));
    const answer = await ask(visit, (footprint) => footprint.createBulkOrder({ discordId, orders }, options));
    visit.shop.live.tell(discordId, ["me", "orders", "transfers"]);
    return answer;
  },

  "GET /api/fedex-orders": (visit: Visit) =>
    ask(visit, (footprint) =>
      footprint.fedexOrders({ discordId: visit.discordId, page: listed(visit.query).page, limit: 20 }),
    ),

  "POST /api/fedex-orders": async (visit: Visit) => {
    const { discordId, body, shop } = visit;
    const options = { idempotencyKey: formKey(body, discordId) };
    const asked = fedexRequest(body);
    const answer = await ask(visit, (footprint) => footprint.createFedexOrder({ ...asked, discordId }, options));
    shop.live.tell(discordId, ["fedex"]);
    return answer;
  },

  "GET /api/fedex-orders/:id/file": async (visit: Visit) => {
    const { _id } = await findFedexOrder(visit);
    const file = await ask(visit, (footprint) => footprint.readFedexFile({ id: _id }));
    visit.response.writeHead(200, {
      "content-type": file.type || "application/octet-stream",
      "content-length": file.size,
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      "cache-control": "no-store",
    });
    visit.response.end(Buffer.from(await file.arrayBuffer()));
    return undefined;
  },

  "GET /api/invoices": (visit: Visit) =>
    ask(visit, (footprint) =>
      footprint.invoices({ discordId: visit.discordId, page: listed(visit.query).page, limit: 10 }),
    ),

  "GET /api/invoices/:id": async (visit: Visit) => ({ invoice: await findInvoice(visit) }),

  "POST /api/invoices": async (visit: Visit) => {
    const { discordId, body } = visit;
    const options = { idempotencyKey: formKey(body, discordId) };
    const sum = amount(body, "amount");
    if (sum < 1 || sum > 10_000) throw badField("amount", "Top up between $1.00 and $10,000.00");
    const asked = { discordId, amount: sum, payment_method: "cashapp" } as const;
    const answer = await ask(visit, (footprint) => footprint.createInvoice(asked, options));
    visit.shop.live.tell(discordId, ["invoices"]);
    return answer;
  },

  "GET /api/transfers": (visit: Visit) =>
    ask(visit, (footprint) =>
      footprint.transfers({ discordId: visit.discordId, page: listed(visit.query).page, limit: 20 }),
    ),
};

/** Calls for everybody, signed in or not. */
export const openCalls = {
  "GET /api/shop": async ({ shop, discordId }: Omit<Visit, "discordId"> & { discordId: string | undefined }) => ({
    standing: shop.connection.standing,
    demoCustomers: shop.connection.customers,
    isSignedIn: discordId !== undefined,
  }),
};

/** The page's calls and their answers. */
export type Answers = {
  [K in keyof typeof calls]: Exclude<Awaited<ReturnType<(typeof calls)[K]>>, undefined>;
} & { [K in keyof typeof openCalls]: Awaited<ReturnType<(typeof openCalls)[K]>> };
