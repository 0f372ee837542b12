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
  /** The floor's requests per second divided by the server's. */
  ratio: number;
  /** The smallest business's requests per second divided by this one's. */
  growth: number;
};

/** The budgets: cost compared with the floor, and with the smallest business. */
const mostRatio = 2;
const mostRatioOfSearches = 10;
const mostGrowth = 1.5;

function missesOf({ name, ratio, growth }: Measured): string {
  const most = name.includes("search") ? mostRatioOfSearches : mostRatio;
  return [ratio > most && "ratio", growth > mostGrowth && "growth"].filter(Boolean).join(", ");
}

const columns: [title: string, width: number, cell: (row: Measured) => string][] = [
  ["orders", 11, ({ size }) => size.toLocaleString("en-US")],
  ["conn", 5, ({ connections }) => String(connections)],
  ["stmts", 6, ({ statements }) => String(statements)],
  ["req/s", 7, ({ product }) => product.perSecond.toFixed(0)],
  ["p50 ms", 8, ({ product }) => product.p50.toFixed(2)],
  ["p99 ms", 8, ({ product }) => product.p99.toFixed(2)],
  ["floor/s", 8, ({ floor }) => floor.perSecond.toFixed(0)],
  ["ratio", 6, ({ ratio }) => ratio.toFixed(2)],
  ["growth", 7, ({ growth }) => growth.toFixed(2)],
  ["misses", 15, missesOf],
];

const line = (name: string, cells: string[]) =>
  [name.padEnd(33), ...cells.map((cell, index) => cell.padStart(columns[index]?.[1] ?? 0))].join(" ");

export const tableHead = line(
  "call",
  columns.map(([title]) => title),
);

export const tableLine = (row: Measured) =>
  line(
    row.name,
    columns.map(([, , cell]) => cell(row)),
  );

export function summary(table: Measured[]): string {
  const missed = table.filter((row) => missesOf(row) !== "").length;
  return `${missed} of ${table.length} rows miss a budget: ratio ${mostRatio} (searches ${mostRatioOfSearches}), growth ${mostGrowth}`;
}
