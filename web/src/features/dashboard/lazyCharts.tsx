import { lazyPart } from "../../shared/lazyPart.tsx";
import { ChartLoading } from "./ChartCard.tsx";

// The charting library is a chunk of its own: no other screen loads it, and the figures do not wait for it.
const load = () => import("./charts.tsx");

export const BarChart = lazyPart(() => load().then((file) => file.BarChart), ChartLoading);
export const LineChart = lazyPart(() => load().then((file) => file.LineChart), ChartLoading);
export const DoughnutChart = lazyPart(
  () => load().then((file) => file.DoughnutChart),
  ({ name }) => <ChartLoading name={name} dark />,
);
