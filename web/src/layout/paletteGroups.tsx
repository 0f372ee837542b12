import type { Found } from "@footprint/contract/search.ts";
import type { Role } from "@footprint/contract/session.ts";
import {
  IconAlertTriangle,
  IconArrowRight,
  IconFileInvoice,
  IconHistory,
  IconPackage,
  IconPackages,
  IconReport,
  IconScan,
  IconSettings,
  IconTruckDelivery,
  type IconUsers,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { type Screen, screensFor } from "../screens.tsx";
import { balancePath } from "../shared/CustomerLink.tsx";
import { Emblem, initialsOf, letterOf } from "../shared/Emblem.tsx";
import { formatCount, formatMoney, formatWeight, Time } from "../shared/format.tsx";
import { goKey } from "../shared/keys.ts";
import { labelOf } from "../shared/labels.ts";
import { shortened } from "../shared/ShortId.tsx";
import classes from "./Palette.module.css";

/** A row of the palette: a link or an action. */
export type Item = {
  key: string;
  icon?: ReactNode;
  body?: ReactNode;
  aside?: ReactNode;
  /** The keys for the same, as shown. */
  pressed?: string[];
  /** The key that does the same together with Alt. */
  code?: string;
  /** The customer that it concerns. */
  customer?: string;
  /** Leads to the list of all hits. */
  isAll?: boolean;
  to?: string;
  act?: () => void;
};

export type Group = { title: string; items: Item[]; total?: { count: number; isCapped: boolean } };

/** The more kinds, the fewer rows of each, so that all are visible. */
const fewOf = (kinds: number) => (kinds > 3 ? 2 : kinds > 1 ? 3 : 5);

type Row = Omit<Item, "key">;

/** The search's hits, by kind. */
export function foundGroups(found: Found, text: string): Group[] {
  const kinds = Object.values(found).filter(({ total }) => total > 0).length;

  function group<T extends { _id: string }>(
    title: string,
    { rows, total, totalCapped }: { rows: T[]; total: number; totalCapped: boolean },
    list: Screen["path"],
    rowOf: (row: T) => Row,
  ): Group {
    const shown = rows.slice(0, fewOf(kinds));
    const items: Item[] = shown.map((row) => ({ key: row._id, ...rowOf(row) }));
    if (total > shown.length) items.push({ key: `all ${list}`, isAll: true, to: searching(list, text) });
    return { title, items, total: { count: total, isCapped: totalCapped } };
  }

  const marked = (shown: string) => <Marked text={shown} part={text} />;
  const id = (value: string) => (
    <code className={classes.id}>
      <MarkedId value={value} part={text} />
    </code>
  );
  const time = (value: string) => <Time value={value} plain />;

  return [
    group("Customers", found.customers, "/users", (customer) => ({
      customer: customer._id,
      icon: <Emblem size={24}>{letterOf(customer.username)}</Emblem>,
      body: (
        <>
          <b>{marked(customer.username)}</b>{" "}
          <span className={classes.more}>{customer.status ? marked(customer.email) : "Disabled"}</span>
        </>
      ),
      aside: (
        <>
          <span className={classes.wide}>Balance</span> <b>{formatMoney(customer.balance)}</b>
        </>
      ),
      to: balancePath(customer._id),
    })),
    group("Orders", found.orders, "/orders", (order) => ({
      icon: <IconPackage size={18} />,
      body: (
        <>
          {id(order.uuid)}{" "}
          <span className={classes.more}>
            {marked(order.user.username)}, {order.labelType.name}, {formatWeight(order.weight, order.labelType.name)}
            {order.isRefunded && ", refunded"}
          </span>
        </>
      ),
      aside: (
        <>
          <b>{formatMoney(order.price)}</b> {time(order.createdAt)}
        </>
      ),
      to: `/orders?view=${order._id}`,
    })),
    group("Bulk orders", found.bulkOrders, "/bulk-orders", (bulk) => ({
      icon: <IconPackages size={18} />,
      body: (
        <>
          {id(bulk.uuid)} <span className={classes.more}>{marked(bulk.user.username)}</span>
        </>
      ),
      aside: (
        <>
          <b>{bulk.orderCount === 1 ? "1 order" : `${formatCount(bulk.orderCount)} orders`}</b> {time(bulk.createdAt)}
        </>
      ),
      to: `/bulk-orders?view=${bulk._id}`,
    })),
    group("Fedex", found.fedexOrders, "/fedex", (fedex) => ({
      icon: <IconTruckDelivery size={18} />,
      body: (
        <>
          {id(fedex.uuid)}{" "}
          <span className={classes.more}>
            {marked(fedex.user.username)}, to {marked(fedex.to.name)} in {fedex.to.city}
          </span>
        </>
      ),
      aside: (
        <>
          <b>{fedex.status}</b> {time(fedex.createdAt)}
        </>
      ),
      to: `/fedex?view=${fedex._id}`,
    })),
    group("Invoices", found.invoices, "/invoices", (invoice) => ({
      icon: <IconFileInvoice size={18} />,
      body: (
        <>
          {id(invoice._id)}{" "}
          <span className={classes.more}>
            {marked(invoice.user.username)}, {labelOf(invoice.payment_method)}, {invoice.status}
          </span>
        </>
      ),
      aside: (
        <>
          <b>{formatMoney(invoice.amount)}</b> {time(invoice.createdAt)}
        </>
      ),
      to: `/invoices?view=${invoice._id}`,
    })),
    group("Tracking codes", found.trackings, "/usps", ({ code, type, used, createdAt }) => ({
      icon: <IconScan size={18} />,
      body: (
        <>
          <code className={classes.id}>{marked(code)}</code> <span className={classes.more}>{labelOf(type)}</span>
        </>
      ),
      aside: (
        <>
          {used ? "Used" : "Unused"} {time(createdAt)}
        </>
      ),
      to: searching("/usps", code),
    })),
    group("Staff", found.staff, "/staff", ({ username, role }) => ({
      icon: <Emblem size={24}>{initialsOf(username)}</Emblem>,
      body: (
        <>
          <b>{marked(username)}</b> <span className={classes.more}>{role}</span>
        </>
      ),
      to: searching("/staff", username),
    })),
  ].filter(({ items }) => items.length > 0);
}

const searching = (list: Screen["path"], text: string) => `${list}?${new URLSearchParams({ search: text })}`;

/** Screens with a word that begins like this; all of them before anything is typed. */
export function namedScreens(role: Role, text: string): Item[] {
  const beginning = ` ${text.toLowerCase()}`;
  return screensFor(role)
    .filter(({ path, label }) => !path.includes(":") && ` ${label.toLowerCase()}`.includes(beginning))
    .map((screen) => ({
      ...screenItem(screen),
      body: <Marked text={screen.label} part={text} />,
      to: screen.path,
    }));
}

/** Screens that can search for it themselves. */
export function searchedScreens(role: Role, text: string): Item[] {
  const quoted = (
    <>
      “<mark className={classes.mark}>{text}</mark>”
    </>
  );
  const words: Partial<Record<Screen["path"], string>> = { "/users": "found by", "/logs": "about" };
  return screensFor(role).flatMap((screen) =>
    words[screen.path]
      ? [
          {
            ...screenItem(screen),
            key: `${screen.path} searched`,
            body: (
              <>
                {screen.label} {words[screen.path]} {quoted}
              </>
            ),
            to: searching(screen.path, text),
          },
        ]
      : [],
  );
}

/** Icons of screens that the sidebar does not list. */
const icons: Partial<Record<Screen["path"], typeof IconUsers>> = {
  "/logs": IconHistory,
  "/summary": IconReport,
  "/unusual": IconAlertTriangle,
  "/admin-settings": IconSettings,
};

function screenItem({ path, icon, letter }: Screen): Item {
  const Icon = icon ?? icons[path] ?? IconArrowRight;
  return {
    key: path,
    icon: <Icon size={18} stroke={1.75} />,
    ...(letter && { pressed: [goKey.toUpperCase(), letter.toUpperCase()] }),
  };
}

/** A text with the searched part highlighted. */
function Marked({ text, part }: { text: string; part: string }) {
  const at = part ? text.toLowerCase().indexOf(part.toLowerCase()) : -1;
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark className={classes.mark}>{text.slice(at, at + part.length)}</mark>
      {text.slice(at + part.length)}
    </>
  );
}

/** An id is shown by its beginning and end; of a longer search text as much as is visible is highlighted. */
function MarkedId({ value, part }: { value: string; part: string }) {
  const short = shortened(value);
  const lowered = part.toLowerCase();
  const [head = "", tail = ""] = short.split("…");
  if (lowered.startsWith(head)) return <Marked text={short} part={lowered === value ? short : head} />;
  return <Marked text={short} part={tail && lowered.endsWith(tail) ? tail : part} />;
}
