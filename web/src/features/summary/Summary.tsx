import type { DaySummary } from "@footprint/contract/summaries.ts";
import { trackingTypes } from "@footprint/contract/tracking.ts";
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { CardLink } from "../../shared/CardLink.tsx";
import { formatCount, formatMoney, Time } from "../../shared/format.tsx";
import { labelOf } from "../../shared/labels.ts";
import classes from "./SummaryScreen.module.css";

type Props = { day: string; isOver: boolean; summary: DaySummary };

/** All that is known of a day. Each figure leads to its rows. */
export function Summary({ day, isOver, summary }: Props) {
  const days = `from=${day}&to=${day}`;
  const { deposits, refunds, credits, priceChanges, fedexCharges, closing } = summary;
  const credited = credits.reduce((cents, { total }) => cents + Math.round(total * 100), 0) / 100;
  return (
    <>
      <dl className={classes.figures}>
        <Figure title="Orders" to={`/orders?${days}`} value={formatCount(summary.orders)}>
          {count(summary.newCustomers, "new customer", "new customers")}
        </Figure>
        <Figure title="Revenue" to={`/orders?status=Active&${days}`} value={formatMoney(summary.revenue)}>
          {fedexCharges.count > 0
            ? `with ${formatMoney(fedexCharges.total)} of Fedex orders`
            : "without what was refunded"}
        </Figure>
        <Figure title="Deposits" to={`/transfers?kind=deposit&${days}`} value={formatMoney(deposits.total)}>
          {labelOf("cashapp")} {formatMoney(deposits.cashapp)} · {labelOf("paypal")} {formatMoney(deposits.paypal)}
        </Figure>
        <Figure title="Refunds" to={`/transfers?kind=refund&${days}`} value={formatMoney(refunds.total)}>
          {count(refunds.count, "refund", "refunds")}
        </Figure>
      </dl>
      <div className={classes.parts}>
        <div>
          <Part title="Refunds by reason" nothing={refunds.count === 0 && "Nothing was refunded."}>
            <Rows
              rows={[
                ...refunds.reasons.map(({ reason, ...sum }) => ({ name: reason || "No reason was given", ...sum })),
                ...(refunds.others.count > 0 ? [{ name: "Other reasons", ...refunds.others }] : []),
              ]}
            />
          </Part>
          <Part
            title={priceChanges.count > 0 ? `Price changes (${formatCount(priceChanges.count)})` : "Price changes"}
            nothing={priceChanges.count === 0 && "No price was changed."}
          >
            <ul className={classes.changes}>
              {priceChanges.first.map(({ _id, by, action, createdAt }) => (
                <li key={_id}>
                  {action}
                  <small>
                    {by}, <Time value={createdAt} exact plain />
                  </small>
                </li>
              ))}
            </ul>
            {priceChanges.count > priceChanges.first.length && (
              <Anchor component={Link} to={`/logs?status=pricing&${days}`} size="sm">
                {formatCount(priceChanges.count - priceChanges.first.length)} more
              </Anchor>
            )}
          </Part>
        </div>
        <div>
          <Part title="Credits by staff" nothing={credits.length === 0 && "Nobody credited anything."}>
            <Rows
              rows={credits.map(({ account, ...sum }) => ({
                name: account.username,
                to: `/transfers?by=${account._id}&${days}`,
                ...sum,
              }))}
              total={credits.length > 1 ? credited : undefined}
            />
          </Part>
          <Part
            title={isOver ? "When the day ended" : "Right now"}
            nothing={!closing && "Not recorded: no server was running when the day ended."}
          >
            {closing && <Closing closing={closing} isOver={isOver} />}
          </Part>
        </div>
      </div>
      {summary.unusual > 0 && (
        <p className={classes.unusual}>
          <Anchor component={Link} to={`/unusual?status=All&${days}`} size="sm">
            {count(summary.unusual, "unusual event was", "unusual events were")} noticed on this day
          </Anchor>
        </p>
      )}
    </>
  );
}

const count = (amount: number, one: string, many: string) => `${formatCount(amount)} ${amount === 1 ? one : many}`;

function Figure({ title, value, to, children }: { title: string; value: string; to: string; children: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{title}</dt>
      <dd>
        <CardLink to={to}>{value}</CardLink>
      </dd>
      <dd className={classes.note}>{children}</dd>
    </div>
  );
}

function Part({ title, nothing, children }: { title: string; nothing: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.part} aria-label={title}>
      <h2>{title}</h2>
      {nothing ? <p>{nothing}</p> : children}
    </section>
  );
}

type Row = { name: string; to?: string; count: number; total: number };

function Rows({ rows, total }: { rows: Row[]; total?: number | undefined }) {
  return (
    <table className={classes.rows}>
      <tbody>
        {rows.map(({ name, to, count, total: sum }) => (
          <tr key={name}>
            <th scope="row">
              {to ? (
                <Anchor component={Link} to={to} c="inherit" fz="inherit">
                  {name}
                </Anchor>
              ) : (
                name
              )}
            </th>
            <td className={classes.quiet}>{formatCount(count)} ×</td>
            <td>{formatMoney(sum)}</td>
          </tr>
        ))}
      </tbody>
      {total !== undefined && (
        <tfoot>
          <tr>
            <th scope="row">In all</th>
            <td />
            <td>{formatMoney(total)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

function Closing({ closing, isOver }: { closing: DaySummary["closing"] & {}; isOver: boolean }) {
  const waiting: [name: string, to: string, waited: number][] = [
    ["New users to verify", "/new-users", closing.newUsers],
    ["Fedex orders pending", "/fedex?filter=Pending", closing.fedexOrders],
    ["Invoices pending", "/invoices?status=pending", closing.invoices],
  ];
  return (
    <table className={classes.rows}>
      <tbody>
        {waiting.map(([name, to, waited]) => (
          <tr key={name}>
            <th scope="row">
              {isOver ? (
                name
              ) : (
                <Anchor component={Link} to={to} c="inherit" fz="inherit">
                  {name}
                </Anchor>
              )}
            </th>
            <td>{formatCount(waited)}</td>
          </tr>
        ))}
        {trackingTypes.map((type) => (
          <tr key={type}>
            <th scope="row">Codes left, {labelOf(type)}</th>
            <td>{formatCount(closing.codes[type] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
