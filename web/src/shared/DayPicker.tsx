import { Button, Group } from "@mantine/core";
import { DatePicker } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import { useState } from "react";
import classes from "./DayPicker.module.css";
import { Dialog } from "./Dialog.tsx";
import { type Days, formatDays, todayIn } from "./days.ts";
import { useSession } from "./session.ts";

/** A calendar in which a first and a last day are chosen. */
export function DayPicker(props: { days: Days; onChoose: (days: Days) => void; onClose: () => void }) {
  const { days, onChoose, onClose } = props;
  const { timezone } = useSession();
  const today = todayIn(timezone);
  const [[first, last], setRange] = useState<[string | null, string | null]>([days.from ?? null, days.to ?? null]);
  const chosen = { from: first ?? last ?? undefined, to: last ?? first ?? undefined };

  return (
    <Dialog title="Choose days" size={344} onClose={onClose}>
      <DatePicker
        type="range"
        allowSingleDateInRange
        hideOutsideDates
        weekendDays={[]}
        value={[first, last]}
        onChange={setRange}
        defaultDate={days.to ?? days.from ?? today}
        getDayProps={(day) => (day === today ? { "aria-current": "date" } : {})}
        ariaLabels={{
          previousMonth: "Previous month",
          nextMonth: "Next month",
          previousYear: "Previous year",
          nextYear: "Next year",
          previousDecade: "Previous decade",
          nextDecade: "Next decade",
        }}
        className={classes.calendar}
      />
      <p className={classes.chosen} role="status">
        {formatDays(chosen, today) || "Press the first day, then the last one."}
      </p>
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={!chosen.from}
          onClick={() => {
            onChoose(chosen);
            onClose();
          }}
        >
          Show these days
        </Button>
      </Group>
    </Dialog>
  );
}
