import { trackingTypes } from "./tracking.ts";

/** The prepaid codes that a label type uses by default: those that its uid names. */
export const usualCodes = (kind: string, uid: string) =>
  (kind === "usps" && trackingTypes.find((type) => type === uid.trim().toLowerCase())) || null;
