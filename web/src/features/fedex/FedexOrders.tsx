import { SegmentedControl } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { FedexScreen } from "./FedexScreen.tsx";
import { FedexStats } from "./FedexStats.tsx";

const FedexDesk = lazyPart(
  () => import("./FedexDesk.tsx").then((file) => file.FedexDesk),
  () => <div style={{ minHeight: 640 }} aria-busy />,
);

type View = "desk" | "list";

/** Fedex orders in one of two views: the table, or the desk, where orders are worked off one after the other. */
export function FedexOrders() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const [preferred, setPreferred] = useLocalStorage<View>({
    key: "footprint-fedex-view",
    defaultValue: "list",
    getInitialValueInEffect: false,
  });
  const wasList = useRef(false);
  // An address that says something is taken at its word: a figure leads to the list that it counts.
  const isDesk = search ? new URLSearchParams(search).has("desk") : preferred === "desk" && !wasList.current;
  // The list without filters, when the desk is preferred: the address says so, or a reload would show the desk.
  const isUnsaid = !search && !isDesk && preferred === "desk";
  useEffect(() => {
    wasList.current = !isDesk;
    if (isUnsaid) void navigate({ search: "?filter=All" }, { replace: true, preventScrollReset: true });
  }, [isDesk, isUnsaid, navigate]);

  function choose(view: View) {
    setPreferred(view);
    wasList.current = view === "list";
    void navigate({ pathname, search: view === "desk" ? "?desk=open" : "" });
  }

  const viewSwitch = (
    <SegmentedControl
      aria-label="View"
      data={[
        { value: "desk", label: "Work desk" },
        { value: "list", label: "List" },
      ]}
      value={isDesk ? "desk" : "list"}
      onChange={(view) => choose(view === "desk" ? "desk" : "list")}
    />
  );
  if (!isDesk) return <FedexScreen actions={viewSwitch} />;
  return (
    <>
      <ScreenHeader title="Fedex Orders" showsTimes actions={viewSwitch} />
      <FedexStats />
      <FedexDesk />
    </>
  );
}
