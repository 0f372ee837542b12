import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { Outcome } from "@footprint/contract/schemas.ts";
import type { TablerIcon } from "@tabler/icons-react";
import type { CallOptions } from "./api.ts";
import { formatCount } from "./format.tsx";

/** What can be done with several rows of a list at once. */
export type Several<T> = {
  /** What tells a row from others. */
  nameOf: (row: T) => string;
  /** Whose it is, if the name does not say it. */
  customerOf?: (row: T) => { _id: string; username: string };
  /** Where rows are about money: the bar says what they come to. */
  amountOf?: (row: T) => number;
  /** The call that answers them as a file, for administrators. */
  exported?: Endpoint;
  actions: readonly SeveralAction<T>[];
};

export type SeveralAction<T> = {
  text: (count: number) => string;
  Icon: TablerIcon;
  danger?: true;
  /** Which of the chosen rows it can be done to, if not to all. */
  applies?: (row: T) => boolean;
} & ({ act: (rows: readonly T[]) => void; ask?: never } | { ask: SeveralQuestion; act?: never });

/** Asked before several rows are changed. */
export type SeveralQuestion = {
  /** What will happen. */
  message: string;
  /** Why the other chosen rows are left out: "refunded already". */
  leftOut?: string;
  /** The dialog says how much goes to whom, and a large sum has to be typed. */
  movesMoney?: true;
  /** Asks why, which may be left open: what the field says about that. */
  reason?: string;
  /** It may not be left open. */
  needsReason?: true;
  working: string;
  /** "3 orders refunded" */
  done: (count: number) => string;
  /** For at most 100 rows. */
  call: (ids: string[], reason: string, options: CallOptions) => Promise<{ outcomes: Outcome[] }>;
};

/** "1 order", "3 orders" */
export const counting = (one: string, many: string) => (count: number) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** In whole cents: amounts are not exact in binary. */
export const sumOf = (amounts: readonly number[]) =>
  amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;
