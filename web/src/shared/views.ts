import { spansAt } from "./days.ts";

// A view stores its list as in the address, except days that move with the calendar: these are stored by name, such as
// `days=This+week`.

const spanName = "days";

/** The address that shows a view today, with its parameters in a fixed order. */
export function addressOf(query: string, today: string): string {
  const address = new URLSearchParams(query);
  const span = Object.entries(spansAt(today)).find(([name]) => name === address.get(spanName))?.[1];
  address.delete(spanName);
  for (const [name, day] of Object.entries(span ?? {})) address.set(name, day);
  address.sort();
  return address.toString();
}

/** The current name of a list's days, if they have one. */
export function spanIn(address: string, today: string): string | undefined {
  const given = new URLSearchParams(address);
  const isGiven = (days: { from: string; to: string }) =>
    days.from === given.get("from") && days.to === given.get("to");
  return Object.entries(spansAt(today)).find(([, days]) => isGiven(days))?.[0];
}

/** What a view stores of an address; days with this name move on. */
export function queryOf(address: string, span: string | undefined): string {
  const query = new URLSearchParams(address);
  if (span) {
    query.delete("from");
    query.delete("to");
    query.set(spanName, span);
  }
  return query.toString();
}
