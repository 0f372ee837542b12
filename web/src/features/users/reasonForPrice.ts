/** Prices are not told to shops with a reason. */
export const reasonForPrice = { description: "Optional, up to 500 characters. Kept in the log." };
