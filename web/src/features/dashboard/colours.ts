// Random but readable: twelve hues, 30° apart, starting at a random one. Steps of 150° use all of them before one is
// repeated, and keep neighbours far apart.
const firstHue = Math.random() * 360;
const known = new Map<string, Map<string, string>>();

/** The colour of a chart's segment. It stays the same until the page is reloaded. */
export function colourOf(chart: string, segment: string): string {
  const colours = known.get(chart) ?? new Map<string, string>();
  known.set(chart, colours);
  const lap = Math.floor(colours.size / 12);
  const colour = colours.get(segment) ?? `hsl(${(firstHue + colours.size * 150) % 360} 75% ${70 - (lap % 3) * 12}%)`;
  colours.set(segment, colour);
  return colour;
}
