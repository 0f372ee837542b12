import type { ComponentType } from "react";
import { lazyPart } from "./shared/lazyPart.tsx";

/** As high as a list, so that the page does not jump. */
const ofCustomer = (load: () => Promise<ComponentType<{ customer: string }>>) =>
  lazyPart(load, () => <div style={{ minHeight: 640 }} aria-busy />);

/** What other features show of one customer, on the customer's page: features do not know each other. */
export const customerLists = {
  balance: ofCustomer(() => import("./features/transfers/BalanceHistory.tsx").then((file) => file.BalanceHistory)),
  orders: ofCustomer(() => import("./features/orders/OrdersScreen.tsx").then((file) => file.OrdersScreen)),
  bulk: ofCustomer(() => import("./features/bulk-orders/BulkOrdersScreen.tsx").then((file) => file.BulkOrdersScreen)),
  fedex: ofCustomer(() => import("./features/fedex/FedexScreen.tsx").then((file) => file.FedexScreen)),
  invoices: ofCustomer(() => import("./features/invoices/InvoicesScreen.tsx").then((file) => file.InvoicesScreen)),
  activity: ofCustomer(() => import("./features/logs/LogsScreen.tsx").then((file) => file.LogsScreen)),
};
