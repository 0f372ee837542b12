import { type BulkOrder, bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { Group, Stack } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { RowButton } from "../../shared/buttons.tsx";
import { type Column, DataTable } from "../../shared/DataTable.tsx";
import { Details } from "../../shared/Details.tsx";
import { Dialog } from "../../shared/Dialog.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { formatCount, formatMoney, StatusBadge, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import classes from "./BulkOrderDetails.module.css";

const OrderDetails = lazyPart(() => import("../../shared/OrderDetails.tsx").then((file) => file.OrderDetails));

type Row = BulkOrder["orders"][number];

const columns: Column<Row>[] = [
  { title: "Order id", cell: (order) => <ShortId value={order.uuid} name="order id" />, onCard: "headline" },
  {
    title: "From",
    cell: (order) => order.fromName,
    second: (order) => `${order.fromCity}, ${order.fromState}`,
    titled: true,
  },
  { title: "To", cell: (order) => order.toName, second: (order) => `${order.toCity}, ${order.toState}`, titled: true },
  { title: "Tracking id", cell: (order) => <ShortId value={order.tracking} name="tracking id" /> },
  { title: "Total", cell: (order) => <Total order={order} />, align: "right", onCard: "aside" },
  { title: "Created", cell: (order) => <Time value={order.createdAt} />, dimmed: true },
  { title: "", cell: (order) => <ViewOrder order={order} /> },
];

export function BulkOrderDetails({ bulk, onClose }: { bulk: BulkOrder; onClose: () => void }) {
  const isWhole = bulk.orders.length === bulk.orderCount;
  const query = useApiQuery(bulkOrders.read, { params: { id: bulk._id } }, { enabled: !isWhole });
  const orders = isWhole ? bulk.orders : query.data?.order.orders;
  return (
    <Dialog size={960} onClose={onClose} title={`Bulk order of ${bulk.user.username}`}>
      <Stack gap="lg">
        <Details
          items={[
            { title: "UUID", value: <ShortId value={bulk.uuid} name="bulk order id" /> },
            { title: "Order count", value: formatCount(bulk.orderCount) },
            { title: "Total", value: orders ? formatMoney(totalOf(orders)) : "…" },
            { title: "Created", value: <Time value={bulk.createdAt} full /> },
          ]}
        />
        <div className={classes.list}>
          {query.isError && !orders ? (
            <LoadFailure query={query} />
          ) : (
            <DataTable title="Orders in this bulk order" columns={columns} rows={orders} maxHeight={400} />
          )}
        </div>
      </Stack>
    </Dialog>
  );
}

const totalOf = (orders: Row[]) => orders.reduce((sum, order) => sum + Math.round(order.price * 100), 0) / 100;

function ViewOrder({ order: { _id, uuid } }: { order: Row }) {
  const open = useDialog();
  const view = () => open((close) => <OrderDetails id={_id} onClose={close} onLeave={close} />);
  return <RowButton text="View" of={`order ${uuid}`} Icon={IconEye} onClick={view} />;
}

function Total({ order: { price, isRefunded } }: { order: Row }) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap" component="span">
      {isRefunded && <StatusBadge tone="warning">Refunded</StatusBadge>}
      {formatMoney(price)}
    </Group>
  );
}
