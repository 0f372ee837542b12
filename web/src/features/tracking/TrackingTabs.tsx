import { Tabs } from "../../shared/Tabs.tsx";

/** What the screen lists: single codes, or the batches they were registered in. */
export function TrackingTabs({ chosen }: { chosen: "Codes" | "Batches" }) {
  const tabs = { Codes: "/usps", Batches: "/usps/batches" };
  return (
    <Tabs
      label="Codes and batches"
      tabs={Object.entries(tabs).map(([name, to]) => ({ name, to, isChosen: name === chosen }))}
    />
  );
}
