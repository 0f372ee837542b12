import { lazy } from "react";
import { lazyScreen } from "../../shared/lazyScreen.ts";

// The charting library is a chunk of its own: no other screen loads it, and the figures do not wait for it.
const load = () => lazyScreen(() => import("./charts.tsx"));

export const BarChart = lazy(async () => ({ default: (await load()).BarChart }));
export const LineChart = lazy(async () => ({ default: (await load()).LineChart }));
export const DoughnutChart = lazy(async () => ({ default: (await load()).DoughnutChart }));
