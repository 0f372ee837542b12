import type { LabelType } from "@footprint/client";
import { addressWarnings } from "@footprint/contract/us-addresses.ts";
import { labelTypeOf, tierFor } from "../prices.ts";
import {
  type Address,
  emptyAddress,
  type Field,
  fields,
  flat,
  formName,
  longest,
  needed,
  type Side,
} from "./address.ts";
import { type Line, readCsv } from "./csv.ts";
import { weighed } from "./words.ts";

/** A fault or possible mistake, and where it is. */
export type Remark = { line: number; column: string; message: string };
export type Priced = {
  line: number;
  label: { labelType: string; weight: number } & Record<string, unknown>;
  price: number;
};
export type Checked = { labels: Priced[]; faults: Remark[]; cautions: Remark[] };

export const mostLabels = 500;

const sides = ["from", "to"] as const;
const addressColumns = sides.flatMap((side) => fields.map((field) => `${side}_${field}`));
const columns = ["label_type", "weight", ...addressColumns];
const neededColumns = columns.filter((column) => {
  const field = column.replace(/^(from|to)_/, "") as Field;
  return column === "label_type" || column === "weight" || (needed[field] !== undefined && field !== "country");
});

/** "To ZIP", "to-zip" and "toZip" are all to_zip. */
const plain = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");

const fileFault = (message: string): Checked => ({
  labels: [],
  faults: [{ line: 1, column: "", message }],
  cautions: [],
});

/** Checks a file without buying anything: every label with its price, and all faults. */
export function check(content: string, labelTypes: readonly LabelType[]): Checked {
  const { lines, separator, isCutOff } = readCsv(content);
  const [head, ...rows] = lines;
  if (!head) return fileFault("The file is empty");
  const names = head.cells.map(plain);
  const missing = neededColumns.filter((column) => !names.includes(column));
  if (missing.length > 0)
    return fileFault(
      missing.length === neededColumns.length
        ? "The first line has to name the columns, as in the sample file"
        : `Columns are missing: ${missing.join(", ")}`,
    );
  const twice = names.find((name, index) => columns.includes(name) && names.indexOf(name) !== index);
  if (twice) return fileFault(`The column ${twice} is there twice`);
  if (rows.length === 0) return fileFault("There are no labels below the names of the columns");
  if (isCutOff) return fileFault('A quoted cell is never closed: a " is missing');
  if (rows.length > mostLabels)
    return fileFault(`The file has ${rows.length} labels; at most ${mostLabels} can be bought at once`);

  const checked: Checked = { labels: [], faults: [], cautions: [] };
  for (const row of rows) checkRow(row, names, separator, labelTypes, checked);
  return checked;
}

function checkRow(
  { line, cells }: Line,
  names: string[],
  separator: string,
  types: readonly LabelType[],
  into: Checked,
) {
  const cell = (column: string) => cells[names.indexOf(column)] ?? "";
  const faults: Remark[] = [];
  const fault = (column: string, message: string) => void faults.push({ line, column, message });

  if (cells.length > names.length && cells.slice(names.length).some((extra) => extra !== ""))
    fault("", `There are ${cells.length} cells, but ${names.length} columns. Does a cell with a comma need quotes?`);
  const named = cell("label_type");
  const type = labelTypeOf(types, named) ?? types.find(({ name }) => name.toLowerCase() === named.toLowerCase());
  if (!named) fault("label_type", "is missing");
  else if (!type) fault("label_type", `there is no “${named}”`);

  // If semicolons separate, numbers have decimal commas.
  const written = separator === ";" ? cell("weight").replace(",", ".") : cell("weight");
  const weight = /^\d*\.?\d+$|^\d+\.$/.test(written) ? Number(written) : Number.NaN;
  const tier = type && tierFor(type, weight);
  if (!written) fault("weight", "is missing");
  else if (Number.isNaN(weight)) fault("weight", `“${cell("weight")}” is not a number`);
  else if (weight <= 0) fault("weight", "has to be more than 0");
  else if (!/^\d*\.?\d{0,3}$/.test(written)) fault("weight", "has at most three decimals");
  else if (type && weight > type.maxWeight)
    fault("weight", `${type.name} carries at most ${weighed(type.maxWeight, type.name)}`);
  else if (type && !tier) fault("weight", `${type.name} has no price for ${weighed(weight, type.name)}`);

  const addresses = sides.map((side) => {
    const address = addressIn(side, cell);
    for (const field of fields) {
      const column = `${side}_${field}`;
      if (needed[field] && !address[field]) fault(column, "is missing");
      else if (address[field].length > longest[field]) fault(column, `has more than ${longest[field]} characters`);
    }
    for (const { field, message } of addressWarnings(address))
      if (address.zip) into.cautions.push({ line, column: `${side}_${field}`, message });
    return flat(side, address);
  });

  into.faults.push(...faults);
  if (faults.length === 0 && type && tier)
    into.labels.push({
      line,
      label: { labelType: type.uid, weight, ...addresses[0], ...addresses[1] },
      price: tier.price,
    });
}

function addressIn(side: Side, cell: (column: string) => string): Address {
  const given = Object.fromEntries(fields.map((field) => [field, cell(`${side}_${field}`)])) as Address;
  return { ...given, country: given.country || emptyAddress().country };
}

/** Footprint's refusals of a bulk purchase, by the file's lines: `orders.3.toZip`. */
export function remarksIn(issues: readonly { path: string; message: string }[], labels: readonly Priced[]): Remark[] {
  return issues.map(({ path, message }) => {
    const [, index = "", field = ""] = /^orders\.(\d+)\.?(.*)$/.exec(path) ?? [];
    return {
      line: labels[Number(index)]?.line ?? 1,
      column: field === "labelType" ? "label_type" : formName(field).replace(".", "_"),
      message,
    };
  });
}

/** A template with what is for sale. */
export function sample(labelTypes: readonly LabelType[]): string[][] {
  const from = ["Tidewater Goods", "", "395 Garfield Ct", "", "Richmond", "VA", "23220", "United States"];
  const people = [
    ["Lena Okafor", "", "88 Wharf Rd", "Apt 4", "Portland", "ME", "04101", "United States"],
    ["Bright & Daughters, Inc.", "", "50 Orchard St", "", "Spokane", "WA", "99207", "United States"],
  ];
  const rows = people.map((to, index) => {
    const type = labelTypes[index % Math.max(labelTypes.length, 1)];
    const tier = type?.prices[0];
    return [type?.uid ?? "priority", String(tier?.toWeight ?? 1), ...from, ...to];
  });
  return [columns, ...rows];
}
