import { type Order, orderStatuses, orders } from "@footprint/contract/orders.ts";
import { IconEye } from "@tabler/icons-react";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { customerFilter, dayFilter, labelTypeFilter } from "../../shared/filters.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { OrderStatus } from "../../shared/OrderStatus.tsx";
import { ShortId } from "../../shared/ShortId.tsx";

const OrderDetails = lazyPart(() => import("../../shared/OrderDetails.tsx").then((file) => file.OrderDetails));

const statusFilter = { name: "status", label: "Status", options: orderStatuses } as const;

/** All orders, or those of one customer. */
export function OrdersScreen({ customer }: { customer?: string }) {
  const list = useList(orders.list, (reply) => reply.orders, {
    filter: statusFilter,
    filters: [dayFilter, labelTypeFilter, ...(customer ? [] : [customerFilter])],
    within: customer ? { query: { customer } } : undefined,
  });

  const columns: Column<Order>[] = [
    {
      title: "Order",
      cell: (order) => <ShortId value={order.uuid} name="order id" />,
      width: "16%",
      ...(customer && { onCard: "headline" as const }),
    },
    {
      title: "Customer",
      cell: (order) => <CustomerLink user={order.user} />,
      hidden: Boolean(customer),
      width: "14%",
      onCard: "headline",
    },
    { title: "Label type", cell: (order) => order.labelType.name, width: "18%", below: "Customer" },
    { title: "Tracking", cell: (order) => <ShortId value={order.tracking} name="tracking code" />, width: "16%" },
    { title: "Price", cell: (order) => formatMoney(order.price), align: "right", width: "8%", onCard: "aside" },
    { title: "Status", cell: (order) => <OrderStatus order={order} />, width: "10%", onCard: "aside" },
    { title: "Created", cell: (order) => <Time value={order.createdAt} />, dimmed: true, width: "9%", below: "Status" },
    {
      title: "",
      cell: (order) => (
        <RowButton text="View" of={`order ${order.uuid}`} Icon={IconEye} onClick={() => list.open(order)} />
      ),
    },
  ];

  return (
    <ListScreen
      title="Orders"
      counted={["order", "orders"]}
      list={list}
      columns={columns}
      exported={orders.export}
      searchFor="Order id, tracking, customer, sender, receiver"
      empty={{ title: "No orders yet", hint: "An order appears here when a customer buys a label in the shop." }}
      details={(order, close) => <OrderDetails id={order._id} order={order} onClose={close} />}
    />
  );
}
