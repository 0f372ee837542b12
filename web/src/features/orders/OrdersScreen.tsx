import { type ListedOrder, orderStatuses, orders } from "@footprint/contract/orders.ts";
import { IconArrowBackUp, IconCopy, IconEye } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { copyText } from "../../shared/copyText.ts";
import type { Column } from "../../shared/DataTable.tsx";
import { customerFilter, dayFilter, labelTypeFilter, linkFilter } from "../../shared/filters.tsx";
import { formatMoney, formatWeight, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isId, useList } from "../../shared/list.ts";
import { notify } from "../../shared/notify.ts";
import { OrderStatus, Refunded } from "../../shared/OrderStatus.tsx";
import { IdText, ShortId } from "../../shared/ShortId.tsx";
import { counting, type Several } from "../../shared/several.ts";

const OrderDetails = lazyPart(() => import("../../shared/OrderDetails.tsx").then((file) => file.OrderDetails));

const statusFilter = { name: "status", label: "Status", options: orderStatuses } as const;

const shopFilter = linkFilter<"shop", { shop?: { name: string } | null | undefined }>("shop", "Shop", {
  accepts: (value) => value === "unknown" || isId.test(value),
  textOf: (_, reply) => reply?.shop?.name ?? (reply ? "not known" : "…"),
});

const customersFilter = linkFilter("customers", "Customers", {
  accepts: (value) => value === "new" || value === "returning",
  textOf: (value) => value,
});

const priceNote = (order: ListedOrder) => order.customPrice && "Custom";

const orderCount = counting("order", "orders");

const several: Several<ListedOrder> = {
  nameOf: (order) => `order ${order.uuid}`,
  customerOf: (order) => order.user,
  amountOf: (order) => order.price,
  exported: orders.exportChosen,
  actions: [
    {
      text: () => "Copy tracking",
      Icon: IconCopy,
      applies: (order) => Boolean(order.tracking),
      async act(rows) {
        const copied = await copyText(rows.map(({ tracking }) => tracking).join("\n"));
        const codes = counting("tracking code", "tracking codes")(rows.length);
        notify(copied ? "success" : "error", copied ? `${codes} copied` : "The browser refused to copy");
      },
    },
    {
      text: (count) => `Refund ${orderCount(count)}`,
      Icon: IconArrowBackUp,
      danger: true,
      applies: (order) => !order.isRefunded,
      ask: {
        message: "Each price returns to the balance of its customer. This cannot be undone.",
        leftOut: "refunded already",
        movesMoney: true,
        reason: "Optional, up to 500 characters. Kept in the log, and told to the shop.",
        working: "Refunding…",
        done: (count) => `${orderCount(count)} refunded`,
        call: (ids, reason, options) => callApi(orders.refundSeveral, { body: { ids, reason } }, options),
      },
    },
  ],
};

/** All orders, or those of one customer. */
export function OrdersScreen({ customer }: { customer?: string }) {
  const list = useList(orders.list, (reply) => reply.orders, {
    filter: statusFilter,
    filters: [dayFilter, labelTypeFilter, shopFilter, ...(customer ? [] : [customersFilter, customerFilter])],
    read: { call: orders.read, rowOf: (story) => story.order },
    within: customer ? { query: { customer } } : undefined,
  });

  const who: Column<ListedOrder> = {
    title: "Customer",
    cell: (order) => <CustomerLink user={order.user} />,
    hidden: Boolean(customer),
    onCard: "headline",
  };
  const id: Column<ListedOrder> = {
    title: "Order",
    cell: (order) => <ShortId value={order.uuid} name="order id" />,
    onCard: customer ? "headline" : "hidden",
  };
  const created: Column<ListedOrder> = {
    title: "Created",
    cell: (order) => <Time value={order.createdAt} />,
    dimmed: true,
  };
  const label: Column<ListedOrder> = {
    title: "Label type",
    cell: (order) => order.labelType.name,
    second: (order) => formatWeight(order.weight, order.labelType.name),
  };
  const to: Column<ListedOrder> = {
    title: "To",
    cell: (order) => order.toName,
    second: (order) => `${order.toCity}, ${order.toState} ${order.toZip}`,
  };
  const price: Column<ListedOrder> = {
    title: "Price",
    cell: (order) => <b>{formatMoney(order.price)}</b>,
    align: "right",
    onCard: "aside",
  };

  const columns: Column<ListedOrder>[] = [
    { ...id, second: created.cell, width: "14%" },
    { ...who, second: (order) => formatMoney(order.user.balance), width: "13%" },
    { ...label, width: "14%", below: "Customer" },
    {
      title: "From",
      cell: (order) => order.fromName,
      second: (order) => `${order.fromCity}, ${order.fromState} ${order.fromZip}`,
      width: "14%",
      only: "wide",
    },
    { ...to, width: "15%", only: "room" },
    { ...to, only: "card" },
    {
      title: "Tracking",
      cell: (order) =>
        order.tracking ? (
          <ShortId value={order.tracking} name="tracking code" />
        ) : (
          <StatusBadge tone="warning">No tracking</StatusBadge>
        ),
      width: "14%",
      onCard: "hidden",
    },
    { ...price, second: priceNote, width: "8%" },
    { title: "Status", cell: (order) => <OrderStatus order={order} />, width: "9%", onCard: "aside" },
    { ...created, only: "card" },
    {
      title: "",
      cell: (order) => (
        <RowButton text="View" of={`order ${order.uuid}`} Icon={IconEye} onClick={() => list.open(order)} />
      ),
    },
  ];

  const columnsBeside: Column<ListedOrder>[] = [
    ...(customer ? [id] : [{ ...who, second: (order: ListedOrder) => <IdText value={order.uuid} /> }]),
    label,
    to,
    { ...price, second: (order) => (order.isRefunded ? <Refunded /> : priceNote(order)) },
    { ...created, align: "right" },
  ];

  return (
    <ListScreen
      title="Orders"
      counted={["order", "orders"]}
      list={list}
      views={{ screen: "orders", usual: { Today: "days=Today", Refunded: "status=Refunded" } }}
      columns={columns}
      columnsBeside={columnsBeside}
      exported={orders.export}
      several={several}
      searchFor="Order id, tracking, customer, sender, receiver, 2.4 lb"
      empty={{ title: "No orders yet", hint: "An order appears here when a customer buys a label in the shop." }}
      details={(order, close) => <OrderDetails id={order._id} order={order} onClose={close} />}
    />
  );
}
