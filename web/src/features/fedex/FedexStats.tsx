import { fedex } from "@footprint/contract/fedex.ts";
import { queues } from "@footprint/contract/queues.ts";
import { Text } from "@mantine/core";
import { formatCount } from "../../shared/format.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { StatCards } from "../../shared/StatCards.tsx";
import { useMinute } from "../../shared/today.ts";
import { ageOf, isOld } from "./desk.ts";

const names = [
  ["pending", "Pending"],
  ["completed", "Completed"],
  ["cancelled", "Cancelled"],
] as const;

export function FedexStats() {
  useMinute();
  const query = useApiQuery(fedex.stats, {});
  // The sidebar asks for it too: one call answers both.
  const oldest = useApiQuery(queues.read, {}).data?.fedexOrders.oldest;
  return (
    <StatCards
      title="Orders by status"
      query={query}
      names={names}
      inline
      figure={(stats, status) => formatCount(stats[status])}
      note={({ completedToday, cancelledThisWeek }, status) =>
        ({
          pending: oldest && (
            <Text inherit span {...(isOld(oldest) && { c: "var(--mantine-color-orange-light-color)", fw: 600 })}>
              Oldest {ageOf(oldest)}
            </Text>
          ),
          completed: `${formatCount(completedToday)} today`,
          cancelled: `${formatCount(cancelledThisWeek)} this week`,
        })[status]
      }
      list={(status) => `/fedex?filter=${statusLabel(status)}`}
    />
  );
}
