import { fedex } from "@footprint/contract/fedex.ts";
import { formatCount } from "../../shared/format.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { StatCards } from "../../shared/StatCards.tsx";

const names = [
  ["pending", "Pending"],
  ["completed", "Completed"],
  ["cancelled", "Cancelled"],
] as const;

export function FedexStats() {
  const query = useApiQuery(fedex.stats, {});
  return (
    <StatCards
      title="Orders by status"
      query={query}
      names={names}
      figure={(stats, status) => formatCount(stats[status])}
      list={(status) => `/fedex?filter=${statusLabel(status)}`}
    />
  );
}
