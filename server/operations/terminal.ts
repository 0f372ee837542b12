/** Text from the database as a terminal may show it: control characters would be commands to it. */
export const withoutControlCharacters = (text: string, instead = (_character: string) => "\u{fffd}") =>
  text.replace(/\p{C}/gu, instead);
