import { type Statement, statementBytes, statements } from "@footprint/contract/statements.ts";
import { Anchor, Group, Skeleton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useSearchParams } from "react-router";
import { callApi } from "../../shared/api.ts";
import type { Column } from "../../shared/DataTable.tsx";
import { formatCount, StatusBadge, Time } from "../../shared/format.tsx";
import { labelOf } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useIsLeaving } from "../../shared/leaving.ts";
import { NewerOlder } from "../../shared/NewerOlder.tsx";
import { notify, notifyError } from "../../shared/notify.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { TablePanel } from "../../shared/TablePanel.tsx";
import panel from "./Panel.module.css";
import { leftOf, lineCount, statementPath } from "./words.ts";

const FileField = lazyPart(
  () => import("../../shared/FileField.tsx").then((file) => file.FileField),
  () => <Skeleton height={92} aria-busy />,
);

/** As browsers call a CSV file, on one system or another. */
const csvTypes = [
  ...["text/csv", "text/plain", "text/tab-separated-values"],
  ...["application/csv", "application/vnd.ms-excel"],
];

/** Where statements are dropped, and those that were. */
export function StatementsScreen() {
  const [given, setGiven] = useSearchParams();
  const page = /^[1-9]\d{0,5}$/.test(given.get("page") ?? "") ? Number(given.get("page")) : 1;
  const query = useApiQuery(statements.list, { query: { page, limit: 50 } });
  const { totalPages = page } = query.data ?? {};
  const navigate = useNavigate();
  const isLeaving = useIsLeaving();
  const drop = useMutation({
    mutationFn: (file: File) => callApi(statements.drop, { body: { file } }),
    onSuccess({ statement, isKnown, message }) {
      // Whoever has gone on to another screen meanwhile stays there.
      if (isKnown || isLeaving()) notify("info", message);
      if (!isLeaving()) void navigate(statementPath(statement._id));
    },
    onError: notifyError,
  });
  // Its last statement was removed.
  if (page > totalPages && !query.isPlaceholderData) return <Navigate to={`?page=${totalPages}`} replace />;
  return (
    <>
      <ScreenHeader title="Statements" back={{ to: "/invoices", label: "Invoices" }} showsTimes />
      <section className={`${panel.panel} ${panel.padded}`} aria-label="Drop a statement" aria-busy={drop.isPending}>
        <FileField
          label="Statement of the payment app or of PayPal"
          kind="CSV"
          accept={csvTypes}
          maxBytes={statementBytes}
          value={drop.isPending ? drop.variables : null}
          onChange={(file) => file && !drop.isPending && drop.mutate(file)}
          description={
            drop.isPending
              ? "Sending…"
              : "Its payments are matched with pending invoices. Nothing is marked as paid until you say so."
          }
          error={drop.error?.message}
        />
      </section>
      <TablePanel
        title="Statements"
        query={query}
        rows={(reply) => reply.statements}
        columns={columns}
        empty={{
          title: "No statements yet",
          hint: "Export one as CSV in the payment app or in PayPal, and drop it above.",
        }}
      />
      <Group justify="flex-end" gap="xs" mt="md">
        <NewerOlder
          page={page}
          totalPages={totalPages}
          onPage={(next) => setGiven(next > 1 ? { page: `${next}` } : {})}
        />
      </Group>
    </>
  );
}

const columns: Column<Statement>[] = [
  {
    title: "File",
    cell: ({ _id, file }) => (
      <Anchor component={Link} to={statementPath(_id)} c="inherit" fz="inherit" fw={600}>
        {file}
      </Anchor>
    ),
    second: ({ source }) => source && labelOf(source),
    onCard: "headline",
  },
  {
    title: "Lines",
    cell: ({ lines }) => formatCount(lines),
    second: ({ firstAt, lastAt }) =>
      firstAt &&
      lastAt && (
        <>
          <Time value={firstAt} plain /> to <Time value={lastAt} plain />
        </>
      ),
    align: "right",
    width: "18%",
  },
  {
    title: "Paid",
    cell: ({ payments }) => formatCount(payments.paid.count),
    align: "right",
    width: "10%",
  },
  { title: "Open", cell: (statement) => <Open statement={statement} />, width: "18%", onCard: "aside" },
  {
    title: "Dropped",
    cell: ({ createdAt }) => <Time value={createdAt} />,
    second: ({ by }) => by.username,
    width: "16%",
    dimmed: true,
  },
];

function Open({ statement }: { statement: Statement }) {
  const { state, payments, read, lines } = statement;
  if (state === "new") return <StatusBadge tone="warning">Columns to confirm</StatusBadge>;
  if (state === "reading") return <StatusBadge tone="warning">{`${lineCount(lines - read)} to read`}</StatusBadge>;
  const open = payments.certain.count + payments.likely.count + leftOf(statement);
  return open > 0 ? lineCount(open) : <StatusBadge tone="plain">All done</StatusBadge>;
}
