import { type FedexOrder, fedex, fedexStatuses } from "@footprint/contract/fedex.ts";
import { Group } from "@mantine/core";
import { IconEye, IconPencil } from "@tabler/icons-react";
import { useState } from "react";
import type { Column } from "../../shared/DataTable.tsx";
import { formatMoney, formatTotal, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useListState } from "../../shared/listState.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import { useSession } from "../../shared/session.ts";
import { FedexCustomer, FedexStatus } from "./FedexCells.tsx";
import { FedexStats } from "./FedexStats.tsx";

const UpdateFedex = lazyPart(() => import("./UpdateFedex.tsx").then((file) => file.UpdateFedex));
const FedexDetails = lazyPart(() => import("./FedexDetails.tsx").then((file) => file.FedexDetails));

const statusFilter = { name: "filter", label: "Status", options: ["All", ...fedexStatuses] } as const;

export function FedexScreen() {
  const { role } = useSession();
  const list = useListState({ filter: statusFilter });
  const query = useApiQuery(fedex.list, { query: list.values });
  const [viewed, setViewed] = useState<FedexOrder>();
  const [updated, setUpdated] = useState<FedexOrder>();

  const actions = (order: FedexOrder) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <RowButton label={`View order ${order.uuid}`} Icon={IconEye} onClick={() => setViewed(order)}>
        View
      </RowButton>
      <RowButton Icon={IconPencil} label={`Update order ${order.uuid}`} onClick={() => setUpdated(order)}>
        Update
      </RowButton>
    </Group>
  );

  const columns: Column<FedexOrder>[] = [
    {
      title: "Order id",
      cell: (order) => <ShortId value={order.uuid} name="order id" />,
      width: "18%",
      onCard: "headline",
    },
    { title: "User discord id", cell: (order) => <FedexCustomer order={order} />, width: "18%" },
    {
      title: "Price",
      cell: (order) => (order.price === null ? "–" : formatMoney(order.price)),
      align: "right",
      width: "10%",
    },
    { title: "Status", cell: (order) => <FedexStatus order={order} />, width: "19%", onCard: "aside" },
    {
      title: "Created",
      cell: (order) => <Time value={order.createdAt} />,
      dimmed: true,
      width: "11%",
      below: "Status",
    },
    { title: "", cell: actions },
  ];

  return (
    <>
      <ListScreen
        title="Fedex Orders"
        subtitle={formatTotal(query.data, "order", "orders", list.isNarrowed)}
        showsTimes
        list={list}
        query={query}
        rows={(reply) => reply.docs}
        columns={columns}
        searchFor={role === "admin" ? "Order id, sender, receiver, discord id" : "Order id, sender, receiver"}
        empty={{
          title: "No Fedex orders yet",
          hint: "An order appears here when a customer asks for one in the shop.",
        }}
      >
        <FedexStats />
      </ListScreen>
      {viewed && (
        <FedexDetails
          order={viewed}
          onClose={() => setViewed(undefined)}
          onUpdate={() => {
            setViewed(undefined);
            setUpdated(viewed);
          }}
        />
      )}
      {updated && <UpdateFedex order={updated} onClose={() => setUpdated(undefined)} />}
    </>
  );
}
