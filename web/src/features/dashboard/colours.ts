// Random, yet readable: twelve hues, 30° apart and bright enough for the dark surface, from a random one on.
// Steps of 150° go through all of them before one comes again and keep those that follow each other far apart.
const firstHue = Math.random() * 360;
const known = new Map<string, Map<string, string>>();

/** The colour of a chart's segment: as long as the page is open it stays the same, whatever else the chart shows. */
export function colourOf(chart: string, segment: string): string {
  const colours = known.get(chart) ?? new Map<string, string>();
  known.set(chart, colours);
  const lap = Math.floor(colours.size / 12);
  const colour = colours.get(segment) ?? `hsl(${(firstHue + colours.size * 150) % 360} 75% ${70 - (lap % 3) * 12}%)`;
  colours.set(segment, colour);
  return colour;
}
