import { type BulkOrder, bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { IconEye } from "@tabler/icons-react";
import { useState } from "react";
import type { Column } from "../../shared/DataTable.tsx";
import { formatCount, formatTotal, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useListState } from "../../shared/listState.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { ShortId } from "../../shared/ShortId.tsx";

const BulkOrderDetails = lazyPart(() => import("./BulkOrderDetails.tsx").then((file) => file.BulkOrderDetails));

export function BulkOrdersScreen() {
  const list = useListState();
  const query = useApiQuery(bulkOrders.list, { query: list.values });
  const [viewed, setViewed] = useState<BulkOrder>();

  const columns: Column<BulkOrder>[] = [
    { title: "UUID", cell: (bulk) => <ShortId value={bulk.uuid} name="bulk order id" />, width: "26%" },
    { title: "User", cell: (bulk) => <b>{bulk.user.username}</b>, width: "26%", onCard: "headline" },
    { title: "Order count", cell: (bulk) => formatCount(bulk.orderCount), align: "right", width: "12%" },
    { title: "Created", cell: (bulk) => <Time value={bulk.createdAt} />, dimmed: true, width: "24%" },
    {
      title: "",
      cell: (bulk) => (
        <RowButton label={`View bulk order ${bulk.uuid}`} Icon={IconEye} onClick={() => setViewed(bulk)}>
          View
        </RowButton>
      ),
    },
  ];

  return (
    <>
      <ListScreen
        title="Bulk Orders"
        subtitle={formatTotal(query.data, "bulk order", "bulk orders", list.isNarrowed)}
        showsTimes
        list={list}
        query={query}
        rows={(reply) => reply.orders}
        columns={columns}
        searchFor="UUID, username"
        empty={{
          title: "No bulk orders yet",
          hint: "A bulk order appears here when a customer buys many labels at once in the shop.",
        }}
      />
      {viewed && <BulkOrderDetails bulk={viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}
