import { refusal } from "@footprint/contract/refusal.ts";
import { trackingType } from "@footprint/contract/tracking.ts";
import { sql } from "drizzle-orm";
import type { Transaction } from "../db/database.ts";

type LabelType = { kind: string; uid: string };

/** The type of prepaid codes that labels of this type take; undefined where they carry what the shop sends. */
export function codeType(labelType: LabelType | undefined) {
  if (labelType?.kind !== "usps") return undefined;
  return trackingType.options.find((type) => type === labelType.uid.toLowerCase());
}

/** A prepaid code that a shop sent as its own would be on two labels sooner or later. */
export async function refusePrepaid(tx: Transaction, sent: string[]) {
  const { rows } = await tx.execute<{ code: string }>(
    sql`select code from tracking_codes where code = any(${sql.param(sent)}::text[]) limit 1`,
  );
  if (rows[0]) throw refusal(409, `The tracking ${rows[0].code} is one of the prepaid codes`);
}

/** For each label that takes a prepaid code the oldest one left of its type; buyers at once skip each other's. */
export async function takeCodes(tx: Transaction, types: LabelType[]): Promise<(string | undefined)[]> {
  const wanted = Map.groupBy(types.keys(), (place) => codeType(types[place]));
  wanted.delete(undefined);
  const taken: string[] = [];
  for (const [type, places] of [...wanted].sort()) {
    // array(…) is read once, before the update begins: `in (…)` may be read again for every row, and take more each time.
    const { rows } = await tx.execute<{ code: string }>(sql`
      update tracking_codes set used_at = now() where id = any(array(
        select id from tracking_codes where type = ${type} and used_at is null
        order by created_at, code limit ${places.length} for update skip locked))
      returning code`);
    if (rows.length < places.length) throw refusal(409, `No tracking code of type ${type} is left`);
    if (rows.length > places.length) throw new Error(`${rows.length} codes were taken for ${places.length} labels`);
    const codes = rows.map(({ code }) => code).sort();
    for (const [index, place] of places.entries()) taken[place] = codes[index] as string;
  }
  return taken;
}

export const withCheckDigit = (digits: string) => digits + checkDigit(digits);

/** The carrier's mod-10: weights 3, 1, 3, 1 … from the right. */
export function checkDigit(digits: string): number {
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
  return (10 - (sum % 10)) % 10;
}
