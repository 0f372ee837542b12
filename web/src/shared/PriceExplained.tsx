import type { Order, OrderStory } from "@footprint/contract/orders.ts";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formatMoney, formatWeight, formatWeights } from "./format.tsx";
import classes from "./OrderDetails.module.css";

/** Explains the price of an order. */
export function PriceExplained({ order, pricing }: { order: Order; pricing: OrderStory["pricing"] | undefined }) {
  const { price, weight, user } = order;
  const labelType = order.labelType.name;
  const tier = pricing && formatWeights(pricing.fromWeight, pricing.toWeight, labelType);
  const standard = pricing?.standardPrice ?? null;
  return (
    <section className={classes.prices} aria-label="Price">
      {pricing && !pricing.custom && <Line text={`Standard price, tier ${tier}`} amount={formatMoney(price)} />}
      {pricing?.custom && (
        <>
          <Line
            faint
            text={`Standard price for ${formatWeight(weight, labelType)}`}
            amount={standard === null ? "none" : <s>{formatMoney(standard)}</s>}
          />
          <Line text={`Custom price of ${user.username}, tier ${tier}`} amount={formatMoney(price)} />
        </>
      )}
      {pricing === null && <Line faint text="Which price applied was not recorded yet" amount="" />}
      <div className={classes.charged}>
        <span>
          <b>Charged</b>{" "}
          {pricing?.custom && standard !== null && (
            <Text span fz={13} c="dimmed">
              {differenceTo(standard, price)}
            </Text>
          )}
        </span>
        <b>{formatMoney(price)}</b>
      </div>
    </section>
  );
}

function Line({ text, amount, faint = false }: { text: string; amount: ReactNode; faint?: boolean }) {
  return (
    <Text component="div" fz={13} {...(faint && { c: "dimmed" })}>
      <span>{text}</span>
      <span>{amount}</span>
    </Text>
  );
}

function differenceTo(standard: number, price: number): string {
  const cents = Math.round((price - standard) * 100);
  if (cents === 0) return "the same as standard";
  return `${formatMoney(Math.abs(cents) / 100)} ${cents < 0 ? "below" : "above"} standard`;
}
