import type { TrackingCode } from "@footprint/contract/tracking.ts";

/** How the kinds of codes read, in the order they are shown. */
export const typeNames: Record<TrackingCode["type"], string> = {
  priority: "Priority",
  express: "Express",
  ground_oz: "Ground (oz)",
  ground_lbs: "Ground (lbs)",
};

export const templateNames: Record<TrackingCode["template"], string> = {
  evs: "evs",
  indica: "Indicia",
  pitney: "Pitney Bowes",
};
