import { uuidv7 } from "../../server/db/ids.ts";
import { seededRandom } from "../../server/demo/random.ts";
import { withCheckDigit } from "../../server/money/tracking-codes.ts";

const now = Date.now();
export const minute = 60_000;
export const day = 24 * 60 * minute;
/** Source of all values that no test names: the same in every run. */
export const random = seededRandom(7400);
export const places = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
export const twoDigits = (place: number) => String(place).padStart(2, "0");
export function pick<T>(values: readonly T[], place: number): T {
  const value = values[place % values.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** Rows of the same moment would have no defined order. */
export const createdAgo = (ago: number) => ({ id: uuidv7(now - ago), createdAt: new Date(now - ago) });

/** Rows by their names. */
export type Named = Map<string, { id: string }>;

export function named(rows: Named, name: string): { id: string } {
  const row = rows.get(name);
  if (!row) throw new Error(`the seed has no ${name}`);
  return row;
}

/** The code at a place among the registered ones; every third is used. */
export const prepaidCode = (place: number) => withCheckDigit(`92001902551${String(4_000_000_000 + place)}`);
export const prepaidCodes = 15;
export const isUsedCode = (place: number) => place <= prepaidCodes && place % 3 === 0;
