import { decimalsOf, plainAmount, plainNumber } from "@footprint/contract/numbers.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { describeBounds, describeTier, describeWeight, type Tier } from "./tiers.ts";

// Reads a table of prices pasted from a spreadsheet: three columns from, to and price, or two with "1–3" and price.

type LabelType = { name: string; maxWeight: number };
type Refused = { line: number; text: string; problem: string };

/** After so many refused lines reading stops: it is some other table. */
const mostRefused = 200;

/** The lines that hold a tier, and those that do not, with the reason. */
export function readPastedPrices(labelType: LabelType, text: string): { tiers: Tier[]; refused: Refused[] } {
  // Invisible characters are pasted along from web pages and spreadsheets.
  const lines = text
    .replace(/\p{Cf}/gu, "")
    .split(/\r\n|\r|\n/)
    .map((content, place) => ({ line: place + 1, text: content.trim() }))
    .filter((one) => one.text !== "");
  const separator = separatorOf(lines.map((one) => one.text));
  const tiers: (Tier & { line: number })[] = [];
  const refused: Refused[] = [];
  for (const [place, { line, text }] of lines.entries()) {
    if (refused.length === mostRefused) {
      refused.push({ line, text, problem: `Not read, nor are those after it: ${mostRefused} lines are refused` });
      break;
    }
    // A header has no digits.
    const isHeader = place === 0 && !/\d/.test(text);
    const otherUnit = isHeader && wrongUnit(labelType, text);
    if (isHeader && !otherUnit) continue;
    const tier = otherUnit || readTier(labelType, cellsOf(text, separator));
    const other = typeof tier === "string" ? undefined : tiers.find((one) => overlaps(one, tier));
    if (typeof tier === "string") refused.push({ line, text, problem: tier });
    else if (other)
      refused.push({ line, text, problem: `Overlaps with line ${other.line}, ${describeTier(labelType, other)}` });
    else tiers.push({ ...tier, line });
  }
  const byWeight = tiers.sort((one, other) => one.fromWeight - other.fromWeight);
  return { tiers: byWeight.map(({ line, ...tier }) => tier), refused };
}

const overlaps = (one: Tier, other: Tier) => one.fromWeight < other.toWeight && other.fromWeight < one.toWeight;

/** Tabs and semicolons never occur in a number; a comma separates only if blanks do not. */
const separatorOf = (lines: string[]) =>
  ["\t", ";"].find((one) => lines.some((line) => line.includes(one))) ??
  (lines.some((line) => /\S,/.test(line)) && !lines.filter((line) => /\d/.test(line)).every(isOfBlanks) ? "," : " ");

/** "0-1 7,45", "0 0,5 $7,45" */
const isOfBlanks = (line: string) => {
  const cells = line.split(/\s+/);
  const isNumber = (cell: string) => /^\$?[\d.,]*\d([–—-][\d.,]*\d)?(lbs?|oz|\$)?$/i.test(cell);
  return (cells.length === 2 || cells.length === 3) && cells.every(isNumber);
};

function cellsOf(text: string, separator: string): string[] {
  if (separator === " ") return text.split(/\s+/);
  // A quoted cell may contain the separator, and two quotes for one.
  const cells = text.match(
    separator === "," ? /"(?:[^"]|"")*"|[^,]+|(?<=,)(?=,)/g : new RegExp(`"(?:[^"]|"")*"|[^${separator}]+`, "g"),
  );
  return (cells ?? [])
    .map((cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/s, "$1")
        .replaceAll('""', '"')
        .trim(),
    )
    .filter((cell) => cell !== "");
}

/** The tier, or what is wrong with the line. */
function readTier(labelType: LabelType, cells: string[]): Tier | string {
  const columns = cells.length === 2 ? [...splitWeights(cells[0] as string), cells[1] as string] : cells;
  if (columns.length !== 3) return "Needs three columns: from weight, to weight and price";
  const [from = "", to = "", price = ""] = columns;
  const otherUnit = wrongUnit(labelType, `${from} ${to}`);
  if (otherUnit) return otherUnit;
  const [fromPlain, toPlain] = [from, to].map((text) => plainNumber(text.replace(/\s*(lbs?|oz)\.?$/i, "")));
  const amount = plainAmount(price);
  if (!isUnsigned(fromPlain)) return `“${from}” is not a weight`;
  if (!isUnsigned(toPlain)) return `“${to}” is not a weight`;
  if (!isUnsigned(amount)) return `“${price}” is not a price`;
  if (decimalsOf(fromPlain) > 3 || decimalsOf(toPlain) > 3) return "A weight has at most three decimals";
  if (decimalsOf(amount) > 2) return "A price has at most two decimals";
  if (Number(amount) > 1_000_000) return "A price is at most 1,000,000.00";
  const [fromWeight, toWeight] = [Number(fromPlain), Number(toPlain)];
  const tier = { fromWeight, toWeight, priceCents: Math.round(Number(amount) * 100) };
  if (fromWeight >= toWeight) return `${describeBounds(labelType, tier)} must reach higher than it begins`;
  if (toWeight > labelType.maxWeight)
    return `${labelType.name} goes up to ${describeWeight(labelType, labelType.maxWeight)}`;
  return tier;
}

const isUnsigned = (plain: string | undefined): plain is string => plain !== undefined && !plain.startsWith("-");

/** The refusal if weights are in another unit than the label type's. */
function wrongUnit(labelType: LabelType, text: string): string | undefined {
  const unit = weightUnit(labelType.name);
  const others = unit === "oz" ? /(?<![a-z])(lbs?|pounds?|kg|g)(?![a-z])/i : /(?<![a-z])(oz|ounces?|kg|g)(?![a-z])/i;
  return others.test(text) ? `The weights of ${labelType.name} are in ${unit}` : undefined;
}

/** "1–3", "1 - 3 lb", "1 to 3" */
const splitWeights = (cell: string) => cell.split(/\s*(?:–|—|-|\bto\b)\s*/i);
