/** Text from the database as a terminal may show it: control characters would be commands to it. */
export const withoutControlCharacters = (text: string) => text.replace(/\p{C}/gu, "\u{fffd}");
