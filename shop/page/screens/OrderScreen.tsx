import type { ReadOrderReply } from "@footprint/client";
import { IconArrowLeft, IconExternalLink } from "@tabler/icons-react";
import { Link, useLocation, useParams } from "react-router";
import { type Address, cautionsOf, fields, type Side } from "../address.ts";
import { useOrder } from "../data.ts";
import { Copy } from "../parts/Copy.tsx";
import { LabelPreview } from "../parts/LabelPreview.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Loaded, LoadingCard } from "../parts/States.tsx";
import { useTitle } from "../useTitle.ts";
import { dollars, weighed, when } from "../words.ts";

export function OrderScreen() {
  useTitle("Order");
  const { id = "" } = useParams();
  const order = useOrder(id);
  return (
    <>
      <div className="greeting">
        <Link className="back" to="/orders">
          <IconArrowLeft size={16} aria-hidden /> Orders
        </Link>
        <h1>{order.data ? `Label for ${order.data.order.toName}` : "Order"}</h1>
      </div>
      <Loaded query={order} loading={<LoadingCard height={360} />}>
        {(data) => <Details {...data} />}
      </Loaded>
    </>
  );
}

const addressIn = (order: ReadOrderReply["order"], side: Side) =>
  Object.fromEntries(
    fields.map((field) => [
      field,
      order[`${side}${field.charAt(0).toUpperCase()}${field.slice(1)}` as keyof typeof order],
    ]),
  ) as unknown as Address;

/** Codes of 22 digits that begin with 9 are USPS's own. */
const isPosts = (tracking: string) => /^9\d{21}$/.test(tracking.replaceAll(" ", ""));

function Details({ order, refund }: ReadOrderReply) {
  const state = useLocation().state as { bought?: true } | null;
  const [from, to] = [addressIn(order, "from"), addressIn(order, "to")];
  const cautions = [...Object.values(cautionsOf(from)), ...Object.values(cautionsOf(to))];
  return (
    <>
      {state?.bought && !order.isRefunded && (
        <Notice tone="well" title={`Bought for ${dollars(order.price)}`} isUrgent>
          The label is yours. Its tracking code is below.
        </Notice>
      )}
      {state?.bought && cautions.length > 0 && (
        <Notice tone="late" title="Look at the address once more">
          {cautions.join(". ")}.
        </Notice>
      )}
      {order.isRefunded && (
        <Notice
          tone="well"
          title={`Refunded${refund ? ` ${dollars(refund.amount)} on ${when(refund.createdAt)}` : ""}`}
        >
          {refund?.reason ? `“${refund.reason}”. ` : ""}The money is in your balance again.
        </Notice>
      )}
      <div className="columns halves">
        <LabelPreview
          name={order.labelType.name}
          weight={weighed(order.weight, order.labelType.name)}
          from={from}
          to={to}
        />
        <div className="card stack">
          <dl className="facts">
            <div>
              <dt>Status</dt>
              <dd>
                {order.isRefunded ? (
                  <span className="badge" data-tone="well">
                    Refunded
                  </span>
                ) : (
                  <span className="badge">Bought</span>
                )}
              </dd>
            </div>
            <div>
              <dt>Bought</dt>
              <dd>{when(order.createdAt)}</dd>
            </div>
            <div>
              <dt>Order</dt>
              <dd className="mono">{order.uuid}</dd>
            </div>
            <div className="total">
              <dt>Price</dt>
              <dd className="figure">{dollars(order.price)}</dd>
            </div>
          </dl>
          <div className="stack tight">
            <h2>Tracking</h2>
            {order.tracking ? (
              <>
                <div className="row">
                  <span className="mono">{order.tracking}</span>
                  <Copy text={order.tracking} what="tracking code" />
                </div>
                {isPosts(order.tracking) && (
                  <a
                    href={`https://tools.usps.com/go/TrackConfirmAction?tLabels=${order.tracking.replaceAll(" ", "")}`}
                    target="_blank"
                    rel="noreferrer"
                  >
                    Follow it at USPS <IconExternalLink size={15} aria-hidden />
                    <span className="unseen"> (opens another window)</span>
                  </a>
                )}
              </>
            ) : (
              <p className="soft">This label has no tracking code.</p>
            )}
          </div>
        </div>
      </div>
    </>
  );
}
