/** Database text for a terminal, to which control characters would be commands. */
export const withoutControlCharacters = (text: string, instead = (_character: string) => "\u{fffd}") =>
  text.replace(/\p{C}/gu, instead);
