import { users } from "@footprint/contract/users.ts";
import type { ComponentType } from "react";
import { useParams, useSearchParams } from "react-router";
import { formatCount } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { isNotFound, NotFound } from "../../shared/NotFound.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { useSession } from "../../shared/session.ts";
import { Tabs } from "../../shared/Tabs.tsx";
import { CustomerFigures, type Totals } from "./CustomerFigures.tsx";
import { CustomerHeading } from "./CustomerHeading.tsx";
import { CustomPrices } from "./CustomPrices.tsx";

const back = { to: "/users", label: "Users" };

/** Counting stops there. */
const mostCounted = 1_000;

/** The tabs in their order. Without a name in the address, the custom prices are shown. */
const tabs = [
  { name: "balance", label: "Balance history", count: (totals: Totals) => totals.transfers },
  { name: "orders", label: "Orders", count: (totals: Totals) => totals.orders },
  { name: "bulk", label: "Bulk orders", count: (totals: Totals) => totals.bulkOrders, most: mostCounted },
  { name: "fedex", label: "Fedex", count: (totals: Totals) => totals.fedexOrders, most: mostCounted },
  { name: "invoices", label: "Invoices", count: (totals: Totals) => totals.invoices, most: mostCounted },
  { name: undefined, label: "Custom prices", count: (_: Totals, prices: number) => prices },
  { name: "activity", label: "Activity", forAdmins: true },
] as const;

/** The lists of other features, each told which customer's. */
export type CustomerLists = Record<NonNullable<(typeof tabs)[number]["name"]>, ComponentType<{ customer: string }>>;

/** All there is to know about one customer: what they have, and in tabs how it came to that. */
export function CustomerScreen({ lists }: { lists: CustomerLists }) {
  const { id = "" } = useParams();
  const [address] = useSearchParams();
  const { role } = useSession();
  const query = useApiQuery(users.read, { params: { id } });
  const { user, totals } = query.data ?? {};
  if (isNotFound(query.error)) return <NotFound what="customer" back={back} />;

  const shown = tabs.filter((tab) => !("forAdmins" in tab) || role === "admin");
  const chosen = shown.find(({ name }) => name === address.get("tab"))?.name;
  const List = chosen && lists[chosen];

  return (
    <>
      <CustomerHeading user={user} back={back} />
      {query.isError && !query.data ? (
        <LoadFailure query={query} title="This customer could not be loaded" />
      ) : (
        <>
          <CustomerFigures balance={user?.balance} totals={totals} />
          <Tabs
            label="About this customer"
            tabs={shown.map(({ name, label, ...tab }) => ({
              name: label,
              to: name ? `?tab=${name}` : ".",
              isChosen: name === chosen,
              count:
                totals && "count" in tab
                  ? countOf(tab.count(totals, user?.customPricing.length ?? 0), "most" in tab)
                  : undefined,
            }))}
          />
          {/* Another customer's lists start anew. */}
          {List ? <List key={id} customer={id} /> : <CustomPrices id={id} />}
        </>
      )}
    </>
  );
}

const countOf = (count: number, isCapped: boolean) =>
  formatCount(count) + (isCapped && count >= mostCounted ? "+" : "");
