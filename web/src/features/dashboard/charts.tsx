import { VisuallyHidden } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import {
  ArcElement,
  BarElement,
  CategoryScale,
  Chart,
  type ChartOptions,
  Legend,
  LinearScale,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";
import { Bar, Doughnut, Line } from "react-chartjs-2";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { theme } from "../../shared/theme.ts";
import { useWidthUpTo } from "../../shared/windowWidth.ts";
import classes from "./charts.module.css";
import { colourOf } from "./colours.ts";
import { fullDay, shortDay } from "./days.ts";

Chart.register(ArcElement, BarElement, CategoryScale, Legend, LinearScale, LineElement, PointElement, Tooltip);
if (theme.fontFamily) Chart.defaults.font.family = theme.fontFamily;
Chart.defaults.color = "#b4bdd6";
Chart.defaults.maintainAspectRatio = false;

const grid = { color: "rgb(255 255 255 / 9%)" };
const whiteLegend = { color: "#fff", font: { size: 15 }, boxWidth: 16, boxHeight: 12 };
const blue = "#4dabf7";

type Series = { name: string; series: string; days: readonly string[]; values: readonly number[] };

/** Bars of whole numbers, from zero. */
export function BarChart({ name, series, days, values, colour }: Series & { colour: string }) {
  const options = useAxes(formatCount, {
    // The specification wants steps of 1. High bars get larger whole steps, or the axis would be unreadable.
    precision: 0,
    ...(Math.max(0, ...values) <= 10 && { stepSize: 1 }),
  });
  return (
    <>
      <Bar
        aria-label={`${name}: bar chart of ${series} by day`}
        options={options}
        data={{
          labels: days.map(shortDay),
          datasets: [{ label: series, data: [...values], backgroundColor: colour, borderRadius: 2 }],
        }}
      />
      <Numbers
        caption={name}
        columns={["Day", series]}
        rows={days.map((day, at) => [fullDay(day), formatCount(values[at] ?? 0)])}
      />
    </>
  );
}

/** A blue line, from zero. */
export function LineChart({ name, series, days, values }: Series) {
  const options = useAxes(formatMoney, {});
  return (
    <>
      <Line
        aria-label={`${name}: line chart of ${series} by day`}
        options={options}
        data={{
          labels: days.map(shortDay),
          datasets: [
            {
              label: series,
              data: [...values],
              borderColor: blue,
              backgroundColor: blue,
              borderWidth: 2,
              pointRadius: days.length > 31 ? 0 : 3,
              pointHitRadius: 12,
            },
          ],
        }}
      />
      <Numbers
        caption={name}
        columns={["Day", series]}
        rows={days.map((day, at) => [fullDay(day), formatMoney(values[at] ?? 0)])}
      />
    </>
  );
}

/** How many things there are of each kind. */
export function DoughnutChart({
  name,
  counted,
  groupedBy,
  parts,
}: {
  name: string;
  counted: string;
  groupedBy: string;
  parts: readonly { label: string; count: number }[];
}) {
  const animation = useAnimation();
  const isPhone = useWidthUpTo("phone");
  if (parts.length === 0) return <p className={classes.nothing}>Nothing in these days</p>;

  const options: ChartOptions<"doughnut"> = {
    animation,
    cutout: "58%",
    spacing: 2,
    plugins: {
      legend: { position: isPhone ? "bottom" : "right", labels: whiteLegend },
      tooltip: { callbacks: { label: ({ label, parsed }) => ` ${label}: ${formatCount(parsed)}` } },
    },
  };
  return (
    <>
      <Doughnut
        aria-label={`${name}: doughnut chart`}
        options={options}
        data={{
          labels: parts.map((part) => part.label),
          datasets: [
            {
              data: parts.map((part) => part.count),
              backgroundColor: parts.map((part) => colourOf(name, part.label)),
              borderWidth: 0,
            },
          ],
        }}
      />
      <Numbers
        caption={name}
        columns={[groupedBy, counted]}
        rows={parts.map(({ label, count }) => [label, formatCount(count)])}
      />
    </>
  );
}

/** Days along the bottom, values from zero up the side. */
function useAxes(format: (value: number) => string, ticks: { precision?: number; stepSize?: number }) {
  const animation = useAnimation();
  return {
    animation,
    interaction: { mode: "index" as const, intersect: false },
    scales: {
      x: { grid: { display: false }, ticks: { maxRotation: 0, autoSkipPadding: 16 } },
      y: {
        beginAtZero: true,
        grid,
        border: { display: false },
        ticks: { ...ticks, callback: (value: number | string) => format(Number(value)).replace(/\.00$/, "") },
      },
    },
    plugins: {
      legend: { labels: whiteLegend },
      tooltip: {
        callbacks: {
          label: (item: { dataset: { label?: string | undefined }; parsed: { y: number | null } }) =>
            ` ${item.dataset.label}: ${format(item.parsed.y ?? 0)}`,
        },
      },
    },
  };
}

const useAnimation = () =>
  useReducedMotion(undefined, { getInitialValueInEffect: false }) ? (false as const) : { duration: 400 };

/** The same numbers for screen readers. */
function Numbers({ caption, columns, rows }: { caption: string; columns: [string, string]; rows: [string, string][] }) {
  return (
    <VisuallyHidden component="div">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, value]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
