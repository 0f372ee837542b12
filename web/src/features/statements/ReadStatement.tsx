import { paymentMethods } from "@footprint/contract/invoices.ts";
import {
  type Statement,
  type StatementColumns,
  type StatementField,
  type StatementMapping,
  statementFields,
  statements,
} from "@footprint/contract/statements.ts";
import { Button, Group, NativeSelect, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../../shared/api.ts";
import { type Column, DataTable } from "../../shared/DataTable.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { labelOf } from "../../shared/labels.ts";
import { Progress } from "../../shared/Progress.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { Warning } from "../../shared/Warning.tsx";
import panel from "./Panel.module.css";
import classes from "./ReadStatement.module.css";
import { fieldWords, lineCount } from "./words.ts";

/** Asks what the columns are, where nobody has said so, and reads the lines. */
export function ReadStatement({ statement }: { statement: Statement }) {
  const { _id, lines, state } = statement;
  const [read, setRead] = useState(statement.read);
  const take = useMutation({
    async mutationFn(mapping: StatementMapping | undefined) {
      for (;;) {
        const body = mapping ? { mapping } : {};
        const reply = await callApi(statements.take, { params: { id: _id }, body });
        setRead(reply.statement.read);
        if (reply.statement.state === "ready") return;
      }
    },
  });
  if (state === "new" && take.isIdle) return <ConfirmColumns statement={statement} onConfirm={take.mutate} />;
  return (
    <section className={`${panel.panel} ${panel.padded}`} aria-label="Reading">
      <Stack gap="md" maw={560}>
        <Text size="sm">
          {take.isPending
            ? "The lines are read and matched with pending invoices. If this is interrupted, it goes on from here."
            : "Not all lines have been read yet."}
        </Text>
        <Progress done={read} of={lines} />
        {take.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {take.error.message}
          </Text>
        )}
        {!take.isPending && (
          <Group>
            <Button onClick={() => take.mutate(take.variables)}>{take.error ? "Try again" : "Go on reading"}</Button>
          </Group>
        )}
      </Stack>
    </section>
  );
}

type Confirm = { statement: Statement; onConfirm: (mapping: StatementMapping) => void };

function ConfirmColumns({ statement, onConfirm }: Confirm) {
  const [mapping, setMapping] = useState<StatementMapping>();
  const query = useApiQuery(statements.columns, {
    params: { id: statement._id },
    body: mapping ? { mapping } : {},
  });
  const columns = query.data?.columns;
  if (!columns) return query.isError ? <LoadFailure query={query} /> : <Skeleton height={480} aria-busy />;
  return (
    <ColumnsForm
      // What was chosen a moment ago is not in the answer yet.
      columns={{ ...columns, ...(mapping && { mapping }) }}
      lines={statement.lines}
      isBusy={query.isPlaceholderData}
      onChange={setMapping}
      onConfirm={onConfirm}
    />
  );
}

function ColumnsForm({
  columns,
  lines,
  isBusy,
  onChange,
  onConfirm,
}: {
  columns: StatementColumns;
  lines: number;
  isBusy: boolean;
  onChange: (mapping: StatementMapping) => void;
  onConfirm: (mapping: StatementMapping) => void;
}) {
  const { headings, samples, mapping, remembered, orderGuessed, understood, problem, warning } = columns;
  const choices = [
    { value: "", label: "–" },
    ...headings.map((heading, place) => {
      const example = samples.map((fields) => fields[place]?.trim()).find(Boolean);
      return {
        value: String(place),
        label: `${heading || `Column ${place + 1}`}${example ? ` (${example.slice(0, 30)})` : ""}`,
      };
    }),
  ];
  const set = (field: StatementField, place: string) =>
    onChange({ ...mapping, columns: { ...mapping.columns, [field]: place === "" ? null : Number(place) } });
  return (
    <div aria-busy={isBusy}>
      <section className={`${panel.panel} ${panel.padded}`} aria-labelledby="columns">
        <Title order={2} size="h4" id="columns">
          Columns
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          {remembered
            ? "As they were confirmed for such a file before."
            : "Recognised by their names and contents. What you confirm is remembered for files with the same headings."}
        </Text>
        <div className={classes.fields}>
          <NativeSelect
            label="Statement of"
            value={mapping.source}
            onChange={(event) =>
              onChange({ ...mapping, source: event.currentTarget.value as StatementMapping["source"] })
            }
            data={paymentMethods.map((method) => ({ value: method, label: labelOf(method) }))}
          />
          {statementFields.map((field) => (
            <NativeSelect
              key={field}
              label={fieldWords[field]}
              value={mapping.columns[field] === null ? "" : String(mapping.columns[field])}
              onChange={(event) => set(field, event.currentTarget.value)}
              data={choices}
            />
          ))}
          <NativeSelect
            label="Dates such as 03/11"
            description={orderGuessed ? "A guess: no date of the file shows it" : undefined}
            inputWrapperOrder={["label", "input", "description"]}
            value={mapping.dateOrder}
            onChange={(event) =>
              onChange({ ...mapping, dateOrder: event.currentTarget.value as StatementMapping["dateOrder"] })
            }
            data={[
              { value: "day first", label: "Day first: 3 November" },
              { value: "month first", label: "Month first: March 11" },
            ]}
          />
          <NativeSelect
            label="Before the cents"
            value={mapping.decimal}
            onChange={(event) =>
              onChange({ ...mapping, decimal: event.currentTarget.value as StatementMapping["decimal"] })
            }
            data={[
              { value: ".", label: "A point: 1,234.56" },
              { value: ",", label: "A comma: 1.234,56" },
            ]}
          />
        </div>
      </section>
      <section className={panel.panel} aria-labelledby="understood">
        <Group justify="space-between" p="md">
          <Title order={2} size="h4" id="understood">
            First payments, as they are understood
          </Title>
          <Button disabled={problem !== null || isBusy} onClick={() => onConfirm(mapping)}>
            {`Read ${lineCount(lines)}`}
          </Button>
        </Group>
        {warning && (
          <div className={classes.problem}>
            <Warning>{warning}</Warning>
          </div>
        )}
        {problem ? (
          <div className={classes.problem}>
            <Warning>{problem}</Warning>
          </div>
        ) : understood.length === 0 ? (
          <div className={classes.problem}>
            <Warning>
              No line is understood as a payment that came in and is completed. Look at amount, status and currency.
            </Warning>
          </div>
        ) : (
          <DataTable
            title="First payments"
            columns={understoodColumns}
            rows={understood.map((payment) => ({ ...payment, _id: String(payment.line) }))}
          />
        )}
      </section>
    </div>
  );
}

type Understood = StatementColumns["understood"][number] & { _id: string };

const understoodColumns: Column<Understood>[] = [
  { title: "Line", cell: ({ line }) => line, width: 80, align: "right" },
  { title: "Paid", cell: ({ at }) => <Time value={at} exact />, width: "20%" },
  { title: "Payer", cell: ({ name }) => <b>{name || "–"}</b>, onCard: "headline" },
  { title: "Note", cell: ({ note }) => note || "–" },
  {
    title: "Amount",
    cell: ({ amount }) => <b>{formatMoney(amount)}</b>,
    align: "right",
    width: "14%",
    onCard: "aside",
  },
];
