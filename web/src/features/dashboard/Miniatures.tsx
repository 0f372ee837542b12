import classes from "./Miniatures.module.css";

// Drawings beside a figure, which say no more than it does: nobody has to see them.

/** How a figure went, over periods that are over. */
export function Line({ values }: { values: readonly number[] }) {
  const [width, height] = [80, 28];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, at) => ({
    x: (at / Math.max(1, values.length - 1)) * (width - 4),
    y: 4 + (height - 8) * (high === low ? 0.5 : (high - value) / (high - low)),
  }));
  const last = points.at(-1);
  if (!last) return null;
  const path = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" L ");
  return (
    <svg className={classes.line} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden>
      <path d={`M 0 ${height} L ${path} L ${last.x} ${height} Z`} />
      <path d={`M ${path}`} />
      <circle cx={last.x} cy={last.y} r={2.5} />
    </svg>
  );
}

/** A figure by period; the last one is still running, and drawn apart. */
export function Bars({ values }: { values: readonly number[] }) {
  const height = 18;
  const highest = Math.max(1, ...values);
  return (
    <svg className={classes.bars} width={values.length * 4.5} height={height} aria-hidden>
      {values.map((value, at) => {
        const tall = Math.max(value > 0 ? 2 : 1, (value / highest) * height);
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
        return <rect key={at} x={at * 4.5} y={height - tall} width={3} height={tall} rx={0.5} />;
      })}
    </svg>
  );
}

/** How a sum is made up. */
export function Split({ parts }: { parts: readonly { value: number; colour: string }[] }) {
  if (parts.every(({ value }) => value === 0)) return null;
  return (
    <span className={classes.split} aria-hidden>
      {parts.map(({ value, colour }) => (
        <span key={colour} style={{ flexGrow: value, background: colour }} />
      ))}
    </span>
  );
}
