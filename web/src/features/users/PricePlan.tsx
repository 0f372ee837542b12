import type { PlannedPrice, PricePlan } from "@footprint/contract/custom-prices.ts";
import { Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Warnings } from "../../shared/AskAgainDialog.tsx";
import { formatChange, formatCount, formatMoney, formatWeights } from "../../shared/format.tsx";
import { differenceTo, formatPercent, formatStandard } from "./difference.ts";
import classes from "./PricePlan.module.css";

const weightsOf = ({ labelType, fromWeight, toWeight }: PlannedPrice) =>
  formatWeights(fromWeight, toWeight, labelType.name);

type Preview = Pick<UseQueryResult<PricePlan, Error>, "data" | "error" | "isPlaceholderData">;

/** What one price would change, or why it cannot be. */
export function OnePricePlan({ preview: { data: plan, error, isPlaceholderData: isBusy } }: { preview: Preview }) {
  if (error) return <Refused message={error.message} />;
  const price = plan?.prices[0];
  if (!price) return null;
  if (price.fate === "refused") return <Refused message={price.message} />;
  const difference = differenceTo(price.standard, price.price);
  return (
    <>
      {price.before !== null && price.before !== price.price && (
        <div className={classes.change}>
          <s>{formatMoney(price.before)}</s> <span aria-hidden>→</span> <b>{formatMoney(price.price)}</b>
          <span>{formatPercent(price.before, price.price)}</span>
        </div>
      )}
      <Facts isBusy={isBusy}>
        <Fact
          title={price.standard && !price.standard.whole ? "Standard price, not for all weights" : "Standard price"}
          note={price.standard ? `${difference.amount}, ${difference.percent}` : ""}
        >
          {formatStandard(price.standard)}
        </Fact>
        <LastOrders plan={plan} />
      </Facts>
      <Warnings messages={plan.warnings.map(({ message }) => message)} />
    </>
  );
}

/** What several prices would change, or why they cannot be. */
export function PricePlanList({ preview: { data: plan, error, isPlaceholderData: isBusy } }: { preview: Preview }) {
  if (error) return <Refused message={error.message} />;
  if (!plan) return null;
  const count = (fate: PlannedPrice["fate"]) => plan.prices.filter((price) => price.fate === fate).length;
  const fates = [
    [count("added"), "added"],
    [count("changed"), "changed"],
    [count("same"), "as they are"],
    [count("refused"), "refused"],
  ] as const;
  const counted = fates.flatMap(([many, words]) => (many > 0 ? `${formatCount(many)} ${words}` : []));
  return (
    <>
      <Facts isBusy={isBusy}>
        <Fact title="Prices" note="">
          {counted.join(", ")}
        </Fact>
        <LastOrders plan={plan} />
      </Facts>
      {/* Scrolls: the keyboard has to reach it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above */}
      <section className={classes.list} aria-label="What becomes of the prices" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Price of</th>
              <th scope="col">Now</th>
              <th scope="col">Then</th>
              <th scope="col">Standard</th>
            </tr>
          </thead>
          <tbody>
            {plan.prices.map((price) => (
              <tr key={`${price.labelType._id} ${price.fromWeight}`}>
                <td>
                  {price.labelType.name} {weightsOf(price)}
                </td>
                <td>{price.before === null ? "–" : formatMoney(price.before)}</td>
                <Then price={price} />
                <td>{formatStandard(price.standard)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Warnings messages={plan.warnings.map(({ message }) => message)} />
    </>
  );
}

const Refused = ({ message }: { message: string | null }) => (
  <Text size="sm" c="var(--mantine-color-error)">
    {message}
  </Text>
);

function Then({ price: { fate, message, before, price } }: { price: PlannedPrice }) {
  if (fate === "refused") return <td data-refused>{message}</td>;
  if (fate === "same") return <td>same</td>;
  return (
    <td>
      <b>{formatMoney(price)}</b>
      <div className={classes.note}>{before === null ? "new" : formatPercent(before, price)}</div>
    </td>
  );
}

function Facts({ isBusy, children }: { isBusy: boolean; children: ReactNode }) {
  return (
    <dl className={classes.facts} aria-busy={isBusy}>
      {children}
    </dl>
  );
}

function Fact({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className={classes.figure}>{children}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}

function LastOrders({ plan: { preview, counts } }: { plan: PricePlan }) {
  const { orders, before, after } = preview.changed;
  const change = Math.round((after - before) * 100) / 100;
  if (!counts)
    return (
      <Fact title="Over the last 30 days" note="Custom pricing is switched off">
        No difference
      </Fact>
    );
  return (
    <Fact title="Over the last 30 days" note={orders > 0 ? `${formatMoney(before)} → ${formatMoney(after)}` : ""}>
      {orders === 1 ? "1 order" : `${formatCount(orders)} orders`}
      {orders > 0 && (
        <>
          , <span data-loss={change < 0 || undefined}>{formatChange(change)}</span>
        </>
      )}
    </Fact>
  );
}
