import { lowStock, tracking, trackingTypes } from "@footprint/contract/tracking.ts";
import { Link } from "react-router";
import { formatCount, StatusBadge } from "../../shared/format.tsx";
import { labelOf } from "../../shared/labels.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { StatCards } from "../../shared/StatCards.tsx";

const names = trackingTypes.map((type) => [type, labelOf(type)] as const);

/** How many codes are left and used, per type. */
export function TrackingStats() {
  const query = useApiQuery(tracking.stats, {});
  return (
    <StatCards
      title="Codes left and used"
      query={query}
      names={names}
      figure={({ left }, type) => (
        <>
          {formatCount(left[type])} <small>left</small>
          <Stock left={left[type]} />
        </>
      )}
      note={({ used }, type) => (
        <Link to={`/usps?type=${type}&used=true`} preventScrollReset>
          {formatCount(used[type])} used
        </Link>
      )}
      list={(type) => `/usps?type=${type}&used=false`}
    />
  );
}

function Stock({ left }: { left: number }) {
  if (left === 0) return <StatusBadge tone="danger">None</StatusBadge>;
  return left < lowStock ? <StatusBadge tone="warning">Low</StatusBadge> : null;
}
