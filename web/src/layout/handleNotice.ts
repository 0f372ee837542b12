import { type PaymentHandle, website } from "@footprint/contract/website.ts";
import { callApi } from "../shared/api.ts";
import { notify } from "../shared/notify.ts";

/** Changes within so many milliseconds may have been announced together. */
const together = 10_000;

const told = new Set<string>();

/** Tells what has just become of the payment handle. Accounts that may not see it are not told. */
export async function announceHandle(): Promise<void> {
  const reply = await callApi(website.cashappHistory, {}, { byItself: true }).catch(() => undefined);
  const [newest] = reply?.history ?? [];
  if (!newest) return;
  const since = Date.parse(newest.createdAt) - together;
  // A change must not be hidden by another one right after it.
  const untold = reply?.history.filter(
    ({ _id, by, createdAt }) => by && Date.parse(createdAt) > since && !told.has(_id),
  );
  for (const change of untold?.slice(0, 5).reverse() ?? []) {
    told.add(change._id);
    notify("warning", sentence(change));
  }
}

function sentence({ cashappId: to, previous: from, by, warnings }: PaymentHandle): string {
  const change =
    from === to
      ? `The payment image of ${to || "nobody"} was changed`
      : `The payment handle was changed from ${from || "none"} to ${to || "none"}`;
  return [`${change} by ${by?.username ?? "somebody"}`, ...warnings].join(". ");
}
