/** First class labels are weighed in ounces, all others in pounds. */
export const weightUnit = (labelType: string) => (labelType.includes("First Class") ? "oz" : "lb");
