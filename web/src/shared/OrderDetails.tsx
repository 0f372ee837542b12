import { addressOf } from "@footprint/contract/address.ts";
import { type Order, orders } from "@footprint/contract/orders.ts";
import { Button, Divider, Group, Stack, Text } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { Addresses, Details } from "../../shared/Details.tsx";
import { Dialog } from "../../shared/Dialog.tsx";
import { useConfirm } from "../../shared/dialogs.tsx";
import { formatMoney, formatWeight, Time } from "../../shared/format.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import { OrderStatus } from "./OrderStatus.tsx";

export function OrderDetails({ order, onClose }: { order: Order; onClose: () => void }) {
  const { labelType, user, price, weight, tracking } = order;
  return (
    <Dialog
      size="lg"
      onClose={onClose}
      title={
        <Group gap="sm">
          Order <OrderStatus order={order} />
        </Group>
      }
    >
      <Stack gap="lg">
        <Addresses
          items={[
            { title: "From", address: addressOf(order, "from") },
            { title: "To", address: addressOf(order, "to") },
          ]}
        />
        <Details
          items={[
            { title: "Order", value: <ShortId value={order.uuid} name="order id" /> },
            { title: "Tracking", value: <ShortId value={tracking} name="tracking code" /> },
            { title: "Customer", value: user.username },
            { title: "Created", value: <Time value={order.createdAt} full /> },
            { title: "Label type", value: labelType.name },
            { title: "Weight", value: formatWeight(weight, labelType.name) },
            { title: "Price", value: formatMoney(price) },
          ]}
        />
        <Divider />
        <Group justify="space-between" gap="md" mih={36}>
          <Text size="sm" c="dimmed">
            {order.isRefunded
              ? `Refunded: ${formatMoney(price)} went back to ${user.username}'s balance.`
              : `A refund returns ${formatMoney(price)} to ${user.username}'s balance.`}
          </Text>
          {!order.isRefunded && <RefundButton order={order} onRefunded={onClose} />}
        </Group>
      </Stack>
    </Dialog>
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
      action: `Refund ${price}`,
      working: "Refunding…",
      danger: true,
      onConfirm: (options) => callApi(orders.refund, { params: { id: order._id } }, options),
      onDone: onRefunded,
    });

  return (
    <Button color="red.8" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={ask}>
      Refund Order
    </Button>
  );
}
