import { type Statement, statements } from "@footprint/contract/statements.ts";
import { Button, Skeleton } from "@mantine/core";
import { IconCheck, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { callApi } from "../../shared/api.ts";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatCount } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isNotFound, NotFound } from "../../shared/NotFound.tsx";
import { useApiQuery, useRemoval, useToastedCall } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { Tabs } from "../../shared/Tabs.tsx";
import { InvoicesWithoutLine } from "./InvoicesWithoutLine.tsx";
import { LinesList } from "./LinesList.tsx";
import { RefusedLines } from "./RefusedLines.tsx";
import { leftOf, lineCount, statementPath, summaryOf } from "./words.ts";

const ReadStatement = lazyPart(
  () => import("./ReadStatement.tsx").then((file) => file.ReadStatement),
  () => <Skeleton height={320} aria-busy />,
);
const PayCertain = lazyPart(() => import("./PayCertain.tsx").then((file) => file.PayCertain));

/** One statement: its columns until they are confirmed, then its lines beside the invoices that they fit. */
export function StatementScreen() {
  const { id = "" } = useParams();
  const query = useApiQuery(statements.read, { params: { id } });
  const statement = query.data?.statement;
  if (isNotFound(query.error)) return <NotFound what="statement" back={back} />;
  if (!statement)
    return (
      <>
        <ScreenHeader title="Statement" back={back} subtitle="" />
        {query.isError ? (
          <LoadFailure query={query} title="This statement could not be loaded" />
        ) : (
          <Skeleton height={320} aria-busy />
        )}
      </>
    );
  return statement.state === "ready" ? (
    <Ready statement={statement} />
  ) : (
    <>
      <ScreenHeader
        title={statement.file}
        back={back}
        subtitle={`${lineCount(statement.lines)}, dropped by ${statement.by.username}`}
        actions={<Remove statement={statement} />}
        showsTimes
      />
      <ReadStatement key={statement._id} statement={statement} />
    </>
  );
}

const back = { to: "/invoices/statements", label: "Statements" };

type Shown = { statement: Statement };

function Ready({ statement }: Shown) {
  const { _id, payments } = statement;
  const [address] = useSearchParams();
  const tab = address.get("tab");
  const state = tab ? "" : (address.get("state") ?? "");
  const open = useDialog();
  const match = useToastedCall(() => callApi(statements.match, { params: { id: _id } }));
  const { certain } = payments;
  const counts = {
    "": Object.values(payments).reduce((sum, { count }) => sum + count, 0),
    certain: certain.count,
    likely: payments.likely.count,
    left: leftOf(statement),
    paid: payments.paid.count,
    aside: payments.aside.count,
  };
  const path = statementPath(_id);
  const stateTab = (name: string, value: keyof typeof counts) => ({
    name,
    to: value ? `${path}?state=${value}` : path,
    isChosen: !tab && state === value,
    count: formatCount(counts[value]),
  });
  return (
    <>
      <ScreenHeader
        title={statement.file}
        back={back}
        subtitle={summaryOf(statement)}
        showsTimes
        actions={
          <>
            <Remove statement={statement} />
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              disabled={match.isPending}
              onClick={() => match.mutate()}
            >
              {match.isPending ? "Matching…" : "Match again"}
            </Button>
            {certain.count > 0 && (
              <Button
                leftSection={<IconCheck size={16} aria-hidden />}
                onClick={() => open((close) => <PayCertain statement={statement} onClose={close} />)}
              >
                {`Pay ${formatCount(certain.count)} certain`}
              </Button>
            )}
          </>
        }
      />
      <Tabs
        label="Lines and invoices"
        tabs={[
          stateTab("All", ""),
          stateTab("Certain", "certain"),
          stateTab("Likely", "likely"),
          stateTab("Left over", "left"),
          stateTab("Paid", "paid"),
          stateTab("Set aside", "aside"),
          { name: "Invoices without a line", to: `${path}?tab=invoices`, isChosen: tab === "invoices" },
          {
            name: "Refused lines",
            to: `${path}?tab=refused`,
            isChosen: tab === "refused",
            count: formatCount(statement.refused),
          },
        ]}
      />
      {tab === "invoices" ? (
        <InvoicesWithoutLine statement={statement} />
      ) : tab === "refused" ? (
        <RefusedLines id={_id} />
      ) : (
        <LinesList statement={statement} />
      )}
    </>
  );
}

/** Where nothing was paid with it yet. */
function Remove({ statement: { _id, file, payments, lines } }: Shown) {
  const confirm = useConfirm();
  const navigate = useNavigate();
  const removal = useRemoval(_id);
  if (payments.paid.count > 0) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} aria-hidden />}
      onClick={() =>
        confirm({
          title: "Remove this statement?",
          message: `${file} with ${lineCount(lines)} will be removed. None of these has paid an invoice; the file can be dropped again.`,
          action: "Remove",
          working: "Removing…",
          danger: true,
          onConfirm: () => removal(() => callApi(statements.remove, { params: { id: _id } })),
          onDone: () => void navigate("/invoices/statements"),
        })
      }
    >
      Remove
    </Button>
  );
}
