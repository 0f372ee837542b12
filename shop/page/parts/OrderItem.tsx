import type { Order } from "@footprint/client";
import { Link } from "react-router";
import { dollars, placeOf, weighed, when } from "../words.ts";

/** An order in a list, with a link to its details. */
export const OrderItem = ({ order }: { order: Order }) => (
  <li>
    <Link className="item" to={`/orders/${order._id}`}>
      <div className="stack none">
        <strong className="clip">{order.toName}</strong>
        <span className="small soft clip">
          {order.labelType.name}, {weighed(order.weight, order.labelType.name)} · {placeOf(order.toCity, order.toState)}
        </span>
        {order.tracking && <span className="small soft mono clip">{order.tracking}</span>}
      </div>
      <div className="end">
        <strong className="figure">{dollars(order.price)}</strong>
        {order.isRefunded ? (
          <span className="badge" data-tone="well">
            Refunded
          </span>
        ) : (
          <span className="small soft">{when(order.createdAt)}</span>
        )}
      </div>
    </Link>
  </li>
);
