import type { Log } from "@footprint/contract/logs.ts";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Changes.module.css";
import { changesOf, type Value } from "./changes.ts";
import { formatMoney, Time } from "./format.tsx";
import { labelOf, scopeLabel } from "./labels.ts";

/** The changes in a log entry, before and after side by side. */
export function Changes({ log }: { log: Log }) {
  const { changed, unchanged } = changesOf(log.before, log.after);
  return (
    <>
      {changed.length === 0 ? (
        <Text size="sm">Before and after are the same.</Text>
      ) : (
        <table className={classes.changes}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td data-side="before">{formatValue(field, before)}</td>
                <td data-side="after">{formatValue(field, after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {unchanged.length > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Unchanged: {unchanged.join(", ")}
        </Text>
      )}
    </>
  );
}

const isMoney = (field: string) => /^prices\b|\b(balance|price|credit|refund|per day)$/i.test(field);
const isChoice = (field: string) => /\b(template|payment method)$/i.test(field);

const isMoment = (value: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

function formatValue(field: string, value: Value | undefined): ReactNode {
  if (Array.isArray(value) && value.length > 0) return value.map((item) => formatItem(field, item)).join(", ");
  if (value === undefined || value === null || value === "" || Array.isArray(value))
    return <span className={classes.none}>–</span>;
  return typeof value === "string" && isMoment(value) ? <Time value={value} full /> : formatItem(field, value);
}

function formatItem(field: string, value: string | number | boolean | null): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string" && isChoice(field)) return labelOf(value);
  if (typeof value === "string" && field === "Scopes") return scopeLabel(value);
  return typeof value === "number" && isMoney(field) ? formatMoney(value) : String(value);
}
