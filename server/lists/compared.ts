import { and, desc, eq, getTableName, gt, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { hiddenPlaceholder, literal, prepared } from "../db/prepared.ts";
import { customerMonths, customers, labelTypes, shops, transfers } from "../db/schema.ts";
import { figuresBetween, type Span, type Subject } from "./counters.ts";

const subjects: Subject[] = [
  "orders",
  "orders by label type",
  "orders by shop",
  "fedex charges",
  "refunds",
  "deposits",
  "customers",
];

/** The figures of two spans of days, to be compared. */
export async function compared(db: Database, span: Span, against: Span, today: string) {
  const names = Promise.all([namesOf(db, labelTypes), namesOf(db, shops)]);
  const [figures, others] = await Promise.all([
    figuresOf(db, span, today, names),
    figuresOf(db, against, today, names),
  ]);
  return { span: figures, against: others };
}

/** All figures that the dashboard shows of a span of days. Money is in cents. */
async function figuresOf(db: Database, span: Span, today: string, names: Promise<Map<string, string>[]>) {
  const [figures, reasons, customersOnTop, [labelTypeNames = new Map(), shopNames = new Map()]] = await Promise.all([
    figuresBetween(db, subjects, span),
    reasonsOf(db, span),
    topCustomers(db, span, today),
    names,
  ]);
  const of = (subject: Subject, kind?: string) =>
    figures.filter((figure) => figure.subject === subject && (kind === undefined || figure.kind === kind));
  const notRefunded = added(of("orders", "Active"));
  const charges = added(of("fedex charges"));
  const sold = of("orders by shop").map(({ kind, ...figure }) => ({ ...figure, ...shopKind(kind) }));
  return {
    ...span,
    orders: added(of("orders")).count,
    users: added(of("customers")).count,
    revenue: notRefunded.cents + charges.cents,
    fedexRevenue: charges.cents,
    averagePrice: notRefunded.count > 0 ? Math.round(notRefunded.cents / notRefunded.count) : null,
    deposits: asAmount(added(of("deposits"))),
    refunds: asAmount(added(of("refunds"))),
    reasons,
    labelTypes: ofLabelTypes(labelTypeNames, of("orders by label type")),
    paymentMethods: of("deposits").map(({ kind, ...figure }) => ({ method: kind, ...asAmount(figure) })),
    shops: ofShops(shopNames, sold),
    newCustomers: asRevenue(sold.filter(({ isNew }) => isNew)),
    returningCustomers: asRevenue(sold.filter(({ isNew }) => !isNew)),
    topCustomers: customersOnTop,
  };
}

type Figure = { count: number; cents: number };
type Sold = Figure & ReturnType<typeof shopKind>;

const total = (parts: Figure[], unit: keyof Figure) => parts.reduce((sum, part) => sum + part[unit], 0);
const added = (parts: Figure[]): Figure => ({ count: total(parts, "count"), cents: total(parts, "cents") });
const asAmount = ({ count, cents }: Figure) => ({ count, amount: cents });

/** How many orders there were, and the revenue of those not refunded. */
const asRevenue = (parts: Sold[]) => ({
  orders: total(parts, "count"),
  revenue: total(
    parts.filter(({ isActive }) => isActive),
    "cents",
  ),
});

/** Reads the three parts of a kind of "orders by shop". */
function shopKind(kind: string) {
  const [shop = "", since, state] = kind.split(" ");
  return { shop, isNew: since === "new", isActive: state === "Active" };
}

/** Refunded orders are included. */
const ofLabelTypes = (names: Map<string, string>, parts: (Figure & { kind: string })[]) =>
  parts.map(({ kind, ...figure }) => ({ _id: kind, labelType: names.get(kind) ?? kind, ...asAmount(figure) }));

const ofShops = (names: Map<string, string>, sold: Sold[]) =>
  [...Map.groupBy(sold, ({ shop }) => shop)]
    .map(([shop, parts]) => ({
      _id: names.has(shop) ? shop : null,
      shop: names.get(shop) ?? null,
      ...asRevenue(parts),
    }))
    .sort((a, b) => b.orders - a.orders);

/** All names, since they are few. Asking only for those needed would have to wait until they are known. */
export async function namesOf(db: Database, table: typeof labelTypes | typeof shops) {
  const query = prepared(db, `names of ${getTableName(table)}`, () =>
    db.select({ id: table.id, name: table.name }).from(table).prepare(""),
  );
  const rows = await query.execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Reasons are free text, which no counter counts, so the reasons of the newest refunds are read, up to this many. */
const mostRefundsRead = 500;
const mostReasons = 8;

/** The reasons of the newest refunds, the most frequent first. */
async function reasonsOf(db: Database, { from, to }: Span) {
  const query = prepared(db, "reasons of refunds", () => {
    const newest = db
      .select({ reason: transfers.reason, cents: transfers.amountCents })
      .from(transfers)
      .where(
        and(
          sql`kind = 'refund'`,
          sql`created_at >= (select day_start(${sql.placeholder("from")}::date))`,
          sql`created_at < (select day_start(${sql.placeholder("to")}::date + 1))`,
        ),
      )
      .orderBy(desc(transfers.createdAt), desc(transfers.id))
      .limit(mostRefundsRead)
      .as("newest");
    return db
      .select({
        reason: newest.reason,
        count: sql`count(*)`.mapWith(Number),
        cents: sql`sum(${newest.cents})`.mapWith(Number),
      })
      .from(newest)
      .groupBy(newest.reason)
      .orderBy(sql`count(*) desc`, newest.reason)
      .prepare("");
  });
  const rows = await query.execute({ from, to });
  const others = added(rows.slice(mostReasons));
  return {
    /** How many refunds were read: all, unless there are more than `mostRefundsRead`. */
    of: total(rows, "count"),
    most: rows.slice(0, mostReasons).map(({ reason, ...figure }) => ({ reason, ...asAmount(figure) })),
    others: asAmount(others),
  };
}

const mostCustomers = 10;

/** The customers who bought most in one month, whole or up to today. Null for other spans, which nothing counts. */
async function topCustomers(db: Database, { from, to }: Span, today: string) {
  const isOneMonth = from.slice(0, 7) === to.slice(0, 7) && from.endsWith("-01");
  const lastDay = new Date(Date.UTC(Number(from.slice(0, 4)), Number(from.slice(5, 7)), 0)).toISOString().slice(0, 10);
  if (!isOneMonth || (to !== lastDay && to < today)) return null;
  const query = prepared(db, "top customers", () => {
    const most = db
      .select()
      .from(customerMonths)
      .where(and(eq(customerMonths.month, hiddenPlaceholder("month", "date")), gt(customerMonths.cents, 0)))
      .orderBy(desc(customerMonths.month), desc(customerMonths.cents), desc(customerMonths.customerId))
      .limit(literal(mostCustomers) as never)
      .as("most");
    return db
      .select({ _id: customers.id, username: customers.username, orders: most.orders, amount: most.cents })
      .from(most)
      .innerJoin(customers, eq(customers.id, most.customerId))
      .orderBy(desc(most.cents), desc(most.customerId))
      .prepare("");
  });
  return query.execute({ month: from });
}
