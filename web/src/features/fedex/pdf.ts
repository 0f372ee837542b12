/** "1 page, 4 × 6 in", as far as a PDF says so in plain text; most labels do. */
export function describePdf(content: string): string {
  const pages = content.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
  const box = /\/MediaBox\s*\[\s*([\d.-]+)\s+([\d.-]+)\s+([\d.-]+)\s+([\d.-]+)/.exec(content);
  const [left = 0, bottom = 0, right = 0, top = 0] = box?.slice(1).map(Number) ?? [];
  const inches = (points: number) => Math.round(points / 7.2) / 10;
  return [
    ...(pages > 0 ? [`${pages} ${pages === 1 ? "page" : "pages"}`] : []),
    ...(box ? [`${inches(right - left)} × ${inches(top - bottom)} in`] : []),
  ].join(", ");
}
