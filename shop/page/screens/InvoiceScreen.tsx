import type { Invoice } from "@footprint/client";
import { IconArrowLeft, IconCircleCheckFilled } from "@tabler/icons-react";
import { Link, useParams } from "react-router";
import { useInvoice, usePayment } from "../data.ts";
import { Copy } from "../parts/Copy.tsx";
import { Notice } from "../parts/Notice.tsx";
import { QrCode } from "../parts/QrCode.tsx";
import { Loaded, LoadingCard } from "../parts/States.tsx";
import { useCustomer } from "../useCustomer.ts";
import { useTitle } from "../useTitle.ts";
import { dollars, shortId } from "../words.ts";
import { invoiceStates } from "./BalanceScreen.tsx";

export function InvoiceScreen() {
  const { id = "" } = useParams();
  const invoice = useInvoice(id);
  const title = invoice.data ? titleOf(invoice.data.invoice) : "Top-up";
  useTitle(title);
  return (
    <>
      <div className="greeting">
        <Link className="back" to="/balance">
          <IconArrowLeft size={16} aria-hidden /> Balance
        </Link>
        <h1>{title}</h1>
      </div>
      <Loaded query={invoice} loading={<LoadingCard height={420} />}>
        {({ invoice }) =>
          invoice.status === "pending" ? <HowToPay invoice={invoice} /> : <Settled invoice={invoice} />
        }
      </Loaded>
    </>
  );
}

const titleOf = ({ status, amount }: Invoice) =>
  status === "pending" ? `Pay ${dollars(amount)}` : `Top-up of ${dollars(amount)}`;

function HowToPay({ invoice }: { invoice: Invoice }) {
  const payment = usePayment();
  const { amount } = invoice;
  return (
    <Loaded query={payment} loading={<LoadingCard height={420} />}>
      {({ handle }) =>
        handle ? (
          <div className="card">
            <div className="pay">
              {/* The app opens with payee and amount filled in. */}
              <QrCode
                text={`https://cash.app/${handle}/${amount.toFixed(2)}`}
                label={`QR code that pays ${dollars(amount)} to ${handle}`}
              />
              <div className="stack wide">
                <div>
                  <span className="badge" data-tone="late">
                    {invoiceStates.pending.words}
                  </span>
                </div>
                <ol className="steps">
                  <li>
                    <div>
                      <strong>Scan the code with Cash App</strong>
                      <div className="row">
                        <span className="soft">
                          or pay to <strong className="handle">{handle}</strong>
                        </span>
                        <Copy text={handle} what="handle" />
                      </div>
                    </div>
                  </li>
                  <li>
                    <div>
                      <strong>
                        Send exactly <span className="figure">{dollars(amount)}</span>
                      </strong>
                      <div className="soft">Another amount would have to be looked for by hand.</div>
                    </div>
                  </li>
                  <li>
                    <div>
                      <strong>
                        Write <span className="mono">{shortId(invoice._id)}</span> in the note
                      </strong>
                      <div className="soft">So we know at once that it is yours.</div>
                    </div>
                  </li>
                </ol>
                <a
                  className="button narrow-only"
                  href={`https://cash.app/${handle}/${amount.toFixed(2)}`}
                  target="_blank"
                  rel="noreferrer"
                >
                  Open Cash App
                </a>
                <Notice>This page changes by itself as soon as we have your payment. You can also close it.</Notice>
              </div>
            </div>
          </div>
        ) : (
          <Notice tone="late" title="We cannot take payments right now">
            Come back a little later: this page changes by itself.
          </Notice>
        )
      }
    </Loaded>
  );
}

const ends: Record<Exclude<Invoice["status"], "pending" | "paid">, string> = {
  expired: "No payment came in time. If you did pay, write to us; otherwise begin a new top-up.",
  failed: "The payment did not go through. Nothing was credited.",
  reversed: "The payment was taken back, and its amount left your balance.",
};

function Settled({ invoice: { status, amount } }: { invoice: Invoice }) {
  const { balance } = useCustomer();
  if (status === "paid")
    return (
      <div className="card">
        <div className="empty" role="status">
          <IconCircleCheckFilled size={56} className="well" aria-hidden />
          <h2>Paid, thank you</h2>
          <p>
            {dollars(amount)} were added. You have {dollars(balance)} now.
          </p>
          <Link className="button" to="/ship">
            Buy a label
          </Link>
        </div>
      </div>
    );
  if (status === "pending") return null;
  return (
    <Notice tone={status === "expired" ? "late" : "bad"} title={invoiceStates[status].words}>
      {ends[status]}
      <div className="row">
        <Link className="button" to="/balance">
          To your balance
        </Link>
      </div>
    </Notice>
  );
}
