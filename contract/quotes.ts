import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, inQuery, money, namedCustomer, parcelWeight } from "./schemas.ts";

/** What a customer would pay for a label, and whether the purchase would go through. */
export type Quote = z.input<typeof Quote>;
const Quote = z.object({
  customer: namedCustomer,
  labelType: z.object({ _id: id, name: z.string() }),
  weight: z.number(),
  unit: z.enum(["lb", "oz"]),
  /** Null if no tier covers the weight. */
  price: money.nullable(),
  tier: z.object({ fromWeight: z.number(), toWeight: z.number(), price: money }).nullable(),
  custom: z.boolean(),
  /** The price for customers without a custom price; null if there is none. */
  standardPrice: money.nullable(),
  /** The reason for this price, in words. */
  reason: z.string(),
  balance: money,
  /**
   * Why the purchase would be refused, beginning with the message that a shop would get; empty if it would go through.
   */
  refusals: z.array(z.string()),
});

export const quotes = {
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/quote",
    access: "staff",
    summary: "What a customer would pay for a label of this weight, by which tier and why; nothing is bought",
    query: z.object({
      customer: id,
      labelType: id,
      weight: inQuery(parcelWeight),
    }),
    reply: Quote,
  }),
};
