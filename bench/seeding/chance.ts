// SQL for chance: the same row and the same word give the same number, so that a seeding can be repeated.

/** A bigint, any of them. */
const hash = (row: string, word: string) => `hashint8extended(${row}, ${salt(word)})`;

/** FNV-1a: words tell the numbers of one row apart. */
const salt = (word: string) =>
  [...word].reduce((mixed, letter) => Math.imul(mixed ^ letter.charCodeAt(0), 16_777_619) >>> 0, 2_166_136_261);

/** A whole number from 0 up to, but without, `limit`. */
export const below = (limit: string | number, row: string, word: string) =>
  `((${hash(row, word)} & 9223372036854775807) % ${limit})::int`;

/** Between 0 and 1, both excluded. */
export const fraction = (row: string, word: string) =>
  `(((${hash(row, word)} & 1073741823)::float8 + 0.5::float8) / 1073741824::float8)`;

export const chance = (probability: number, row: string, word: string) =>
  `${below(1_000_000, row, word)} < ${Math.round(probability * 1_000_000)}`;

/** One of several texts or numbers. */
export const pick = (choices: readonly (string | number)[], row: string, word: string) =>
  `(array[${choices.map(literal).join(", ")}])[1 + ${below(choices.length, row, word)}]`;

export const literal = (value: string | number) =>
  typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;

export const moment = (at: Date) => `timestamptz ${literal(at.toISOString())}`;

/** From a least to a most number of minutes later, or halfway to now. */
export const later = (
  at: string,
  [least, most]: readonly [least: number, most: number],
  now: Date,
  row: string,
  word: string,
) =>
  `${at} + least((${least} + ${most - least} * ${fraction(row, word)}) * interval '1 minute', (${moment(now)} - ${at}) / 2)`;

/** A version 7 id of that moment. */
export const idAt = (at: string, row: string, word: string) =>
  uuidOf(
    `(floor(date_part('epoch', ${at}) * 1000 + 0.0005)::bigint << 16) | 28672 | (${hash(row, word)} & 4095)`,
    hash(row, `${word}, rest`),
  );

/** A version 4 id, as orders show it to their customers. */
export const randomId = (row: string, word: string) =>
  uuidOf(`(${hash(row, word)} & -61441) | 16384`, hash(row, `${word}, rest`));

const uuidOf = (high: string, low: string) =>
  `encode(int8send(${high}) || int8send((${low} & 4611686018427387903) | (1::bigint << 63)), 'hex')::uuid`;
