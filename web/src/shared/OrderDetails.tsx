import { addressOf } from "@footprint/contract/address.ts";
import { type Order, type OrderStory, orders } from "@footprint/contract/orders.ts";
import { Anchor, Button, Skeleton, Text } from "@mantine/core";
import { IconArrowBackUp, IconChevronRight } from "@tabler/icons-react";
import { useContext } from "react";
import { Link } from "react-router";
import { callApi } from "./api.ts";
import { BalanceChange } from "./BalanceChange.tsx";
import { BesideContext } from "./beside.ts";
import { Addresses, Details } from "./Details.tsx";
import { DetailsPane } from "./DetailsPane.tsx";
import { useConfirm } from "./dialogs.tsx";
import { Emblem, letterOf } from "./Emblem.tsx";
import { formatCount, formatMoney, formatTotal, formatWeight, Time } from "./format.tsx";
import { keys, useKeys } from "./keys.ts";
import { LoadFailure } from "./LoadFailure.tsx";
import classes from "./OrderDetails.module.css";
import { OrderStatus } from "./OrderStatus.tsx";
import { OrderTimeline } from "./OrderTimeline.tsx";
import { PriceExplained } from "./PriceExplained.tsx";
import { useApiQuery } from "./queries.ts";
import { ShortId } from "./ShortId.tsx";
import { SecondLine } from "./TwoLines.tsx";

/** Everything about an order. What a list already has is shown while the rest loads. */
export function OrderDetails({
  id,
  order: listed,
  onClose,
  onLeave,
}: {
  id: string;
  order?: Order;
  onClose: () => void;
  /** Called when a link is followed: for a dialog above a screen that the link may lead to. */
  onLeave?: () => void;
}) {
  const query = useApiQuery(orders.read, { params: { id } }, { gcTime: 0 });
  const isBeside = useContext(BesideContext) !== undefined;
  const story = query.data;
  const order = story?.order ?? listed;
  return (
    <DetailsPane
      what="Order"
      id={order?.uuid ?? ""}
      record={id}
      status={order && <OrderStatus order={order} badge />}
      onClose={onClose}
      // Beside the list the details stay, and show the refund.
      foot={order && <Foot order={order} onRefunded={isBeside ? () => {} : onClose} />}
    >
      {order && (
        <>
          <Customer order={order} customer={story?.customer} onLeave={onLeave} />
          <Addresses
            items={[
              { title: "From", address: addressOf(order, "from") },
              { title: "To", address: addressOf(order, "to") },
            ]}
          />
          <Details
            inline
            items={[
              ...(isBeside ? [] : [{ title: "Order", value: <ShortId value={order.uuid} name="order id" /> }]),
              { title: "Label type", value: order.labelType.name },
              { title: "Weight", value: formatWeight(order.weight, order.labelType.name) },
              { title: "Tracking", value: <ShortId value={order.tracking} name="tracking code" whole={isBeside} /> },
              { title: "Created", value: <Time value={order.createdAt} full /> },
              ...(story?.bulkOrder
                ? [{ title: "Bulk order", value: <Place {...story.bulkOrder} onLeave={onLeave} /> }]
                : []),
            ]}
          />
          <PriceExplained order={order} pricing={story?.pricing} />
        </>
      )}
      {story ? (
        // Every order has its own unsaved note.
        <OrderTimeline key={id} story={story} />
      ) : query.isError ? (
        <LoadFailure title="The order's story could not be loaded" query={query} />
      ) : (
        <Skeleton height={160} aria-busy />
      )}
    </DetailsPane>
  );
}

function Foot({ order, onRefunded }: { order: Order; onRefunded: () => void }) {
  const price = formatMoney(order.price);
  return (
    <>
      <Text fz={13} c="dimmed" flex={1} miw={200}>
        {order.isRefunded
          ? `Refunded: ${price} went back to ${order.user.username}'s balance.`
          : `A refund returns ${price} to ${order.user.username}'s balance.`}
      </Text>
      {!order.isRefunded && <RefundButton order={order} onRefunded={onRefunded} />}
    </>
  );
}

/** Who bought it, and their balance now. */
function Customer({
  order: { user },
  customer,
  onLeave,
}: {
  order: Order;
  customer: OrderStory["customer"] | undefined;
  onLeave: (() => void) | undefined;
}) {
  return (
    <div className={classes.customer}>
      <Emblem size={36} tile>
        {letterOf(user.username)}
      </Emblem>
      <div className={classes.name}>
        <Anchor component={Link} to={`/users/${user._id}?tab=balance`} fz="sm" fw={600} onClick={onLeave}>
          {user.username}
        </Anchor>
        {customer && (
          <SecondLine>
            {customer.customPricingEnabled ? "Custom pricing, " : ""}
            {formatTotal({ total: customer.orders }, "order", "orders", false)} since{" "}
            <Time value={customer.createdAt} />
          </SecondLine>
        )}
      </div>
      <div className={classes.balance}>
        <b>{customer ? formatMoney(customer.balance) : "…"}</b>
        <SecondLine>Balance</SecondLine>
      </div>
      <IconChevronRight className={classes.onward} size={16} aria-hidden />
    </div>
  );
}

type PlaceProps = NonNullable<OrderStory["bulkOrder"]> & { onLeave: (() => void) | undefined };

function Place({ _id, uuid, place, orderCount, onLeave }: PlaceProps) {
  return (
    <Anchor component={Link} fz="inherit" fw={550} to={`/bulk-orders?search=${uuid}&view=${_id}`} onClick={onLeave}>
      {formatCount(place)} of {formatCount(orderCount)}
    </Anchor>
  );
}

function RefundButton({ order, onRefunded }: { order: Order; onRefunded: () => void }) {
  const confirm = useConfirm();
  const price = formatMoney(order.price);

  const ask = () =>
    confirm({
      title: "Refund this order?",
      message: (
        <>
          <b>{price}</b> returns to the balance of <b>{order.user.username}</b>. This cannot be undone.
        </>
      ),
      details: <BalanceChange customer={order.user} amount={order.price} />,
      asksReason: true,
      action: `Refund ${price}`,
      working: "Refunding…",
      danger: true,
      onConfirm: (options, reason) => callApi(orders.refund, { params: { id: order._id }, body: { reason } }, options),
      onDone: onRefunded,
    });

  useKeys({ [keys.refund.key]: ask });

  return (
    <Button
      variant="default"
      className={classes.refund}
      data-danger
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      onClick={ask}
    >
      Refund Order
    </Button>
  );
}
