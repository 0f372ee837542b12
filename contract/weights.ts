/** First class labels are weighed in ounces, all others in pounds. */
export const weightUnit = (labelType: string): "oz" | "lb" => (labelType.includes("First Class") ? "oz" : "lb");

export type Weight = { value: number; unit: "oz" | "lb" };

/** As people write it: "2.4 lb", "10oz", ".5 pounds". */
const written = String.raw`(?<value>\d{0,6}(?:\.\d{1,3}|,\d\d?)|\d{1,6})\s*(?:(?<ounces>oz|ounces?)|lbs?|pounds?)\.?`;
const first = new RegExp(String.raw`^${written}(?:\s(?<rest>.*))?$`, "i");
const last = new RegExp(String.raw`^(?<rest>.*)\s${written}$`, "i");

/** The weight at the beginning or end of a text, and the rest of the text; undefined if there is none. */
export function readWeight(text: string): { weight: Weight; rest: string } | undefined {
  const { value, ounces, rest = "" } = (first.exec(text.trim()) ?? last.exec(text.trim()))?.groups ?? {};
  if (value === undefined) return undefined;
  return { weight: { value: Number(value.replace(",", ".")), unit: ounces ? "oz" : "lb" }, rest: rest.trim() };
}
