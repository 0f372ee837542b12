import { useLocation } from "react-router";
import { spansAt, todayIn } from "../../shared/days.ts";
import { useSession } from "../../shared/session.ts";
import { Tabs } from "../../shared/Tabs.tsx";

/** What is asked most often: the list, filtered that way. */
export function TransferViews() {
  const { timezone } = useSession();
  const { search } = useLocation();
  const spans = spansAt(todayIn(timezone));
  const large = { kind: "adjustment", over: "100" };
  const views = {
    All: {},
    "Large adjustments this month": { ...large, ...spans["This month"] },
    "Large adjustments last month": { ...large, ...spans["Last month"] },
    "Refunds this week": { kind: "refund", ...spans["This week"] },
    "Refunds last week": { kind: "refund", ...spans["Last week"] },
  };
  const shown = inOrder(new URLSearchParams(search));
  const tabs = Object.entries(views).map(([name, query]) => {
    const filters = inOrder(new URLSearchParams(query));
    return { name, to: `?${filters}`, isChosen: filters === shown };
  });
  return <Tabs label="Views" tabs={tabs} />;
}

/** The filters of an address, in one order. */
function inOrder(address: URLSearchParams): string {
  for (const name of ["page", "sort"]) address.delete(name);
  address.sort();
  return address.toString();
}
