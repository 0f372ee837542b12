/** Values of the API that the specification shows under another name. */
const labels: Record<string, string> = { cashapp: "Cashapp", indica: "Indicia", pitney: "Pitney Bowes" };

/** What to show for a tracking type, a template or a payment method. */
export const labelOf = (value: string) => labels[value] ?? value;

/** A status or a type of log entry with a capital letter. */
export const statusLabel = (status: string) => status.charAt(0).toUpperCase() + status.slice(1);

/** `mark-as-paid` becomes Mark as paid. */
export const scopeLabel = (scope: string) => statusLabel(scope.replaceAll("-", " "));
