import { VisuallyHidden } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import {
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartOptions,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";
import { Chart as ChartOf, Doughnut } from "react-chartjs-2";
import { fullDay, shortDay } from "../../shared/days.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { theme } from "../../shared/theme.ts";
import { useWidthUpTo } from "../../shared/windowWidth.ts";
import classes from "./ChartCard.module.css";
import { colourOf } from "./colours.ts";

Chart.register(ArcElement, BarController, BarElement, CategoryScale, Legend, LinearScale);
Chart.register(LineController, LineElement, PointElement, Tooltip);
if (theme.fontFamily) Chart.defaults.font.family = theme.fontFamily;
Chart.defaults.color = "#b4bdd6";
Chart.defaults.maintainAspectRatio = false;

const grid = { color: "rgb(255 255 255 / 9%)" };
const whiteLegend = { color: "#fff", font: { size: 15 }, boxWidth: 16, boxHeight: 12 };
const blue = "#4dabf7";

type DaysProps = { name: string; series: string; days: readonly string[]; values: readonly number[] };

/** Bars of whole numbers, from zero. */
export function BarChart({ colour, ...props }: DaysProps & { colour: string }) {
  // The specification wants steps of 1. High bars get larger whole steps, or the axis would be unreadable.
  const ticks = { precision: 0, ...(Math.max(0, ...props.values) <= 10 && { stepSize: 1 }) };
  return (
    <DaysChart
      type="bar"
      {...props}
      ticks={ticks}
      format={formatCount}
      look={{ backgroundColor: colour, borderRadius: 2 }}
    />
  );
}

/** A blue line, from zero. */
export function LineChart(props: DaysProps) {
  const look = {
    borderColor: blue,
    backgroundColor: blue,
    borderWidth: 2,
    pointRadius: props.days.length > 31 ? 0 : 3,
    pointHitRadius: 12,
  };
  return <DaysChart type="line" {...props} ticks={{}} format={formatMoney} look={look} />;
}

/** Days along the bottom, values from zero up the side. */
function DaysChart({
  type,
  name,
  series,
  days,
  values,
  ticks,
  format,
  look,
}: DaysProps & {
  type: "bar" | "line";
  ticks: { precision?: number; stepSize?: number };
  format: (value: number) => string;
  look: object;
}) {
  const options: ChartOptions<"bar" | "line"> = {
    animation: useAnimation(),
    interaction: { mode: "index", intersect: false },
    scales: {
      x: { grid: { display: false }, ticks: { maxRotation: 0, autoSkipPadding: 16 } },
      y: {
        beginAtZero: true,
        grid,
        border: { display: false },
        ticks: { ...ticks, callback: (value) => format(Number(value)).replace(/\.00$/, "") },
      },
    },
    plugins: {
      legend: { labels: whiteLegend },
      tooltip: { callbacks: { label: ({ dataset, parsed }) => ` ${dataset.label}: ${format(parsed.y ?? 0)}` } },
    },
  };
  return (
    <>
      <ChartOf
        type={type}
        aria-label={`${name}: ${type} chart of ${series} by day`}
        options={options}
        data={{ labels: days.map(shortDay), datasets: [{ label: series, data: [...values], ...look }] }}
      />
      <Numbers
        caption={name}
        columns={["Day", series]}
        rows={days.map((day, at) => [fullDay(day), format(values[at] ?? 0)])}
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
  if (parts.length === 0) return <div className={classes.middle}>Nothing in these days</div>;

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
