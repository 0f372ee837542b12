import { dashboard, type SpanFigures } from "@footprint/contract/dashboard.ts";
import { Button, Menu, Skeleton } from "@mantine/core";
import { IconCalendar, IconChevronDown, IconPrinter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link, useNavigate } from "react-router";
import { type Days, dayAfter, formatDays, todayIn } from "../../shared/days.ts";
import { useDialog } from "../../shared/dialogs.tsx";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { labelOf } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { useSession } from "../../shared/session.ts";
import { Change, changeText } from "./Change.tsx";
import classes from "./Comparison.module.css";
import { addressOf, type Compared, presetsAt } from "./compared.ts";
import { FigureMenu } from "./FigureMenu.tsx";
import { depositList, listOfDays } from "./figures.ts";

const DayPicker = lazyPart(() => import("../../shared/DayPicker.tsx").then((file) => file.DayPicker));

/** One span of days against another, which the address names. */
export function Comparison({ compared }: { compared: Compared }) {
  const { timezone } = useSession();
  const today = todayIn(timezone);
  const query = useApiQuery(dashboard.compare, { query: compared });
  // Who bought most in a month that is not over is known with today only.
  const isRunning = compared.from === `${today.slice(0, 7)}-01` && compared.to === dayAfter(today, -1);
  const withToday = useApiQuery(dashboard.compare, { query: { ...compared, to: today } }, { enabled: isRunning });
  if (!query.data) {
    if (query.isError) return <LoadFailure query={query} title="This could not be compared" />;
    return <Skeleton height="100vh" aria-busy />;
  }
  const { span, against } = query.data;
  const top = isRunning ? withToday.data?.span : span;
  const parts = [...partsOf(span, against), topOf(top, against, isRunning)];
  const spans = { span: { from: span.from, to: span.to }, against: { from: against.from, to: against.to } };
  const [name, before] = [formatDays(span, today), formatDays(against, today)];
  return (
    <>
      <div className={classes.bar}>
        <h2>
          {name} against {before}
        </h2>
        <Spans compared={compared} today={today} />
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => print()}
          data-print="never"
        >
          Print
        </Button>
        <FigureMenu
          title="Comparison"
          file={`${span.from}-${span.to}-against-${against.from}-${against.to}`}
          sheet={() => parts.flatMap((part) => [...sheetOf(part, name, before), []])}
        />
        {span.to >= today && span.from <= today && <p>Today is not over: it counts up to now.</p>}
      </div>
      <div className={classes.parts} data-stale={query.isPlaceholderData || undefined}>
        {parts.map((part) => (
          <PartTable key={part.title} part={part} name={name} before={before} spans={spans} />
        ))}
      </div>
    </>
  );
}

/** What is compared with what: a span that is often asked for, or any days against any others. */
function Spans({ compared, today }: { compared: Compared; today: string }) {
  const navigate = useNavigate();
  const open = useDialog();
  const presets = Object.entries(presetsAt(today));
  const isChosen = (preset: Compared) => addressOf(preset) === addressOf(compared);
  const show = (change: Partial<Compared>) => navigate(addressOf({ ...compared, ...change }));
  const pick = (days: Days, choose: (from: string, to: string) => void) =>
    open((close) => (
      <DayPicker days={days} onChoose={({ from, to }) => from && to && choose(from, to)} onClose={close} />
    ));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />} data-print="never">
          {presets.find(([, preset]) => isChosen(preset))?.[0] ?? "Chosen days"}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {presets.map(([name, preset]) => (
          <Menu.RadioItem
            key={name}
            value={name}
            checked={isChosen(preset)}
            onChange={() => show(preset)}
            closeMenuOnClick
          >
            {name}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconCalendar size={14} aria-hidden />}
          onClick={() => pick({ from: compared.from, to: compared.to }, (from, to) => show({ from, to }))}
        >
          Choose days…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCalendar size={14} aria-hidden />}
          onClick={() =>
            pick({ from: compared.againstFrom, to: compared.againstTo }, (againstFrom, againstTo) =>
              show({ againstFrom, againstTo }),
            )
          }
        >
          Choose what to compare with…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type Part = {
  title: string;
  rows: Row[];
  note?: ReactNode;
  isWide?: boolean;
  /** Where they are not those of the comparison. */
  days?: Span | undefined;
};
type Row = {
  label: string;
  /** Null where there is none. */
  value: number | null;
  before: number | null;
  format: (value: number) => string;
  /** Where the rows of either span are. */
  list?: string | undefined;
  moreIsBad?: boolean;
};

type Span = { from: string; to: string };

/** Leads to the rows that it counts, where there is such a list. */
function Value({ value, format, to }: { value: number | null; format: Row["format"]; to: string | undefined }) {
  if (value === null) return "–";
  return to ? <Link to={to}>{format(value)}</Link> : format(value);
}

function PartTable(props: { part: Part; name: string; before: string; spans: { span: Span; against: Span } }) {
  const { part, name, before, spans } = props;
  const { title, rows, note, isWide, days = spans.span } = part;
  const isCompared = rows.some((row) => row.before !== null);
  return (
    <section className={classes.part} aria-label={title} data-wide={isWide || undefined}>
      <div className={classes.head}>
        <h3>{title}</h3>
        <FigureMenu
          title={title}
          file={title.toLowerCase().replaceAll(" ", "-")}
          sheet={() => sheetOf(part, name, before)}
        />
      </div>
      {rows.length === 0 ? (
        !note && <p className={classes.note}>Nothing in these days</p>
      ) : (
        <table className={classes.table} aria-label={title}>
          <thead>
            <tr>
              <td />
              <th scope="col">{name}</th>
              {isCompared && (
                <>
                  <th scope="col">{before}</th>
                  <th scope="col">Change</th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.label}>
                <th scope="row">{row.label}</th>
                <td>
                  <Value value={row.value} format={row.format} to={row.list && listOfDays(row.list, days)} />
                </td>
                {isCompared && (
                  <>
                    <td>
                      <Value
                        value={row.before}
                        format={row.format}
                        to={row.list && listOfDays(row.list, spans.against)}
                      />
                    </td>
                    <td>
                      {row.value !== null && row.before !== null && (
                        <Change
                          value={row.value}
                          before={row.before}
                          format={row.format}
                          against={`${name} against ${before}`}
                          moreIsBad={row.moreIsBad ?? false}
                        />
                      )}
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {note && <p className={classes.note}>{note}</p>}
    </section>
  );
}

const sheetOf = ({ title, rows }: Part, name: string, before: string) => [
  [title, name, before, "Change"],
  ...rows.map(({ label, value, before, format }) => [
    label,
    value ?? "",
    before ?? "",
    value === null || before === null ? "" : changeText(value, before, format),
  ]),
];

function partsOf(span: SpanFigures, against: SpanFigures): Part[] {
  const money = { format: formatMoney };
  const count = { format: formatCount };
  const both = (read: (figures: SpanFigures) => number | null) => ({ value: read(span), before: read(against) });
  /** Kinds of either span, the most frequent of this one first. */
  const merged = <T,>(
    read: (figures: SpanFigures) => T[],
    keyOf: (part: T) => string,
    row: (part: T) => Pick<Row, "label" | "format" | "list" | "moreIsBad"> & { value: number },
  ): Row[] => {
    const [now, then] = [read(span), read(against)].map((parts) => new Map(parts.map((part) => [keyOf(part), part])));
    return [...new Map([...(then ?? []), ...(now ?? [])])]
      .map(([key, part]) => {
        const [is, was] = [now?.get(key), then?.get(key)];
        return { ...row(part), value: is ? row(is).value : 0, before: was ? row(was).value : 0 };
      })
      .sort((a, b) => b.value - a.value || b.before - a.before);
  };
  const reasonsRead = Math.max(span.reasons.of, against.reasons.of);
  return [
    {
      title: "In all",
      isWide: true,
      rows: [
        { label: "Revenue", ...both(({ revenue }) => revenue), ...money, list: "/orders?status=Active" },
        { label: "Orders", ...both(({ orders }) => orders), ...count, list: "/orders" },
        {
          label: "Average price",
          ...both(({ averagePrice }) => averagePrice),
          ...money,
          list: "/orders?status=Active",
        },
        { label: "Deposits", ...both(({ deposits }) => deposits.amount), ...money, list: depositList },
        {
          label: "Refunds",
          ...both(({ refunds }) => refunds.amount),
          ...money,
          list: "/transfers?kind=refund",
          moreIsBad: true,
        },
        {
          label: "Refunded orders",
          ...both(({ refunds }) => refunds.count),
          ...count,
          list: "/transfers?kind=refund",
          moreIsBad: true,
        },
        { label: "New users", ...both(({ users }) => users), ...count, list: "/users" },
      ],
      note:
        span.fedexRevenue + against.fedexRevenue > 0 &&
        `Of the revenue ${formatMoney(span.fedexRevenue)} are Fedex orders, before ${formatMoney(against.fedexRevenue)}.`,
    },
    {
      title: "Orders by label type",
      rows: merged(
        ({ labelTypes }) => labelTypes,
        ({ _id }) => _id,
        ({ _id, labelType, count: value }) => ({ label: labelType, value, ...count, list: `/orders?labelType=${_id}` }),
      ),
    },
    {
      title: "Deposits by payment method",
      rows: merged(
        ({ paymentMethods }) => paymentMethods,
        ({ method }) => method,
        ({ method, amount }) => ({
          label: labelOf(method),
          value: amount,
          ...money,
          list: `${depositList}&method=${method}`,
        }),
      ),
    },
    {
      title: "Revenue by shop",
      rows: merged(
        ({ shops }) => shops,
        ({ _id }) => _id ?? "",
        ({ _id, shop, revenue }) => ({
          label: shop ?? "Not known",
          value: revenue,
          ...money,
          list: `/orders?status=Active&shop=${_id ?? "unknown"}`,
        }),
      ),
    },
    {
      title: "New against returning customers",
      rows: [
        {
          label: "New: orders",
          ...both(({ newCustomers }) => newCustomers.orders),
          ...count,
          list: "/orders?customers=new",
        },
        {
          label: "New: revenue",
          ...both(({ newCustomers }) => newCustomers.revenue),
          ...money,
          list: "/orders?customers=new&status=Active",
        },
        {
          label: "Returning: orders",
          ...both(({ returningCustomers }) => returningCustomers.orders),
          ...count,
          list: "/orders?customers=returning",
        },
        {
          label: "Returning: revenue",
          ...both(({ returningCustomers }) => returningCustomers.revenue),
          ...money,
          list: "/orders?customers=returning&status=Active",
        },
      ],
      note: "New customers joined within the 30 days before the order.",
    },
    {
      title: "Reasons of refunds",
      rows: [
        ...merged(
          ({ reasons }) => reasons.most,
          ({ reason }) => reason,
          ({ reason, count: value }) => ({
            label: reason || "No reason given",
            value,
            ...count,
            moreIsBad: true,
            ...(reason && { list: `/transfers?${new URLSearchParams({ kind: "refund", reason })}` }),
          }),
        ),
        ...(span.reasons.others.count + against.reasons.others.count > 0
          ? [{ label: "Other reasons", ...both(({ reasons }) => reasons.others.count), ...count, moreIsBad: true }]
          : []),
      ],
      note:
        (span.refunds.count > reasonsRead || against.refunds.count > reasonsRead) &&
        `Of the newest ${formatCount(reasonsRead)} refunds.`,
    },
  ];
}

/** Who bought most, of the month so far with today. */
function topOf(span: SpanFigures | undefined, against: SpanFigures, isRunning: boolean): Part {
  const before = (id: string) => against.topCustomers?.find(({ _id }) => _id === id)?.amount ?? null;
  return {
    title: isRunning ? "Customers who bought most, with today" : "Customers who bought most",
    days: span && { from: span.from, to: span.to },
    rows: (span?.topCustomers ?? []).map(({ _id, username, amount }) => ({
      label: username,
      value: amount,
      before: before(_id),
      format: formatMoney,
      list: `/orders?customer=${_id}&status=Active`,
    })),
    note: span?.topCustomers === null && "Shown only for a single month, whole or up to today.",
  };
}
