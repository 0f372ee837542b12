import { createHash } from "node:crypto";
import { uuidv7 } from "../../server/db/ids.ts";

const now = Date.now();
export const minute = 60_000;
export const day = 24 * 60 * minute;
export const actor = { kind: "system" as const, id: null, username: "admin" };
export const cents = (amount: number) => Math.round(amount * 100);
export const places = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
export const twoDigits = (place: number) => String(place).padStart(2, "0");
export function pick<T>(values: readonly T[], place: number): T {
  const value = values[place % values.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** Rows of the same moment would have no order of their own. */
export const born = (ago: number) => ({ id: uuidv7(now - ago), createdAt: new Date(now - ago) });

/** The same uuid for the same words, in every run. */
export const uuidOf = (words: string) =>
  createHash("sha256")
    .update(words)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-a$4-$5");

export type Ids = Record<string, string>;

export function idIn(ids: Ids, name: string): string {
  const id = ids[name];
  if (!id) throw new Error(`the seed has no ${name}`);
  return id;
}

/** A carrier's code: weights 3, 1, 3, 1 … from the right make its last digit. */
export function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, place) => total + Number(digit) * (place % 2 ? 1 : 3), 0);
  return digits + ((10 - (sum % 10)) % 10);
}

/** The code of a place among the registered ones; every third is used. */
export const prepaidCode = (place: number) => withCheckDigit(`92001902551${String(4_000_000_000 + place)}`);
export const prepaidCodes = 15;
export const isUsedCode = (place: number) => place <= prepaidCodes && place % 3 === 0;
