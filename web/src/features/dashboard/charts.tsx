import { useComputedColorScheme } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import {
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartOptions,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  type ScriptableLineSegmentContext,
  Tooltip,
} from "chart.js";
import { Chart as ChartOf, Doughnut } from "react-chartjs-2";
import { Link, useNavigate } from "react-router";
import { fullDay, shortDay } from "../../shared/days.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { usePrinting } from "../../shared/printing.ts";
import { theme } from "../../shared/theme.ts";
import classes from "./ChartCard.module.css";
import { colourOf } from "./colours.ts";

Chart.register(ArcElement, BarController, BarElement, CategoryScale, Filler, LinearScale);
Chart.register(LineController, LineElement, PointElement, Tooltip);
if (theme.fontFamily) Chart.defaults.font.family = theme.fontFamily;
Chart.defaults.maintainAspectRatio = false;

// A page is as wide as paper before anybody could measure it.
addEventListener("beforeprint", () => {
  for (const chart of Object.values(Chart.instances)) if (chart.options.scales?.x) chart.resize(620, 220);
});
addEventListener("afterprint", () => {
  for (const chart of Object.values(Chart.instances)) chart.resize();
});

const looks = {
  light: { text: "#5c6370", grid: "#e9ebf0", bar: "#91a7ff", strong: "#4263eb", below: "rgb(66 99 235 / 8%)" },
  dark: { text: "#a3a8b8", grid: "#2f3440", bar: "#5c7cfa", strong: "#91a7ff", below: "rgb(145 167 255 / 12%)" },
};

/** Bars and lines follow the theme; on paper it is light. */
function useLook() {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  return looks[usePrinting() ? "light" : scheme];
}

type DaysProps = {
  name: string;
  series: string;
  days: readonly string[];
  values: readonly number[];
  /** Where a day's rows are. */
  list: (day: string) => string;
};

/** Bars of whole numbers, from zero. The last day is not over, and hatched. */
export function BarChart(props: DaysProps) {
  const { bar, strong } = useLook();
  // The specification wants steps of 1. High bars get larger whole steps, or the axis would be unreadable.
  const ticks = { precision: 0, ...(Math.max(0, ...props.values) <= 10 && { stepSize: 1 }) };
  const last = props.values.length - 1;
  const look = {
    backgroundColor: props.values.map((_, at) => (at === last ? hatched(strong) : bar)),
    borderRadius: 3,
    barPercentage: 0.9,
    categoryPercentage: 0.86,
    maxBarThickness: 56,
  };
  return <DaysChart type="bar" {...props} ticks={ticks} format={formatCount} look={look} />;
}

/** A blue line, from zero. It is dashed up to the last day, which is not over. */
export function LineChart(props: DaysProps) {
  const { strong, below } = useLook();
  const last = props.values.length - 1;
  const look = {
    borderColor: strong,
    backgroundColor: below,
    fill: true,
    borderWidth: 2,
    cubicInterpolationMode: "monotone",
    pointRadius: 0,
    pointHitRadius: 12,
    pointHoverRadius: 4,
    pointBackgroundColor: strong,
    segment: {
      borderDash: ({ p1DataIndex }: ScriptableLineSegmentContext) => (p1DataIndex === last ? [4, 4] : undefined),
    },
  };
  return <DaysChart type="line" {...props} ticks={{}} format={formatMoney} look={look} />;
}

function hatched(colour: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  if (!pen) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const from of [-6, 0, 6]) {
    pen.moveTo(from, 6);
    pen.lineTo(from + 6, 0);
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat") ?? colour;
}

/** Days along the bottom, values from zero up the side. A click on a day leads to its rows. */
function DaysChart({
  type,
  name,
  series,
  days,
  values,
  list,
  ticks,
  format,
  look,
}: DaysProps & {
  type: "bar" | "line";
  ticks: { precision?: number; stepSize?: number };
  format: (value: number) => string;
  look: object;
}) {
  const { text: color, grid } = useLook();
  const navigate = useNavigate();
  const options: ChartOptions<"bar" | "line"> = {
    animation: useAnimation(),
    interaction: { mode: "index", intersect: false },
    onClick(_, [found]) {
      const day = found && days[found.index];
      if (day) navigate(list(day));
    },
    onHover: ({ native }, found) => {
      if (native?.target instanceof HTMLElement) native.target.style.cursor = found.length > 0 ? "pointer" : "";
    },
    scales: {
      x: {
        grid: { display: false },
        border: { color: grid },
        ticks: { color, maxRotation: 0, autoSkipPadding: 16 },
      },
      y: {
        beginAtZero: true,
        grid: { color: grid },
        border: { display: false },
        ticks: { color, ...ticks, maxTicksLimit: 6, callback: (value) => format(Number(value)).replace(/\.00$/, "") },
      },
    },
    plugins: {
      tooltip: {
        displayColors: false,
        callbacks: {
          title: ([item]) => fullDay(days[item?.dataIndex ?? 0] ?? ""),
          label: ({ dataset, parsed, dataIndex }) =>
            `${dataset.label}: ${format(parsed.y ?? 0)}${dataIndex === days.length - 1 ? ", today so far" : ""}`,
        },
      },
    },
  };
  return (
    <ChartOf
      type={type}
      aria-label={`${name}: ${type} chart of ${series} by day`}
      options={options}
      data={{ labels: days.map(shortDay), datasets: [{ label: series, data: [...values], ...look }] }}
    />
  );
}

/** How many things there are of each kind. Everything can be read without pointing at it. */
export function DoughnutChart({
  name,
  counted,
  parts,
}: {
  name: string;
  counted: string;
  parts: readonly { label: string; count: number; to: string }[];
}) {
  const animation = useAnimation();
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return <div className={classes.middle}>Nothing in these days</div>;

  const options: ChartOptions<"doughnut"> = {
    animation,
    cutout: "66%",
    plugins: { tooltip: { callbacks: { label: ({ parsed }) => ` ${formatCount(parsed)} ${share(parsed, total)}` } } },
  };
  return (
    <div className={classes.doughnut}>
      <div className={classes.ring}>
        <Doughnut
          aria-label={`${name}: doughnut chart`}
          options={options}
          data={{
            labels: parts.map(({ label }) => label),
            datasets: [
              {
                data: parts.map(({ count }) => count),
                backgroundColor: parts.map(({ label }) => colourOf(label)),
                borderColor: "#161a2b",
                borderWidth: 2,
                borderRadius: 4,
              },
            ],
          }}
        />
        <div className={classes.centre}>
          <b>{formatCount(total)}</b>
          <span>{counted}</span>
        </div>
      </div>
      <ul className={classes.legend}>
        {parts.map(({ label, count, to }) => (
          <li key={label}>
            <div className={classes.swatch} style={{ background: colourOf(label) }} aria-hidden />
            <Link to={to}>{label}</Link>
            <span>
              {formatCount(count)} · {share(count, total)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const share = (count: number, total: number) => {
  const percent = (count / total) * 100;
  return `${percent > 0 && percent < 1 ? "< 1" : Math.round(percent)} %`;
};

const useAnimation = () => {
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false });
  return usePrinting() || isStill ? (false as const) : { duration: 400 };
};
