/** Values of the API that read differently in the panel, as the specification has them. */
const labels: Record<string, string> = { cashapp: "Cashapp", indica: "Indicia", pitney: "Pitney Bowes" };

/** How a tracking type, a template or a payment method reads, wherever it stands. */
export const labelOf = (value: string) => labels[value] ?? value;

/** How a status or a kind of log entry reads: some travel in small letters, all are shown with a capital. */
export const statusLabel = (status: string) => status.charAt(0).toUpperCase() + status.slice(1);

/** What an API key is for: `mark-as-paid` reads Mark as paid. */
export const scopeLabel = (scope: string) => statusLabel(scope.replaceAll("-", " "));
