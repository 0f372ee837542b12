import { summaries } from "@footprint/contract/summaries.ts";
import { ActionIcon, Button, Skeleton, TextInput } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconPrinter } from "@tabler/icons-react";
import { Link, useSearchParams } from "react-router";
import { dayAfter, fullDay, isDay, todayIn } from "../../shared/days.ts";
import { Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { useSession } from "../../shared/session.ts";
import { DaysBefore } from "./DaysBefore.tsx";
import { Summary } from "./Summary.tsx";
import classes from "./SummaryScreen.module.css";

/** What one business day came to, on a page that can be printed. */
export function SummaryScreen() {
  const { timezone } = useSession();
  const today = todayIn(timezone);
  const [given, setGiven] = useSearchParams();
  const asked = given.get("day") ?? "";
  const day = isDay(asked) && asked <= today ? asked : dayAfter(today, -1);
  const query = useApiQuery(summaries.read, { params: { day } });
  const { data } = query;

  return (
    <>
      <ScreenHeader
        title={`Daily summary, ${fullDay(day)}`}
        subtitle={<Kept data={data} />}
        actions={
          <div className={classes.actions}>
            <Step to={dayAfter(day, -1)} label="Previous day" isOff={data ? day <= data.firstDay : false} />
            <TextInput
              className={classes.day}
              type="date"
              aria-label="Day"
              max={today}
              value={day}
              onChange={({ currentTarget: { value } }) => isDay(value) && setGiven({ day: value })}
            />
            <Step to={dayAfter(day, 1)} label="Next day" isOff={day >= today} />
            <Button
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              onClick={() => window.print()}
              disabled={!data}
            >
              Print
            </Button>
          </div>
        }
      />
      {query.isError && !data ? (
        <LoadFailure title="This day could not be loaded" query={query} />
      ) : data ? (
        <Summary day={day} isOver={data.isOver} summary={data.summary} />
      ) : (
        <Skeleton height={480} aria-busy />
      )}
      <DaysBefore day={day} />
    </>
  );
}

type Told = { isOver: boolean; keptAt: string | null };

/** Where the figures come from. */
function Kept({ data }: { data: Told | undefined }) {
  const { timezone } = useSession();
  if (!data) return "";
  if (!data.isOver) return `So far: this day is not over in ${timezone}`;
  if (!data.keptAt) return `Days in ${timezone}. Counted just now: nothing was recorded when the day ended`;
  return (
    <>
      Days in {timezone}. Recorded on <Time value={data.keptAt} exact plain />
    </>
  );
}

function Step({ to, label, isOff }: { to: string; label: string; isOff: boolean }) {
  const Icon = label.startsWith("Next") ? IconChevronRight : IconChevronLeft;
  const icon = <Icon size={16} aria-hidden />;
  if (isOff)
    return (
      <ActionIcon variant="default" className={classes.step} aria-label={label} disabled>
        {icon}
      </ActionIcon>
    );
  return (
    <ActionIcon variant="default" className={classes.step} aria-label={label} component={Link} to={`?day=${to}`}>
      {icon}
    </ActionIcon>
  );
}
