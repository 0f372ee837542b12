import { lineStates, type Statement, type StatementLine, statements } from "@footprint/contract/statements.ts";
import { IconArchive, IconArrowBackUp, IconCheck, IconLink } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { BalanceChange } from "../../shared/BalanceChange.tsx";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { type ListFilter, useList } from "../../shared/list.ts";
import type { Several } from "../../shared/several.ts";
import { isToReverse, LineStatus } from "./LineStatus.tsx";
import { lineCount, paymentCount } from "./words.ts";

const LineDetails = lazyPart(() => import("./LineDetails.tsx").then((file) => file.LineDetails));
const AssignInvoice = lazyPart(() => import("./AssignInvoice.tsx").then((file) => file.AssignInvoice));
const PayChosen = lazyPart(() => import("./PayChosen.tsx").then((file) => file.PayChosen));
const SayWhy = lazyPart(() => import("./SayWhy.tsx").then((file) => file.SayWhy));

/** Set by the tabs above the list. */
const stateFilter: ListFilter<"state"> = {
  names: ["state"],
  accepts: (value) => value === "left" || lineStates.some((state) => state === value),
  Chip: () => null,
};

const isOpen = ({ state }: StatementLine) => state !== "paid" && state !== "aside";
const isPayable = ({ state, invoice, asked }: StatementLine) =>
  (state === "certain" || state === "likely") && invoice?.status === "pending" && !asked;

const several = (payChosen: (lines: readonly StatementLine[]) => void): Several<StatementLine> => ({
  nameOf: ({ line, name }) => `line ${line}${name && ` of ${name}`}`,
  amountOf: ({ amount }) => amount,
  actions: [
    {
      text: (count) => `Pay ${paymentCount(count)}`,
      Icon: IconCheck,
      applies: isPayable,
      act: payChosen,
    },
    {
      text: (count) => `Set ${lineCount(count)} aside`,
      Icon: IconArchive,
      applies: isOpen,
      ask: {
        message: "They belong to no invoice, and are not matched any more.",
        leftOut: "done already",
        reason: "Up to 500 characters. Kept with the lines and in the log.",
        needsReason: true,
        working: "Setting aside…",
        done: (count) => `${lineCount(count)} set aside`,
        call: (ids, reason, options) => callApi(statements.setAside, { body: { ids, reason } }, options),
      },
    },
  ],
});

/** The payments of a statement beside the invoices that they fit, and why. */
export function LinesList({ statement }: { statement: Statement }) {
  const list = useList(statements.lines, (reply) => reply.lines, {
    filters: [stateFilter],
    within: { params: { id: statement._id } },
    oldestFirst: true,
  });
  const { pay, payChosen, assign, setAside, reopen } = useLineActions(statement._id, list.chosen.drop);

  const who: Column<StatementLine> = {
    title: "Payer",
    cell: ({ name, email }) => <b>{name || email || "Nobody is named"}</b>,
    second: ({ note, name, email }) => note || (name && email) || "–",
    onCard: "headline",
  };
  const amount: Column<StatementLine> = {
    title: "Amount",
    cell: ({ amount }) => <b>{formatMoney(amount)}</b>,
    align: "right",
    onCard: "aside",
  };
  const paid: Column<StatementLine> = {
    title: "Paid",
    cell: ({ at, hasTime }) => <Time value={at} exact={hasTime} />,
    second: ({ line }) => `Line ${line}`,
  };
  const invoice: Column<StatementLine> = {
    title: "Invoice",
    cell: ({ invoice }) => (invoice ? <CustomerLink user={invoice.user} /> : "–"),
    second: (line) => <InvoiceInShort line={line} />,
  };
  const state: Column<StatementLine> = {
    title: "Fits",
    cell: (line) => <LineStatus line={line} />,
    second: (line) =>
      isToReverse(line) ? `Reversed in ${line.reversed}` : line.reason || (line.done && `by ${line.done.by}`),
    wraps: true,
    onCard: "aside",
  };
  const columns: Column<StatementLine>[] = [
    { ...paid, width: "12%" },
    { ...who, width: "20%" },
    { ...amount, width: "9%" },
    { ...invoice, width: "17%" },
    state,
    {
      title: "",
      width: 190,
      cell: (line) => {
        const of = `line ${line.line}`;
        if (!isOpen(line))
          return (
            (line.state === "aside" || line.done?.reversed) && (
              <RowButton text="Open again" of={of} Icon={IconArrowBackUp} onClick={() => reopen(line)} />
            )
          );
        return (
          <>
            {line.invoice?.status === "pending" ? (
              <RowButton text="Pay" of={of} Icon={IconCheck} onClick={() => pay(line)} />
            ) : (
              <RowButton text="Assign" of={of} Icon={IconLink} onClick={() => assign(line)} />
            )}
            <RowButton text="Set aside" of={of} onClick={() => setAside(line)} />
          </>
        );
      },
    },
  ];

  return (
    <ListScreen
      title="Lines"
      counted={["line", "lines"]}
      list={list}
      views={{ screen: "invoices", usual: {} }}
      columns={columns}
      columnsBeside={[who, amount, invoice, { ...state, second: () => undefined }]}
      several={several(payChosen)}
      searchFor="Name, note, transaction id"
      empty={{ title: "No payments", hint: "No line of this statement is a payment that came in." }}
      details={(line, close) => (
        <LineDetails
          line={line}
          onPay={() => pay(line)}
          onAssign={() => assign(line)}
          onSetAside={() => setAside(line)}
          onReopen={() => reopen(line)}
          onClose={close}
        />
      )}
    />
  );
}

function useLineActions(statement: string, drop: (ids: string[]) => void) {
  const open = useDialog();
  const confirm = useConfirm();
  return {
    pay(line: StatementLine) {
      const { invoice } = line;
      if (!invoice) return;
      const differs = invoice.amount !== line.amount;
      confirm({
        title: "Pay this invoice?",
        message: (
          <>
            <b>{formatMoney(invoice.amount)}</b> will be credited to the balance of <b>{invoice.user.username}</b> and
            count as a deposit.{" "}
            {differs && (
              <>
                The line is <b>{formatMoney(line.amount)}</b>: the invoice's amount is credited, not the line's.{" "}
              </>
            )}
            {line.reason}.
          </>
        ),
        details: <BalanceChange customer={invoice.user} amount={invoice.amount} />,
        asksReason: true,
        action: `Pay ${formatMoney(invoice.amount)}`,
        working: "Paying…",
        onConfirm: (options, reason) =>
          callApi(
            statements.pay,
            { params: { id: line._id }, body: { invoice: invoice._id, differs, reason } },
            options,
          ),
      });
    },
    payChosen: (lines: readonly StatementLine[]) =>
      open((close) => <PayChosen statement={statement} lines={lines} onDone={drop} onClose={close} />),
    assign: (line: StatementLine) => open((close) => <AssignInvoice line={line} onClose={close} />),
    setAside: (line: StatementLine) => open((close) => <SayWhy line={line} act="aside" onClose={close} />),
    reopen: (line: StatementLine) => open((close) => <SayWhy line={line} act="reopen" onClose={close} />),
  };
}

function InvoiceInShort({ line: { invoice, amount } }: { line: StatementLine }) {
  if (!invoice) return null;
  return (
    <>
      {invoice.amount !== amount && <b>{formatMoney(invoice.amount)} </b>}
      <Time value={invoice.createdAt} exact plain />
    </>
  );
}
