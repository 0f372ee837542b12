import { type Order, orderStatuses, orders } from "@footprint/contract/orders.ts";
import { IconEye } from "@tabler/icons-react";
import { useState } from "react";
import type { Column } from "../../shared/DataTable.tsx";
import { formatMoney, formatTotal, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useListState } from "../../shared/listState.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import { OrderStatus } from "./OrderStatus.tsx";

const OrderDetails = lazyPart(() => import("./OrderDetails.tsx").then((file) => file.OrderDetails));

const statusFilter = { name: "status", label: "Status", options: orderStatuses } as const;

export function OrdersScreen() {
  const list = useListState({ filter: statusFilter });
  const query = useApiQuery(orders.list, { query: list.values });
  const [viewed, setViewed] = useState<Order>();
  // The list may be newer: somebody else may have refunded the order.
  const current = query.data?.orders.find((order) => order._id === viewed?._id) ?? viewed;

  const columns: Column<Order>[] = [
    { title: "Order", cell: (order) => <ShortId value={order.uuid} name="order id" />, width: "16%" },
    { title: "Customer", cell: (order) => <b>{order.user.username}</b>, width: "14%", onCard: "headline" },
    { title: "Label type", cell: (order) => order.labelType.name, width: "18%", below: "Customer" },
    { title: "Tracking", cell: (order) => <Tracking code={order.tracking} />, width: "16%" },
    { title: "Price", cell: (order) => formatMoney(order.price), align: "right", width: "8%", onCard: "aside" },
    { title: "Status", cell: (order) => <OrderStatus order={order} />, width: "10%", onCard: "aside" },
    { title: "Created", cell: (order) => <Time value={order.createdAt} />, dimmed: true, width: "9%", below: "Status" },
    {
      title: "",
      cell: (order) => (
        <RowButton label={`View order ${order.uuid}`} Icon={IconEye} onClick={() => setViewed(order)}>
          View
        </RowButton>
      ),
    },
  ];

  return (
    <>
      <ListScreen
        title="Orders"
        subtitle={formatTotal(query.data, "order", "orders", list.isNarrowed)}
        showsTimes
        list={list}
        query={query}
        rows={(reply) => reply.orders}
        columns={columns}
        searchFor="Order id, tracking, customer, sender, receiver"
        empty={{ title: "No orders yet", hint: "An order appears here when a customer buys a label in the shop." }}
      />
      {current && <OrderDetails order={current} onClose={() => setViewed(undefined)} />}
    </>
  );
}

function Tracking({ code }: { code: string }) {
  return code ? <ShortId value={code} name="tracking code" /> : "–";
}
