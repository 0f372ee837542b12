import type { Figures } from "./load.ts";

export type Measured = {
  name: string;
  /** Orders in the business. */
  size: number;
  connections: number;
  /** How many statements one call sends to the database. */
  statements: number;
  product: Figures;
  floor: Figures;
  /** Requests per second of the floor to those of the server. */
  ratio: number;
  /** Requests per second with the smallest business to those with this one. */
  growth: number;
};

/** What a call may cost beside its floor, and beside itself with the smallest business. */
const mostRatio = 2;
const mostGrowth = 1.5;

const widths = [33, 11, 5, 6, 7, 8, 8, 8, 6, 7, 15];
const line = (cells: string[]) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join(" ");

export const tableHead = line([
  "call",
  "orders",
  "conn",
  "stmts",
  "req/s",
  "p50 ms",
  "p99 ms",
  "floor/s",
  "ratio",
  "growth",
  "misses",
]);

function missesOf({ ratio, growth }: Measured): string {
  return [ratio > mostRatio && "ratio", growth > mostGrowth && "growth"].filter(Boolean).join(", ");
}

export const tableLine = (row: Measured) =>
  line([
    row.name,
    row.size.toLocaleString("en-US"),
    String(row.connections),
    String(row.statements),
    row.product.perSecond.toFixed(0),
    row.product.p50.toFixed(2),
    row.product.p99.toFixed(2),
    row.floor.perSecond.toFixed(0),
    row.ratio.toFixed(2),
    row.growth.toFixed(2),
    missesOf(row),
  ]);

export function summary(table: Measured[]): string {
  const missed = table.filter((row) => missesOf(row) !== "").length;
  return `${missed} of ${table.length} rows miss a budget: ratio ${mostRatio}, growth ${mostGrowth}`;
}
