import type { Queues } from "@footprint/contract/queues.ts";
import type { Role } from "@footprint/contract/session.ts";
import {
  IconArrowsLeftRight,
  IconCheck,
  IconFileInvoice,
  IconIdBadge2,
  IconLayoutDashboard,
  IconPackage,
  IconPackages,
  IconScan,
  IconTags,
  IconTruckDelivery,
  IconUserPlus,
  IconUsers,
  IconWorld,
  type TablerIcon,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import { customerLists } from "./customerLists.tsx";
import { lazyPart } from "./shared/lazyPart.tsx";

export type Screen = {
  path: `/${string}`;
  label: string;
  access: "all" | "admin";
  /** Where staff who open a screen for admins are sent, if not to the orders. */
  redirect?: "/";
  /** The sidebar's entry that is lit, if not its own. */
  under?: `/${string}`;
  /** The sidebar lists the screens that have an icon, under their group. */
  icon?: TablerIcon;
  group?: "Trade" | "Customers" | "Money" | "Set-up";
  /** What the sidebar says beside its name: how many wait there. */
  queue?: keyof Queues;
  /** The sidebar lists it only where its queue is in use. */
  optional?: true;
  /** Pressed after `g`, it leads here. */
  letter?: string;
  load: () => Promise<ComponentType>;
};

/** Features do not know each other: the settings are given it. */
const Webhooks = lazyPart(
  () => import("./features/webhooks/Webhooks.tsx").then((file) => file.Webhooks),
  () => <div style={{ minHeight: 240 }} aria-busy />,
);

/** Every screen, in the sidebar's order. Feeds the router and the sidebar. */
export const screens: readonly Screen[] = [
  {
    path: "/",
    label: "Dashboard",
    icon: IconLayoutDashboard,
    access: "admin",
    letter: "d",
    load: () => import("./features/dashboard/DashboardScreen.tsx").then((file) => file.DashboardScreen),
  },

  {
    path: "/orders",
    label: "Orders",
    icon: IconPackage,
    group: "Trade",
    access: "all",
    letter: "o",
    load: () => import("./features/orders/OrdersScreen.tsx").then((file) => file.OrdersScreen),
  },
  {
    path: "/bulk-orders",
    label: "Bulk Orders",
    icon: IconPackages,
    group: "Trade",
    access: "all",
    letter: "b",
    load: () => import("./features/bulk-orders/BulkOrdersScreen.tsx").then((file) => file.BulkOrdersScreen),
  },
  {
    path: "/fedex",
    label: "Fedex Orders",
    icon: IconTruckDelivery,
    group: "Trade",
    access: "all",
    queue: "fedexOrders",
    letter: "f",
    load: () => import("./features/fedex/FedexOrders.tsx").then((file) => file.FedexOrders),
  },

  {
    path: "/users",
    label: "Users",
    icon: IconUsers,
    group: "Customers",
    access: "all",
    letter: "u",
    load: () => import("./features/users/UsersScreen.tsx").then((file) => file.UsersScreen),
  },
  {
    path: "/new-users",
    label: "New Users",
    icon: IconUserPlus,
    group: "Customers",
    access: "all",
    queue: "newUsers",
    letter: "n",
    load: () => import("./features/users/NewUsersScreen.tsx").then((file) => file.NewUsersScreen),
  },

  {
    path: "/invoices",
    label: "Invoices",
    icon: IconFileInvoice,
    group: "Money",
    access: "all",
    queue: "invoices",
    letter: "i",
    load: () => import("./features/invoices/InvoicesScreen.tsx").then((file) => file.InvoicesScreen),
  },
  {
    path: "/invoices/statements",
    label: "Statements",
    access: "all",
    under: "/invoices",
    load: () => import("./features/statements/StatementsScreen.tsx").then((file) => file.StatementsScreen),
  },
  {
    path: "/invoices/statements/:id",
    label: "Statement",
    access: "all",
    under: "/invoices",
    load: () => import("./features/statements/StatementScreen.tsx").then((file) => file.StatementScreen),
  },
  {
    path: "/transfers",
    label: "Transfers",
    icon: IconArrowsLeftRight,
    group: "Money",
    access: "all",
    letter: "m",
    load: () => import("./features/transfers/TransfersScreen.tsx").then((file) => file.TransfersScreen),
  },

  {
    path: "/approvals",
    label: "Approvals",
    icon: IconCheck,
    group: "Money",
    access: "all",
    queue: "approvals",
    optional: true,
    load: () => import("./features/approvals/ApprovalsScreen.tsx").then((file) => file.ApprovalsScreen),
  },

  {
    path: "/usps",
    label: "USPS Tracking",
    icon: IconScan,
    group: "Set-up",
    access: "admin",
    queue: "codes",
    letter: "t",
    load: () => import("./features/tracking/TrackingScreen.tsx").then((file) => file.TrackingScreen),
  },
  {
    path: "/usps/batches",
    label: "Batches",
    access: "admin",
    under: "/usps",
    load: () => import("./features/tracking/BatchesScreen.tsx").then((file) => file.BatchesScreen),
  },
  {
    path: "/pricing",
    label: "Label Pricing",
    icon: IconTags,
    group: "Set-up",
    access: "admin",
    letter: "p",
    load: () => import("./features/label-types/LabelTypesScreen.tsx").then((file) => file.LabelTypesScreen),
  },
  {
    path: "/website",
    label: "Website",
    icon: IconWorld,
    group: "Set-up",
    access: "admin",
    letter: "w",
    load: async () => {
      const { WebsiteScreen } = await import("./features/website/WebsiteScreen.tsx");
      return () => <WebsiteScreen webhooks={<Webhooks />} />;
    },
  },
  {
    path: "/website/webhooks/:id",
    label: "Webhook",
    access: "admin",
    under: "/website",
    load: () => import("./features/webhooks/WebhookScreen.tsx").then((file) => file.WebhookScreen),
  },
  {
    path: "/staff",
    label: "Staff",
    icon: IconIdBadge2,
    group: "Set-up",
    access: "admin",
    redirect: "/",
    letter: "s",
    load: () => import("./features/staff/StaffScreen.tsx").then((file) => file.StaffScreen),
  },

  {
    path: "/users/:id",
    label: "Customer",
    access: "all",
    load: async () => {
      const { CustomerScreen } = await import("./features/users/CustomerScreen.tsx");
      return () => <CustomerScreen lists={customerLists} />;
    },
  },
  {
    path: "/pricing/:id",
    label: "Label type prices",
    access: "admin",
    load: () => import("./features/label-types/LabelTypePricesScreen.tsx").then((file) => file.LabelTypePricesScreen),
  },
  {
    path: "/logs",
    label: "Transaction Logs",
    access: "admin",
    under: "/staff",
    letter: "l",
    load: () => import("./features/logs/LogsScreen.tsx").then((file) => file.LogsScreen),
  },
  {
    path: "/summary",
    label: "Daily summary",
    access: "admin",
    under: "/",
    load: () => import("./features/summary/SummaryScreen.tsx").then((file) => file.SummaryScreen),
  },
  {
    path: "/unusual",
    label: "Unusual events",
    access: "admin",
    under: "/",
    load: () => import("./features/unusual/UnusualScreen.tsx").then((file) => file.UnusualScreen),
  },
  {
    path: "/admin-settings",
    label: "Account Setting",
    access: "all",
    letter: "a",
    load: () => import("./features/session/AccountSettingScreen.tsx").then((file) => file.AccountSettingScreen),
  },
];

/** What is shown in place of all screens, at whatever address, to who has to do something first. */
export const loadMustFirst = () =>
  import("./features/session/MustFirstScreen.tsx").then((file) => file.MustFirstScreen);

/** What staff see at the root: the dashboard is for admins. */
export const rootForStaff = "/fedex";

/** The screens that an account may see. */
export const screensFor = (role: Role) => screens.filter(({ access }) => access === "all" || role === "admin");
