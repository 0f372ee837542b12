export type Random = ReturnType<typeof seededRandom>;

/** All numbers of four hexadecimal digits: looking them up is several times as fast as formatting them. */
const hex = Array.from({ length: 0x10000 }, (_, number) => number.toString(16).padStart(4, "0"));

/** The same numbers for the same seed on every machine: mulberry32. */
export function seededRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const threeDigits = () => hex[Math.floor(next() * 0x1000)]?.slice(1);
  const fourDigits = () => hex[Math.floor(next() * 0x10000)];
  const eightDigits = () => {
    const number = Math.floor(next() * 2 ** 32);
    return `${hex[number >>> 16]}${hex[number & 0xffff]}`;
  };
  return {
    next,
    /** A whole number, including both ends. */
    between: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability: number) => next() < probability,
    pick: <T>(choices: readonly T[]): T => choices[Math.floor(next() * choices.length)] as T,
    /** One of the choices, by weight. */
    weighted: <T>(choices: readonly (readonly [choice: T, weight: number])[]): T => {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [choice, weight] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      return choices.at(-1)?.[0] as T;
    },
    uuid: () => `${eightDigits()}-${fourDigits()}-4${threeDigits()}-a${threeDigits()}-${eightDigits()}${fourDigits()}`,
    /** A version 7 uuid with this time, like the product's rows. */
    idAt: (at: number) => {
      const high = Math.floor(at / 2 ** 32);
      return `${hex[high]}${hex[(at >>> 16) & 0xffff]}-${hex[at & 0xffff]}-7${threeDigits()}-a${threeDigits()}-${eightDigits()}${fourDigits()}`;
    },
  };
}
