import { type FedexOrder, fedex, fedexStatuses } from "@footprint/contract/fedex.ts";
import { IconEye, IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { customerFilter, dayFilter } from "../../shared/filters.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { useSession } from "../../shared/session.ts";
import { FedexCustomer, FedexStatus } from "./FedexCells.tsx";
import { FedexStats } from "./FedexStats.tsx";

const UpdateFedex = lazyPart(() => import("./UpdateFedex.tsx").then((file) => file.UpdateFedex));
const FedexDetails = lazyPart(() => import("./FedexDetails.tsx").then((file) => file.FedexDetails));

const statusFilter = { name: "filter", label: "Status", options: ["All", ...fedexStatuses] } as const;

/** All Fedex orders, or those of one customer. */
export function FedexScreen({ customer, actions }: { customer?: string; actions?: ReactNode }) {
  const { role } = useSession();
  const list = useList(fedex.list, (reply) => reply.docs, {
    filter: statusFilter,
    filters: [dayFilter, ...(customer ? [] : [customerFilter])],
    within: customer ? { query: { customer } } : undefined,
    read: { call: fedex.read, rowOf: (reply) => reply.order },
  });
  const open = useDialog();
  const update = (order: FedexOrder) => open((close) => <UpdateFedex order={order} onClose={close} />);

  const columns: Column<FedexOrder>[] = [
    {
      title: "Order id",
      cell: (order) => <ShortId value={order.uuid} name="order id" />,
      width: "18%",
      onCard: "headline",
    },
    {
      title: "User discord id",
      cell: (order) => <CustomerLink user={order.user} />,
      second: (order) => <FedexCustomer order={order} />,
      hidden: Boolean(customer),
      width: "18%",
    },
    {
      title: "Price",
      cell: (order) => (order.price === null ? "–" : <b>{formatMoney(order.price)}</b>),
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
    {
      title: "",
      cell: (order) => (
        <>
          <RowButton text="View" of={`order ${order.uuid}`} Icon={IconEye} onClick={() => list.open(order)} />
          <RowButton text="Update" of={`order ${order.uuid}`} Icon={IconPencil} onClick={() => update(order)} />
        </>
      ),
    },
  ];

  return (
    <ListScreen
      title="Fedex Orders"
      counted={["order", "orders"]}
      list={list}
      views={{ screen: "fedex", usual: { Pending: "filter=Pending", "In process": "filter=In+Process" } }}
      columns={columns}
      exported={fedex.export}
      actions={actions}
      searchFor={role === "admin" ? "Order id, sender, receiver, discord id" : "Order id, sender, receiver"}
      empty={{
        title: "No Fedex orders yet",
        hint: "An order appears here when a customer asks for one in the shop.",
      }}
      details={(order, close) => <FedexDetails order={order} onClose={close} onUpdate={() => update(order)} />}
    >
      {!customer && <FedexStats />}
    </ListScreen>
  );
}
