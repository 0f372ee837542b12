import { IconPackage, IconSearch } from "@tabler/icons-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useOrders } from "../data.ts";
import { OrderItem } from "../parts/OrderItem.tsx";
import { Pages, usePage } from "../parts/Pages.tsx";
import { Empty, Loaded, LoadingList } from "../parts/States.tsx";
import { OrderTabs } from "../parts/Tabs.tsx";
import { useTitle } from "../useTitle.ts";

const statuses = ["All", "Active", "Refunded"] as const;

export function OrdersScreen() {
  useTitle("Orders");
  const [query, setQuery] = useSearchParams();
  const page = usePage();
  const search = query.get("search") ?? "";
  const status = statuses.find((one) => one === query.get("status")) ?? "All";
  const orders = useOrders({ page, search, status });

  /** A new search begins on the first page. */
  const narrow = (name: "search" | "status", value: string) =>
    setQuery(
      (before) => {
        before.delete("page");
        if (value && value !== "All") before.set(name, value);
        else before.delete(name);
        return before;
      },
      { replace: true },
    );

  return (
    <>
      <h1>Orders</h1>
      <OrderTabs />
      <div className="searching">
        <Search value={search} onSearch={(text) => narrow("search", text)} />
        <fieldset className="tabs">
          <legend className="unseen">Which orders</legend>
          {statuses.map((one) => (
            <button
              key={one}
              type="button"
              className="tab"
              aria-pressed={one === status}
              onClick={() => narrow("status", one)}
            >
              {one}
            </button>
          ))}
        </fieldset>
      </div>
      <Loaded query={orders} loading={<LoadingList rows={6} />}>
        {({ orders: found, total, totalPages, totalCapped }) =>
          found.length > 0 ? (
            <section aria-label="Your orders" aria-busy={orders.isPlaceholderData}>
              <ul className="list">
                {found.map((order) => (
                  <OrderItem key={order._id} order={order} />
                ))}
              </ul>
              <p className="unseen" role="status">
                {totalCapped ? `More than ${total}` : total} orders
              </p>
              <Pages totalPages={totalPages} />
            </section>
          ) : search || status !== "All" || page > 1 ? (
            <Empty icon={<IconSearch size={36} stroke={1.5} aria-hidden />} title="Nothing found">
              <p>Look for a name, a tracking code or an order's id: whole, its beginning or its end.</p>
              <button type="button" className="button plain" onClick={() => setQuery({})}>
                Show all orders
              </button>
            </Empty>
          ) : (
            <Empty icon={<IconPackage size={36} stroke={1.5} aria-hidden />} title="No labels yet">
              <p>Every label you buy is here, with its tracking code and its refund, should there be one.</p>
              <Link className="button" to="/ship">
                Buy the first
              </Link>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

/** Searches once typing pauses. */
function Search({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const report = useEffectEvent((next: string) => {
    reported.current = next;
    onSearch(next);
  });
  // Back and a shared link change it too.
  useEffect(() => {
    if (value !== reported.current) setText(value);
    reported.current = value;
  }, [value]);
  useEffect(() => {
    if (text.trim() === reported.current) return;
    const timer = setTimeout(() => report(text.trim()), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search>
      <form
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          reported.current = text.trim();
          onSearch(text.trim());
        }}
      >
        <IconSearch size={20} aria-hidden />
        <input
          className="input"
          type="search"
          aria-label="Search your orders"
          placeholder="Name, tracking code, order id"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </search>
  );
}
