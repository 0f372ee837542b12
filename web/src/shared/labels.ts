/** API values that the specification shows under another name. */
const labels: Record<string, string> = { cashapp: "Cashapp", indica: "Indicia", pitney: "Pitney Bowes" };

/** The text for a tracking type, a template or a payment method. */
export const labelOf = (value: string) => labels[value] ?? value;

/** A status or log type with a capital letter. */
export const statusLabel = (status: string) => status.charAt(0).toUpperCase() + status.slice(1);

/** `mark-as-paid` becomes Mark as paid. */
export const scopeLabel = (scope: string) => statusLabel(scope.replaceAll("-", " "));
