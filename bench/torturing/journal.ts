import { isDeepStrictEqual } from "node:util";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { type Answer, isOk, type Sent } from "../calls.ts";

/** A request: all tries under one key, or one call without a key. */
export type Asked = {
  endpoint: Endpoint;
  input: Sent;
  key: string | undefined;
  answers: (Answer & { tries: number })[];
  /** Somebody stopped waiting for an answer. */
  gaveUp: boolean;
};

/** Everything that callers know, to be compared with the server's rows. */
export function openJournal() {
  const all: Asked[] = [];
  const byKey = new Map<string, Asked>();
  return {
    all,
    /** Noted before the first try, whatever happens to the caller afterwards. */
    ask(endpoint: Endpoint, input: Sent, key: string | undefined): Asked {
      const known = key === undefined ? undefined : byKey.get(key);
      if (known) return known;
      const asked: Asked = { endpoint, input, key, answers: [], gaveUp: false };
      all.push(asked);
      if (key !== undefined) byKey.set(key, asked);
      return asked;
    },
  };
}

/** Refusals that a business at full speed causes by itself. Any other refusal is a finding. */
const ordinary = new Map<Endpoint, readonly number[]>([
  [storefront.createOrder, [402, 403, 409]],
  [storefront.createBulkOrder, [402, 403, 409]],
  [storefront.createFedexOrder, [403]],
  [storefront.setInvoiceStatus, [409]],
  [orders.refund, [409]],
  [invoices.markPaid, [409]],
  [users.addBalance, [402]],
  [users.verify, [409]],
]);

/** Two calls waited for each other until one was refused; nothing changed. */
export const metSomebody = ({ status, body }: Answer) => status === 409 && /at the same moment/.test(body.message);

export function isOrdinary(endpoint: Endpoint, answer: Answer, tries: number): boolean {
  const { status } = answer;
  // Registered by a try whose answer was lost, so that the next one finds the codes there.
  if (endpoint === tracking.create && status === 409) return tries > 1;
  return isOk(answer) || metSomebody(answer) || ordinary.get(endpoint)?.includes(status) === true;
}

/** `done` if a caller was told so, `refused` if all tries were refused; otherwise only the rows can tell. */
export function outcomeOf({ answers, gaveUp }: Asked): "done" | "refused" | "unknown" {
  if (answers.some(isOk)) return "done";
  return gaveUp || answers.some(({ status }) => status >= 500) ? "unknown" : "refused";
}

/** The first successful answer. */
export const replyTo = ({ answers }: Asked): unknown => answers.find(isOk)?.body;

/** Two answers differ, although a repeat must get the first one. */
export function contradicts({ answers }: Asked): boolean {
  const replies = answers.filter(isOk).map(({ body }) => body);
  return replies.some((reply) => !isDeepStrictEqual(reply, replies[0]));
}
