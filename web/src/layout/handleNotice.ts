import { type PaymentHandle, website } from "@footprint/contract/website.ts";
import { useRef } from "react";
import { callApi } from "../shared/api.ts";
import { useLive } from "../shared/liveEvents.ts";
import { notify } from "../shared/notify.ts";

/** Changes within so many milliseconds may have been announced together. */
const together = 10_000;

/** Tells every administrator with an open panel that the payment handle has changed. Other accounts are not told. */
export function useHandleNotice(): void {
  const told = useRef(new Set<string>());
  useLive("paymentHandle", async () => {
    const reply = await callApi(website.cashappHistory, {}, { byItself: true }).catch(() => undefined);
    const [newest] = reply?.history ?? [];
    if (!newest) return;
    const since = Date.parse(newest.createdAt) - together;
    // A change must not be hidden by another one right after it.
    const untold = reply?.history.filter(
      ({ _id, by, createdAt }) => by && Date.parse(createdAt) > since && !told.current.has(_id),
    );
    for (const change of untold?.slice(0, 5).reverse() ?? []) {
      told.current.add(change._id);
      notify("warning", sentence(change));
    }
  });
}

function sentence({ cashappId: to, previous: from, by, warnings }: PaymentHandle): string {
  const change =
    from === to
      ? `The payment image of ${to || "nobody"} was changed`
      : `The payment handle was changed from ${from || "none"} to ${to || "none"}`;
  return [`${change} by ${by?.username ?? "somebody"}`, ...warnings].join(". ");
}
