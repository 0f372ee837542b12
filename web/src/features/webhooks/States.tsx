import { type Delivery, type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { Soon } from "./Soon.tsx";
import { formatDuration } from "./words.ts";

export function WebhookState({ webhook: { state, pausedByItself } }: { webhook: Webhook }) {
  if (state === "failing") return <StatusBadge tone="warning">Failing</StatusBadge>;
  if (state === "paused") return <StatusBadge tone={pausedByItself ? "danger" : "neutral"}>Paused</StatusBadge>;
  return <StatusBadge tone="plain">Active</StatusBadge>;
}

/** Why it is in its state, and what comes next; nothing where all is well. */
export function WebhookReason({ webhook }: { webhook: Webhook }) {
  const { state, pausedBecause, pausedAt } = webhook;
  if (state === "failing") return <Failing webhook={webhook} />;
  if (state !== "paused") return null;
  return (
    <>
      {pausedBecause}
      {pausedAt && (
        <>
          , <Time value={pausedAt} />
        </>
      )}
    </>
  );
}

/** What holds it up is what waits longest. */
function Failing({ webhook: { _id, nextTryAt } }: { webhook: Webhook }) {
  const oldest = { state: "waiting", sort: "asc", limit: 1 } as const;
  const { data } = useApiQuery(webhooks.deliveries, { params: { id: _id }, query: oldest });
  const delivery = data?.deliveries[0];
  return (
    <>
      {delivery && delivery.tries > 0 && `${delivery.problem || `It answered ${delivery.status}`}. `}
      {nextTryAt && (
        <>
          Next try <Soon value={nextTryAt} />
        </>
      )}
    </>
  );
}

export function DeliveryState({ delivery: { state, tries } }: { delivery: Delivery }) {
  if (state === "failed") return <StatusBadge tone="danger">Failed</StatusBadge>;
  if (state === "delivered") return <StatusBadge tone="plain">Delivered</StatusBadge>;
  return tries > 0 ? (
    <StatusBadge tone="warning">Retrying</StatusBadge>
  ) : (
    <StatusBadge tone="plain">Waiting</StatusBadge>
  );
}

/** What a try came to: the answer's status, or why there was none. */
export const answerInShort = ({ status, problem }: { status: number | null; problem: string }) =>
  [status, problem].filter(Boolean).join(" ") || "–";

export const triesInWords = ({ tries, duration }: Delivery) =>
  tries === 0
    ? "Not sent yet"
    : [tries === 1 ? "1 try" : `${tries} tries`, duration !== null && formatDuration(duration)]
        .filter(Boolean)
        .join(", ");
