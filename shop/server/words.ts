import { type Customer, FootprintError } from "@footprint/client";
import { type Issue, isRefusal, missing, type Refusal, refusal } from "./refusal.ts";

/** Translates Footprint's refusals for customers, since its own words are for shops. */
export function forCustomer(error: unknown, customer?: Pick<Customer, "status" | "isVerified">): unknown {
  if (isRefusal(error) || !(error instanceof FootprintError)) return error;
  const { status, message, issues, retryAfter, mayBeDone } = error;
  // An unknown label type is 404, and named.
  if (status === 400 || (status === 404 && issues.length > 0))
    return refusal(400, "input", sentence(issues, message), { issues: issues.map(ofForm) });
  if (status === 402) return refusal(402, "balance", "Your balance is too small for this. Nothing was bought.");
  if (status === 403) return notAllowed(customer);
  if (status === 404) return missing();
  if (status === 409 && /Idempotency-Key/.test(message))
    return refusal(
      409,
      "used",
      "This form was sent before with something else in it. Look at your orders, then begin anew.",
    );
  if (status === 409)
    return refusal(
      409,
      "sold-out",
      "This kind of label is sold out at the moment. Nothing was charged. Take another kind, or try again later.",
    );
  return refusal(503, "busy", "The shop is very busy right now. Try again in a moment.", {
    retryAfter: retryAfter ?? 2,
    mayBeDone,
  });
}

function notAllowed(customer: Pick<Customer, "status" | "isVerified"> | undefined): Refusal {
  if (customer && !customer.status)
    return refusal(403, "disabled", "Your account is disabled, so nothing can be bought with it. Please write to us.");
  if (customer && !customer.isVerified)
    return refusal(403, "unverified", "We have not verified your account yet. You can buy as soon as that is done.");
  return refusal(503, "key-refused", "The back office does not let this shop do that.");
}

/** By the form's field names. */
const ofForm = ({ path, message }: Issue): Issue => ({ path: path.replace(/^(body|query|params)\./, ""), message });

const sentence = (issues: readonly Issue[], message: string) =>
  issues.length > 0 ? issues.map((issue) => issue.message).join(". ") : message;
