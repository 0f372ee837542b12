import type { Invoice, Transfer } from "@footprint/client";
import { IconReceipt } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { ask, Failure } from "../ask.ts";
import { useInvoices, useRefresh, useTransfers } from "../data.ts";
import { useDraft } from "../draft.ts";
import { Field, focusFault } from "../parts/Field.tsx";
import { Pages, usePage } from "../parts/Pages.tsx";
import { Refused } from "../parts/Refused.tsx";
import { Empty, Loaded, LoadingList } from "../parts/States.tsx";
import { useCustomer } from "../useCustomer.ts";
import { useTitle } from "../useTitle.ts";
import { count, dollars, shortId, signed, when } from "../words.ts";

export function BalanceScreen() {
  useTitle("Balance");
  const { balance } = useCustomer();
  const invoices = useInvoices(1);
  const transfers = useTransfers(usePage());
  return (
    <>
      <h1>Balance</h1>
      <div className="columns aside turned">
        <section className="stack" aria-labelledby="history">
          <h2 id="history">What changed it</h2>
          <Loaded query={transfers} loading={<LoadingList rows={6} />}>
            {({ transfers: found, totalPages }) =>
              found.length > 0 ? (
                <div>
                  <ul className="list">
                    {found.map((transfer) => (
                      <Change key={transfer._id} transfer={transfer} />
                    ))}
                  </ul>
                  <Pages totalPages={totalPages} />
                </div>
              ) : (
                <Empty icon={<IconReceipt size={36} stroke={1.5} aria-hidden />} title="Nothing yet">
                  <p>Payments, purchases and refunds are listed here, with the balance after each.</p>
                </Empty>
              )
            }
          </Loaded>
        </section>
        <div className="stack">
          <div className="wallet">
            <div>
              <div className="small">Your balance</div>
              <div className="sum figure">{dollars(balance)}</div>
            </div>
          </div>
          <TopUp />
          <Loaded query={invoices} loading={<LoadingList rows={2} />}>
            {({ invoices: found }) => (found.length > 0 ? <Invoices invoices={found} /> : null)}
          </Loaded>
        </div>
      </div>
    </>
  );
}

const usual = ["25", "50", "100", "250"];

function TopUp() {
  const { discordId } = useCustomer();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [query] = useSearchParams();
  const draft = useDraft("top-up", discordId, () => "50");
  const { values: amount, isSending, isUnsure } = draft;
  // After a purchase that cost too much, suggests the missing amount.
  const [missing, setMissing] = useState(Number(query.get("amount")));
  if (missing > 0) {
    setMissing(0);
    if (!isUnsure) draft.change(String(Math.max(5, Math.ceil(missing))));
  }
  const [fault, setFault] = useState("");
  const [failure, setFailure] = useState<Failure>();

  async function open(event: FormEvent) {
    event.preventDefault();
    if (isSending) return;
    setFailure(undefined);
    const text = amount.trim().replace(/^\$/, "").replace(",", ".");
    const isAmount = /^\d+(\.\d{1,2})?$/.test(text) && Number(text) >= 1 && Number(text) <= 10_000;
    setFault(isAmount ? "" : "Enter an amount between $1 and $10,000");
    if (!isAmount) return void focusFault();
    try {
      const body = { amount: Number(text) };
      const { invoice } = await draft.send((key) => ask("POST /api/invoices", { body: { ...body, key } }));
      void refresh("invoices");
      navigate(`/balance/${invoice._id}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
      setFault(error.issues[0]?.message ?? "");
    }
  }

  return (
    <form className="card stack" onSubmit={open} noValidate>
      <h2>Top up</h2>
      <fieldset className="stack" disabled={isSending || isUnsure}>
        <legend className="unseen">How much</legend>
        <div className="amounts">
          {usual.map((each) => (
            <button
              key={each}
              type="button"
              className="button plain"
              aria-pressed={amount === each}
              onClick={() => draft.change(each)}
            >
              ${each}
            </button>
          ))}
        </div>
        <Field
          label="Amount"
          before="$"
          inputMode="decimal"
          value={amount}
          fault={fault}
          onChange={(event) => draft.change(event.target.value)}
        />
      </fieldset>
      <Refused failure={fault ? undefined : failure} isUnsure={isUnsure && !isSending} what="your top-up" />
      <button type="submit" className="button block" disabled={isSending}>
        {isSending ? "One moment …" : isUnsure ? "Send it again" : "Show me how to pay"}
      </button>
    </form>
  );
}

export const invoiceStates: Record<Invoice["status"], { words: string; tone: string }> = {
  pending: { words: "Waiting for your payment", tone: "late" },
  paid: { words: "Paid", tone: "well" },
  expired: { words: "Expired", tone: "plain" },
  failed: { words: "Failed", tone: "bad" },
  reversed: { words: "Taken back", tone: "bad" },
};

const Invoices = ({ invoices }: { invoices: Invoice[] }) => (
  <section className="stack" aria-labelledby="invoices">
    <h2 id="invoices">Top-ups</h2>
    <ul className="list">
      {invoices.slice(0, 6).map(({ _id, amount, status, createdAt }) => (
        <li key={_id}>
          <Link className="item" to={`/balance/${_id}`}>
            <div>
              <strong className="figure">{dollars(amount)}</strong>
              <div className="small soft">{when(createdAt)}</div>
            </div>
            <div className="end">
              <span className="badge" data-tone={invoiceStates[status].tone}>
                {status === "pending" ? "To pay" : invoiceStates[status].words}
              </span>
            </div>
          </Link>
        </li>
      ))}
    </ul>
  </section>
);

const kinds: Record<Transfer["kind"], string> = {
  deposit: "Top-up",
  purchase: "Label",
  refund: "Refund",
  adjustment: "Correction",
  reversal: "Taken back",
};

function Change({ transfer }: { transfer: Transfer }) {
  const { kind, amount, balanceAfter, reason, createdAt } = transfer;
  const [words, path] = purposeOf(transfer);
  const content = (
    <>
      <div className="stack none">
        <strong>{kinds[kind]}</strong>
        <span className="small soft clip">{[words, reason].filter(Boolean).join(" · ") || when(createdAt)}</span>
        {(words || reason) && <span className="small soft">{when(createdAt)}</span>}
      </div>
      <div className="end">
        <strong className="figure" data-tone={amount > 0 ? "well" : undefined}>
          {signed(amount)}
        </strong>
        <span className="small soft figure">{dollars(balanceAfter)}</span>
      </div>
    </>
  );
  return (
    <li>
      {path ? (
        <Link className="item" to={path}>
          {content}
        </Link>
      ) : (
        <div className="item">{content}</div>
      )}
    </li>
  );
}

/** What a change was for, and where it is shown. */
function purposeOf({ for: purpose }: Transfer): [words: string, path: string] {
  switch (purpose?.kind) {
    case "order":
      return [purpose.labelType, `/orders/${purpose._id}`];
    case "bulk order":
      return [`${count(purpose.orderCount, "label")} from a file`, ""];
    case "fedex order":
      return ["Fedex", "/orders/fedex"];
    case "invoice":
      return [`Payment ${shortId(purpose._id)}`, `/balance/${purpose._id}`];
    default:
      return ["", ""];
  }
}
