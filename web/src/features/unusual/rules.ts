import {
  idleDays,
  leastSpendDays,
  moneyRules,
  newForDays,
  nightEnds,
  timesUsual,
  type UnusualEvent,
  type UnusualRule,
  usualDays,
} from "@footprint/contract/unusual.ts";
import { balancePath } from "../../shared/CustomerLink.tsx";
import { formatCount, formatMoney } from "../../shared/format.tsx";

const farAbove = `more than ${timesUsual} times`;

/** What a rule is called, what it says, and what its least is. */
export const ruleWords: Record<UnusualRule, { name: string; rule: string; least: string }> = {
  spend: {
    name: "Spend far above usual",
    rule: `In a day a customer spends ${farAbove} what they spend on average on a day on which they buy. Looks at the ${usualDays} days before, if they bought on at least ${leastSpendDays} of them.`,
    least: "From, in a day",
  },
  refunds: {
    name: "Refunds far above usual",
    rule: `In a day a customer is refunded ${farAbove} the average of the days with refunds among the ${usualDays} before.`,
    least: "From, in a day",
  },
  credits: {
    name: "Credits far above usual",
    rule: `In a day somebody adds to balances and marks as paid ${farAbove} their average of the days on which they did so among the ${usualDays} before.`,
    least: "From, in a day",
  },
  address: {
    name: "Many orders to one address",
    rule: "This many orders or more go to one address in a day, whoever bought them.",
    least: "Orders in a day",
  },
  deposits: {
    name: "Deposits without orders",
    rule: `A customer deposits, and buys nothing in the ${idleDays} days after that.`,
    least: "From, in all",
  },
  night: {
    name: "Orders at night from a new customer",
    rule: `A customer who joined less than ${newForDays} days ago orders between midnight and ${nightEnds} o’clock.`,
    least: "Orders in a night",
  },
  prices: {
    name: "A price changed a lot",
    rule: "A standard price goes up or down by more than this many per cent, at once or as scheduled.",
    least: "Per cent, more than",
  },
};

/** Dollars, per cent, or a number of orders. */
export function amountOf(rule: UnusualRule, value: number): string {
  if (moneyRules.includes(rule)) return formatMoney(value);
  if (rule === "prices") return `${formatCount(value)} %`;
  return `${formatCount(value)} ${value === 1 ? "order" : "orders"}`;
}

/** 22 times the usual; nothing where there is no usual. */
export function timesOf({ seen, usual }: Pick<UnusualEvent, "seen" | "usual">): string | undefined {
  return usual ? `${formatCount(Math.round(seen / usual))} × usual` : undefined;
}

/** The list of what was seen. */
export function rowsPath({ rule, day, user, account }: UnusualEvent): string | undefined {
  const days = `from=${day}&to=${day}`;
  switch (rule) {
    case "credits":
      return account ? `/transfers?by=${account._id}&${days}` : undefined;
    case "refunds":
      return user ? `/transfers?kind=refund&customer=${user._id}&${days}` : undefined;
    case "prices":
      return `/logs?status=pricing&${days}`;
    case "deposits":
      return user ? balancePath(user._id) : undefined;
    default:
      return user ? `/orders?customer=${user._id}&${days}` : undefined;
  }
}
