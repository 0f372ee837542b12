import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { type Random, seededRandom } from "../demo/random.ts";
import { db } from "../testing/server.ts";

/** The functions as they were before they were made quicker, under other names. */
const earlier = readFileSync(new URL("../db/migrations/0048_quicker_keys.sql", import.meta.url), "utf8")
  .replaceAll(/(public\.)?\b(log_)?search_keys\b/g, "pg_temp.earlier_$2search_keys")
  .split(/(?=^CREATE )/m)
  .slice(1);

const amount = 3000;

test("keys are the same as those that rows have from before", async () => {
  const random = seededRandom(61);
  const texts = Array.from({ length: amount }, () => ({ first: textOf(random), second: textOf(random) }));
  const different = await db.transaction(async (tx) => {
    for (const statement of earlier) await tx.execute(sql.raw(statement));
    const { rows } = await tx.execute(sql`
      select first, second from json_to_recordset(${JSON.stringify(texts)}::json) as texts (first text, second text)
      where search_keys(first, second) is distinct from pg_temp.earlier_search_keys(first, second)
        or log_search_keys(first, second) is distinct from pg_temp.earlier_log_search_keys(first, second)`);
    return rows;
  });
  expect(different).toEqual([]);
});

/** Words, codes and marks in any order, also halves of them and what only looks alike. */
function textOf(random: Random): string {
  let text = "";
  for (let left = random.between(0, 9); left > 0; left--) {
    const piece = random.pick(pieces)(random);
    text += random.chance(0.1) ? [...piece].slice(random.between(0, 3), random.between(0, 40)).join("") : piece;
    text += random.pick([" ", " ", " ", " ", "", "  ", "-", "\u001f", "\n", "\t", "."]);
  }
  return text;
}

const letters = [..."abfgxzABFZ019 -_.,:;()$@'\"\\/\u001f\u001e\u007f\t\nßςΣσİıéÉœ字あ😀٣०ﬃ\u0301\u200b\u00a0…"];
const sentences = ["Sold order", "Marked invoice", "($1,204.50) to", "of river_ember's", "Ἀχιλλεύς", "İstanbul"];
const pieces: ((random: Random) => string)[] = [
  (random) => random.uuid(),
  (random) => random.idAt(1_700_000_000_000 + random.between(0, 10 ** 10)),
  (random) => `(${random.uuid()}),`,
  (random) => random.uuid().toUpperCase(),
  (random) => random.uuid().replace(/.$/, "g"),
  (random) => random.uuid().replace(/\w/, "-"),
  (random) => random.uuid().replaceAll("-", ""),
  (random) => `9400${random.between(10 ** 5, 10 ** 15)}`,
  () => "٣٣٣٣٣٣٣٣٣٣٣",
  (random) => random.pick(sentences),
  (random) => Array.from({ length: random.between(0, 30) }, () => random.pick(letters)).join(""),
  (random) => "abcdefghijklmnopqrstuvwxyz".slice(random.between(0, 13), random.between(13, 26)),
];
