import { serverNow } from "../../shared/clock.ts";
import { formatMoney } from "../../shared/format.tsx";
import { useSession } from "../../shared/session.ts";
import classes from "./Prices.module.css";

const [width, height] = [310, 128];
const plot = { right: width - 22, top: 10, bottom: 92 };
/** About as wide as a digit. */
const letterWidth = 6.5;
const day = 86_400_000;
const months = 365 * day;

type Step = { at: number; price: number };

/** What something cost over the last 12 months, and dashed what it would cost from now on. */
export function StepChart({ steps, draft }: { steps: Step[]; draft: number | undefined }) {
  const { timezone } = useSession();
  const now = serverNow();
  const since = now - months;
  const before = steps.findLast(({ at }) => at <= since);
  const shown = [...(before ? [{ at: since, price: before.price }] : []), ...steps.filter(({ at }) => at > since)];
  const last = shown.at(-1);
  if (!last) return null;

  const prices = [...shown.map(({ price }) => price), ...(draft === undefined ? [] : [draft])];
  const ticks = ticksFor(Math.min(...prices), Math.max(...prices));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const left = 8 + letterWidth * Math.max(...ticks.map((tick) => formatMoney(tick).length));
  const x = (at: number) => left + ((at - since) / months) * (plot.right - left);
  const y = (price: number) => plot.bottom - ((price - low) / (high - low || 1)) * (plot.bottom - plot.top);
  const path = shown
    .map(({ at, price }, place) => (place === 0 ? `M${x(at)},${y(price)}` : `H${x(at)}V${y(price)}`))
    .join("");
  const month = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: timezone });
  const named = [0, 3, 6, 9].map((quarter) => since + (quarter * months) / 12);

  return (
    <svg
      className={classes.chart}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={inWords(shown, draft, month)}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} data-grid />
          <text x={left - 6} y={y(tick) + 4} textAnchor="end">
            {formatMoney(tick)}
          </text>
        </g>
      ))}
      {named.map((at) => (
        <text key={at} x={x(at)} y={plot.bottom + 26}>
          {month.format(at)}
        </text>
      ))}
      <text x={plot.right} y={plot.bottom + 26} textAnchor="middle">
        Now
      </text>
      <path d={`${path}H${plot.right}`} data-line />
      {draft !== undefined && (
        <>
          <path d={`M${plot.right},${y(last.price)}V${y(draft)}H${width}`} data-line data-draft />
          <circle cx={plot.right} cy={y(draft)} r="4" data-point />
        </>
      )}
    </svg>
  );
}

/** Three to five round prices around these. */
function ticksFor(low: number, high: number): number[] {
  const span = Math.max(high - low, low * 0.1, 0.04);
  const power = 10 ** Math.floor(Math.log10(span / 3));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= span / 3) ?? power;
  const first = Math.max(0, Math.floor(low / step));
  const last = Math.max(first + 2, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, place) => Math.round((first + place) * step * 100) / 100);
}

/** Nov $8.75, Feb $8.95, then $8.61 */
function inWords(shown: Step[], draft: number | undefined, month: Intl.DateTimeFormat): string {
  const told = shown.slice(-12).map(({ at, price }) => `${month.format(at)} ${formatMoney(price)}`);
  const then = draft === undefined ? "" : `, then ${formatMoney(draft)}`;
  return `The price over the last 12 months: ${told.join(", ")}${then}`;
}
