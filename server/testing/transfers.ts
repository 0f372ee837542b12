import { dashboard } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { someAddresses } from "./builders.ts";
import { call } from "./server.ts";

// What people do with a customer's money, and what they see of it.

type Known = { id: string };
type Caller = Parameters<typeof call>[0];

export const history = async ({ id }: Known, query: object = {}) =>
  (await call("staff", transfers.history, { params: { id }, query })).body;

export async function newest(customer: Known) {
  const [transfer] = (await history(customer)).transfers;
  if (!transfer) throw new Error("there is no transfer");
  return transfer;
}

export const reverse = (id: string, reason?: string, as: Caller = "staff") =>
  call(as, transfers.reverse, { params: { id }, ...(reason !== undefined && { body: { reason } }) } as never);

export const addBalance = ({ id }: Known, balance: number, reason = "", as: Caller = "staff") =>
  call(as, users.addBalance, { params: { id }, body: { balance, reason } });

export const markPaid = ({ id }: Known, reason = "", as: Caller = "staff") =>
  call(as, invoices.markPaid, { params: { id }, body: { reason } });

export const refund = ({ id }: Known, reason = "", as: Caller = "staff") =>
  call(as, orders.refund, { params: { id }, body: { reason } });

export const problems = async () => (await call("admin", dashboard.books)).body.problems;

export const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];

export async function openShop(name = "Main shop") {
  const { body } = await call("admin", website.createApiKey, { body: { name } });
  return { token: body.key };
}

let keys = 0;
export const once = () => ({ headers: { "idempotency-key": `transfers-${++keys}` } });

export const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US", labelType: "own", weight: 2 };

/** A label of the type "own". */
export const buy = (shop: Caller, discordId: string) =>
  call(shop, storefront.createOrder, { body: { discordId, ...parcel }, ...once() });
