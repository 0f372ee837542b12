import type { Log } from "@footprint/contract/logs.ts";
import { balancePath } from "../../shared/CustomerLink.tsx";

/** Where to see what an entry is about. */
export function subjectPath({ subject, customer }: Log): string | undefined {
  switch (subject?.kind) {
    case "customer":
      return balancePath(subject._id);
    case "transfer":
      return customer ? balancePath(customer) : undefined;
    case "custom price":
      return customer ? `/users/${customer}` : undefined;
    case "order":
      return `/orders?search=${subject._id}&view=${subject._id}`;
    case "bulk order":
      return `/bulk-orders?search=${subject._id}&view=${subject._id}`;
    case "fedex order":
      return `/fedex?search=${subject._id}&view=${subject._id}`;
    case "invoice":
      return `/invoices?search=${subject._id}&view=${subject._id}`;
    case "label type":
      return `/pricing/${subject._id}`;
    case "price":
      return "/pricing";
    case "tracking codes":
      return `/usps/batches?search=${subject._id}`;
    case "account":
      return "/staff";
    case "unusual event":
      return `/unusual?status=All&search=${subject._id}&view=${subject._id}`;
    case "approval":
      return `/approvals?status=All&search=${subject._id}`;
    case "statement":
      return `/invoices/statements/${subject._id}`;
    case "webhook":
      return `/website/webhooks/${subject._id}`;
    case "api key":
    case "payment handle":
    case "settings":
      return "/website";
    default:
      return undefined;
  }
}
