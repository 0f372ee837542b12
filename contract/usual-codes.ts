import { trackingTypes } from "./tracking.ts";

/** The prepaid codes that labels take where nobody has chosen others: those that the label type's uid names. */
export const usualCodes = (kind: string, uid: string) =>
  (kind === "usps" && trackingTypes.find((type) => type === uid.trim().toLowerCase())) || null;
