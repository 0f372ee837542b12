import { type Runway, tracking, trackingTypes } from "@footprint/contract/tracking.ts";
import { UnstyledButton } from "@mantine/core";
import { Link } from "react-router";
import { todayIn } from "../../shared/days.ts";
import { useDialog } from "../../shared/dialogs.tsx";
import { formatCount, StatusBadge } from "../../shared/format.tsx";
import { Hint } from "../../shared/Hint.tsx";
import { labelOf } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { StatCards } from "../../shared/StatCards.tsx";
import { useSession } from "../../shared/session.ts";
import { countDays, lasting, ordering, perDay } from "./runway.ts";
import classes from "./TrackingStats.module.css";

const AlertForm = lazyPart(() => import("./AlertForm.tsx").then((file) => file.AlertForm));

const names = trackingTypes.map((type) => [type, labelOf(type)] as const);

/** How many codes are left and used, per type, how long they last, and when to order the next ones. */
export function TrackingStats() {
  const query = useApiQuery(tracking.stats, {});
  const { data } = useApiQuery(tracking.runway, {});
  const runwayOf = (type: string) => data?.runways.find((runway) => runway.type === type);
  return (
    <StatCards
      title="Codes left and used"
      query={query}
      names={names}
      figure={({ left }, type) => (
        <>
          {formatCount(left[type])} <small>left</small>
          <Stock left={left[type]} isLow={runwayOf(type)?.isLow ?? false} />
        </>
      )}
      note={({ used }, type) => (
        <div className={classes.note}>
          <div className={classes.lines}>
            <Lasting runway={runwayOf(type)} />
            <Link to={`/usps?type=${type}&used=true`} preventScrollReset>
              {formatCount(used[type])} used
            </Link>
            <AlertButton runway={runwayOf(type)} />
          </div>
        </div>
      )}
      emptyNote={
        <div className={classes.note}>
          <div className={classes.lines}>
            <span />
            <span />
            <span />
            <span />
          </div>
        </div>
      }
      list={(type) => `/usps?type=${type}&used=false`}
    />
  );
}

function Stock({ left, isLow }: { left: number; isLow: boolean }) {
  if (left === 0) return <StatusBadge tone="danger">None</StatusBadge>;
  return isLow ? <StatusBadge tone="warning">Low</StatusBadge> : null;
}

/** How long they last, and when to order the next ones. Their places are kept while it loads. */
function Lasting({ runway }: { runway: Runway | undefined }) {
  const { timezone } = useSession();
  const isLow = runway?.isLow || undefined;
  return (
    <>
      <Hint disabled={!runway || runway.perDay28 === 0} label={runway && paceOf(runway)}>
        <span className={classes.lasting} data-low={isLow}>
          {runway && lasting(runway)}
        </span>
      </Hint>
      <span data-low={isLow}>{runway && ordering(runway, todayIn(timezone))}</span>
    </>
  );
}

const paceOf = ({ perDay7, perDay28 }: Runway) =>
  `${perDay(perDay7)} a day in the last 7 days, ${perDay(perDay28)} in the last 28`;

function AlertButton({ runway }: { runway: Runway | undefined }) {
  const open = useDialog();
  if (!runway) return <span />;
  const { type, alert } = runway;
  const limit = `Low at ${countDays(alert.days + alert.leadDays)}`;
  return (
    <UnstyledButton
      className={classes.alert}
      aria-label={`${limit}: change when ${labelOf(type)} codes are low`}
      onClick={() => open((close) => <AlertForm runway={runway} onClose={close} />)}
    >
      {limit}
    </UnstyledButton>
  );
}
