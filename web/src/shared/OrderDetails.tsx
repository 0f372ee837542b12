import { addressOf } from "@footprint/contract/address.ts";
import { type Order, type OrderStory, orders } from "@footprint/contract/orders.ts";
import { Anchor, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import { Link } from "react-router";
import { callApi } from "./api.ts";
import { BalanceChange } from "./BalanceChange.tsx";
import { Addresses, Details } from "./Details.tsx";
import { Dialog } from "./Dialog.tsx";
import { useConfirm } from "./dialogs.tsx";
import { Emblem } from "./Emblem.tsx";
import { formatCount, formatMoney, formatTotal, formatWeight, Time } from "./format.tsx";
import { LoadFailure } from "./LoadFailure.tsx";
import classes from "./OrderDetails.module.css";
import { OrderStatus } from "./OrderStatus.tsx";
import { OrderTimeline } from "./OrderTimeline.tsx";
import { PriceExplained } from "./PriceExplained.tsx";
import { useApiQuery } from "./queries.ts";
import { ShortId } from "./ShortId.tsx";
import { SecondLine } from "./TwoLines.tsx";

/** All there is to say about an order. What a list knows of it is shown while the rest loads. */
export function OrderDetails({ id, order: listed, onClose }: { id: string; order?: Order; onClose: () => void }) {
  const query = useApiQuery(orders.read, { params: { id } }, { gcTime: 0 });
  const story = query.data;
  const order = story?.order ?? listed;
  return (
    <Dialog size="lg" onClose={onClose} title={<Group gap="sm">Order {order && <OrderStatus order={order} />}</Group>}>
      <Stack gap="lg" aria-busy={query.isPending}>
        {order && (
          <>
            <Customer order={order} customer={story?.customer} onLeave={onClose} />
            <Addresses
              items={[
                { title: "From", address: addressOf(order, "from") },
                { title: "To", address: addressOf(order, "to") },
              ]}
            />
            <Details
              items={[
                { title: "Order", value: <ShortId value={order.uuid} name="order id" /> },
                { title: "Tracking", value: <ShortId value={order.tracking} name="tracking code" /> },
                { title: "Label type", value: order.labelType.name },
                { title: "Weight", value: formatWeight(order.weight, order.labelType.name) },
                { title: "Created", value: <Time value={order.createdAt} full /> },
                ...(story?.bulkOrder
                  ? [{ title: "Bulk order", value: <Place {...story.bulkOrder} onLeave={onClose} /> }]
                  : []),
              ]}
            />
            <PriceExplained order={order} pricing={story?.pricing} />
          </>
        )}
        {story ? (
          <OrderTimeline story={story} />
        ) : query.isError ? (
          <LoadFailure title="The order's story could not be loaded" query={query} />
        ) : (
          <Skeleton height={160} />
        )}
        {order && (
          <Group className={classes.footer} justify="space-between" gap="md" mih={36}>
            <Text size="sm" c="dimmed" flex={1} miw={200}>
              {order.isRefunded
                ? `Refunded: ${formatMoney(order.price)} went back to ${order.user.username}'s balance.`
                : `A refund returns ${formatMoney(order.price)} to ${order.user.username}'s balance.`}
            </Text>
            {!order.isRefunded && <RefundButton order={order} onRefunded={onClose} />}
          </Group>
        )}
      </Stack>
    </Dialog>
  );
}

/** Who bought it, and what they have now. Links close the dialog: they may lead to the screen that is shown. */
function Customer({
  order: { user },
  customer,
  onLeave,
}: {
  order: Order;
  customer: OrderStory["customer"] | undefined;
  onLeave: () => void;
}) {
  return (
    <div className={classes.customer}>
      <Emblem>{user.username.charAt(0).toUpperCase()}</Emblem>
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
    </div>
  );
}

function Place({ uuid, place, orderCount, onLeave }: NonNullable<OrderStory["bulkOrder"]> & { onLeave: () => void }) {
  return (
    <Anchor component={Link} fz="inherit" fw={550} to={`/bulk-orders?search=${uuid}`} onClick={onLeave}>
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

  return (
    <Button color="red.8" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={ask}>
      Refund Order
    </Button>
  );
}
