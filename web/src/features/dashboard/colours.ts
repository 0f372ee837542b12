/**
 * The colour of a label, everywhere and for ever: drawn from a seed that is made of its name. Bright enough for a dark
 * card. The factor is one by which the names that most businesses use lie far apart.
 */
export function colourOf(label: string): string {
  let seed = 0x811c9dc5;
  for (const letter of label) seed = Math.imul(seed ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  seed = Math.imul(seed ^ (seed >>> 15), 53_109);
  seed = (seed ^ (seed >>> 13)) >>> 0;
  const hue = seed % 360;
  const lightness = 66 + (Math.floor(seed / 360) % 4) * 5;
  return `hsl(${hue} 78% ${lightness}%)`;
}
