import { isDeepStrictEqual } from "node:util";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { type Answer, isOk, type Sent } from "../calls.ts";

/** Something that was asked for: under one key however often, or by one call without a key. */
export type Asked = {
  endpoint: Endpoint;
  input: Sent;
  key: string | undefined;
  answers: (Answer & { tries: number })[];
  /** Somebody stopped waiting for an answer. */
  gaveUp: boolean;
};

/** What the callers know, and all they know: the server's rows are held against it. */
export function openJournal() {
  const all: Asked[] = [];
  const byKey = new Map<string, Asked>();
  return {
    all,
    /** Before the first try: what happens to the caller afterwards, it was asked for. */
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

/** Refusals that a business at full speed brings about by itself. Any other is a finding. */
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

/** Two calls waited for each other until one had to go: refused, and nothing changed. */
export const metSomebody = ({ status, body }: Answer) => status === 409 && /at the same moment/.test(body.message);

export function isOrdinary(endpoint: Endpoint, answer: Answer, tries: number): boolean {
  const { status } = answer;
  // Registered by a try whose answer was lost: the next one finds the codes there.
  if (endpoint === tracking.create && status === 409) return tries > 1;
  return isOk(answer) || metSomebody(answer) || ordinary.get(endpoint)?.includes(status) === true;
}

/** Done: a caller was told so. Refused: all were. Else nobody can know before looking. */
export function outcomeOf({ answers, gaveUp }: Asked): "done" | "refused" | "unknown" {
  if (answers.some(isOk)) return "done";
  return gaveUp || answers.some(({ status }) => status >= 500) ? "unknown" : "refused";
}

/** What the first caller was told who was told anything good. */
export const replyTo = ({ answers }: Asked): unknown => answers.find(isOk)?.body;

/** Two of the answers differ, where a repeat gets the first answer again. */
export function contradicts({ answers }: Asked): boolean {
  const replies = answers.filter(isOk).map(({ body }) => body);
  return replies.some((reply) => !isDeepStrictEqual(reply, replies[0]));
}
