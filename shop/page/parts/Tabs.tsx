import { Link, useLocation } from "react-router";

function Tabs({ tabs, label }: { tabs: readonly (readonly [path: string, name: string])[]; label: string }) {
  const { pathname } = useLocation();
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([path, name]) => (
        <Link key={path} className="tab" to={path} aria-current={pathname === path ? "page" : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

export const ShipTabs = () => (
  <Tabs
    label="Ways to ship"
    tabs={[
      ["/ship", "One label"],
      ["/ship/bulk", "From a file"],
      ["/ship/fedex", "Fedex"],
    ]}
  />
);

export const OrderTabs = () => (
  <Tabs
    label="Kinds of orders"
    tabs={[
      ["/orders", "Labels"],
      ["/orders/fedex", "Fedex"],
    ]}
  />
);
