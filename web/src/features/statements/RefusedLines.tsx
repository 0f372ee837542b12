import { statements } from "@footprint/contract/statements.ts";
import type { Column } from "../../shared/DataTable.tsx";
import { formatCount } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";

type Row = { _id: string; line: number; why: string };

const columns: Column<Row>[] = [
  { title: "Line of the file", cell: ({ line }) => `Line ${formatCount(line)}`, width: 160, onCard: "headline" },
  { title: "Why it was refused", cell: ({ why }) => why, wraps: true },
];

/** The lines that could not be read, by their number in the file: the first thousand. */
export function RefusedLines({ id }: { id: string }) {
  const query = useApiQuery(statements.read, { params: { id } });
  return (
    <TablePanel
      title="Refused lines"
      query={query}
      rows={({ refused }) => refused.map((each) => ({ ...each, _id: String(each.line) }))}
      columns={columns}
      empty={{ title: "No line was refused", hint: "Every line of the file could be read." }}
    />
  );
}
