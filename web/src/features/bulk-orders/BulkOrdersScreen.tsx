import { type BulkOrder, bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { IconEye } from "@tabler/icons-react";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { customerFilter, dayFilter } from "../../shared/filters.tsx";
import { formatCount, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { ShortId } from "../../shared/ShortId.tsx";

const BulkOrderDetails = lazyPart(() => import("./BulkOrderDetails.tsx").then((file) => file.BulkOrderDetails));

/** All bulk orders, or those of one customer. */
export function BulkOrdersScreen({ customer }: { customer?: string }) {
  const list = useList(bulkOrders.list, (reply) => reply.orders, {
    filters: [dayFilter, ...(customer ? [] : [customerFilter])],
    read: { call: bulkOrders.read, rowOf: (reply) => reply.order },
    within: customer ? { query: { customer } } : undefined,
  });

  const columns: Column<BulkOrder>[] = [
    {
      title: "UUID",
      cell: (bulk) => <ShortId value={bulk.uuid} name="bulk order id" />,
      width: "26%",
      onCard: customer ? "headline" : "hidden",
    },
    {
      title: "User",
      cell: (bulk) => <CustomerLink user={bulk.user} />,
      hidden: Boolean(customer),
      width: "26%",
      onCard: "headline",
    },
    { title: "Order count", cell: (bulk) => formatCount(bulk.orderCount), align: "right", width: "12%" },
    { title: "Created", cell: (bulk) => <Time value={bulk.createdAt} />, dimmed: true, width: "24%" },
    {
      title: "",
      cell: (bulk) => (
        <RowButton text="View" of={`bulk order ${bulk.uuid}`} Icon={IconEye} onClick={() => list.open(bulk)} />
      ),
    },
  ];

  return (
    <ListScreen
      title="Bulk Orders"
      counted={["bulk order", "bulk orders"]}
      list={list}
      views={{ screen: "bulk-orders", usual: { Today: "days=Today" } }}
      columns={columns}
      exported={bulkOrders.export}
      searchFor="UUID, username"
      empty={{
        title: "No bulk orders yet",
        hint: "A bulk order appears here when a customer buys many labels at once in the shop.",
      }}
      details={(bulk, close) => <BulkOrderDetails bulk={bulk} onClose={close} />}
    />
  );
}
