import { summaries } from "@footprint/contract/summaries.ts";
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import type { Column } from "../../shared/DataTable.tsx";
import { dayAfter, fullDay } from "../../shared/days.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";
import classes from "./SummaryScreen.module.css";

type Listed = { _id: string; day: string; orders: number; revenue: number; deposits: number };

const columns: Column<Listed>[] = [
  {
    title: "Day",
    cell: ({ day }) => (
      <Anchor component={Link} to={`?day=${day}`} c="inherit" fz="inherit" fw={600}>
        {fullDay(day)}
      </Anchor>
    ),
    onCard: "headline",
  },
  { title: "Orders", cell: ({ orders }) => formatCount(orders), align: "right", width: "20%" },
  { title: "Revenue", cell: ({ revenue }) => formatMoney(revenue), align: "right", width: "20%" },
  { title: "Deposits", cell: ({ deposits }) => formatMoney(deposits), align: "right", width: "20%" },
];

/** The week before a day, to compare it with. */
export function DaysBefore({ day }: { day: string }) {
  const query = useApiQuery(summaries.list, { query: { from: dayAfter(day, -7), to: dayAfter(day, -1) } });
  return (
    <div className={classes.before}>
      <h2>The week before</h2>
      <TablePanel
        title="The week before"
        query={query}
        rows={(reply) => reply.summaries.map((row) => ({ ...row, _id: row.day }))}
        columns={columns}
        empty={{ title: "No days", hint: "There is nothing before this day." }}
      />
    </div>
  );
}
