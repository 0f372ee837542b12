import type { FedexOrdersReply } from "@footprint/client";
import { IconDownload, IconTruckDelivery } from "@tabler/icons-react";
import { Link, useLocation } from "react-router";
import { useFedexOrders } from "../data.ts";
import { Notice } from "../parts/Notice.tsx";
import { Pages, usePage } from "../parts/Pages.tsx";
import { Empty, Loaded, LoadingList } from "../parts/States.tsx";
import { OrderTabs } from "../parts/Tabs.tsx";
import { useTitle } from "../useTitle.ts";
import { dollars, placeOf, when } from "../words.ts";

type FedexOrder = FedexOrdersReply["orders"][number];

const fedexStates: Record<FedexOrder["status"], { words: string; tone: string }> = {
  Pending: { words: "Waiting for us", tone: "plain" },
  "In Process": { words: "Being worked on", tone: "brand" },
  "Awaiting User Input": { words: "We need something from you", tone: "late" },
  Completed: { words: "Ready", tone: "well" },
  Cancelled: { words: "Cancelled", tone: "bad" },
};

export function FedexOrdersScreen() {
  useTitle("Fedex orders");
  const orders = useFedexOrders(usePage());
  const state = useLocation().state as { asked?: true } | null;
  return (
    <>
      <h1>Orders</h1>
      <OrderTabs />
      {state?.asked && (
        <Notice tone="well" title="We have your request" isUrgent>
          We answer with a price. This page changes by itself when we do.
        </Notice>
      )}
      <Loaded query={orders} loading={<LoadingList rows={3} />}>
        {({ orders: found, totalPages }) =>
          found.length > 0 ? (
            <section aria-label="Your Fedex orders">
              <ul className="list">
                {found.map((order) => (
                  <Item key={order._id} order={order} />
                ))}
              </ul>
              <Pages totalPages={totalPages} />
            </section>
          ) : (
            <Empty icon={<IconTruckDelivery size={36} stroke={1.5} aria-hidden />} title="No Fedex orders yet">
              <p>For what is too large or too heavy for the post. We make these labels for you by hand.</p>
              <Link className="button" to="/ship/fedex">
                Ask for one
              </Link>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

function Item({ order }: { order: FedexOrder }) {
  const { words, tone } = fedexStates[order.status];
  return (
    <li className="item">
      <div className="stack tight">
        <div>
          <strong>{order.to.name}</strong>
          <div className="small soft">
            {order.weight} {order.weightUnit} · {placeOf(order.to.city, order.to.state)} · {when(order.createdAt)}
          </div>
        </div>
        {order.note && <p className="note">{order.note}</p>}
        {order.file && (
          <div>
            <a className="button plain" href={`/api/fedex-orders/${order._id}/file`} download>
              <IconDownload size={18} aria-hidden />
              Download the label
            </a>
          </div>
        )}
      </div>
      <div className="end">
        <strong className="figure">{order.price === null ? "" : dollars(order.price)}</strong>
        <span className="badge" data-tone={tone}>
          {words}
        </span>
      </div>
    </li>
  );
}
