import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { Outcome } from "@footprint/contract/schemas.ts";
import type { TablerIcon } from "@tabler/icons-react";
import type { CallOptions } from "./api.ts";
import { formatCount } from "./format.tsx";

/** An action on several rows of a list. */
export type Several<T> = {
  /** The name of a row. */
  nameOf: (row: T) => string;
  /** Its customer, if the name does not say it. */
  customerOf?: (row: T) => { _id: string; username: string };
  /** For rows about money: the bar shows their sum. */
  amountOf?: (row: T) => number;
  /** The call that returns them as a file, for administrators. */
  exported?: Endpoint;
  actions: readonly SeveralAction<T>[];
};

export type SeveralAction<T> = {
  text: (count: number) => string;
  Icon: TablerIcon;
  danger?: true;
  /** Which of the chosen rows it applies to, if not to all. */
  applies?: (row: T) => boolean;
} & ({ act: (rows: readonly T[]) => void; ask?: never } | { ask: SeveralQuestion; act?: never });

/** The question before several rows are changed. */
export type SeveralQuestion = {
  /** What will happen. */
  message: string;
  /** Why the other chosen rows are left out: "refunded already". */
  leftOut?: string;
  /** The dialog shows each customer's amount, and a large sum has to be typed. */
  movesMoney?: true;
  /** Asks for an optional reason: the field's description. */
  reason?: string;
  /** The reason is required. */
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

/** In whole cents, since amounts are not exact in binary. */
export const sumOf = (amounts: readonly number[]) =>
  amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100;
