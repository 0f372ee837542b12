import { type Transfer, transfers } from "@footprint/contract/transfers.ts";
import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./BalanceChange.module.css";
import { serverNow } from "./clock.ts";
import { formatMoney, Time } from "./format.tsx";
import { useApiQuery } from "./queries.ts";
import { Warning } from "./Warning.tsx";

/** A customer's balance before and after, and possible mistakes. */
export function BalanceChange({
  customer: { _id, username },
  amount,
  children,
}: {
  customer: { _id: string; username: string };
  /** Zero or NaN as long as nothing is entered. */
  amount: number;
  children?: ReactNode;
}) {
  const query = useApiQuery(transfers.history, { params: { id: _id }, query: { limit: 20 } }, { gcTime: 0 });
  // Without purchases, of which there may be very many.
  const lately = useApiQuery(transfers.list, { query: { customer: _id, limit: 20 } }, { gcTime: 0 });
  const history = query.data?.transfers;
  const balance = history && (history[0]?.balanceAfter ?? 0);
  // Until it is answered, there is only what was answered about another customer.
  const recent = lately.isPlaceholderData ? undefined : lately.data?.transfers;
  const failure = [query, lately].find(({ isError, data }) => isError && !data)?.error;
  const isAmount = Number.isFinite(amount) && amount !== 0;
  const after = balance !== undefined && isAmount ? Math.round((balance + amount) * 100) / 100 : undefined;
  const same = isAmount ? recent?.find((transfer) => isTheSame(transfer, amount)) : undefined;
  const highest = Math.max(0, ...(history ?? []).map(({ balanceAfter }) => balanceAfter));

  return (
    <Stack gap="xs" aria-busy={query.isPending || lately.isPending || lately.isPlaceholderData}>
      <div className={classes.preview}>
        <dl className={classes.balances}>
          <div>
            <dt>Current balance</dt>
            <dd>{balance === undefined ? "–" : formatMoney(balance)}</dd>
          </div>
          <div>
            <dt>New balance</dt>
            <dd data-negative={(after ?? 0) < 0 || undefined}>{after === undefined ? "–" : formatMoney(after)}</dd>
          </div>
        </dl>
        {children && (
          <Text size="sm" mt="xs" aria-live="polite">
            {children}
          </Text>
        )}
      </div>
      {failure && <Warning>What happened to this balance lately could not be loaded: {failure.message}</Warning>}
      {same && (
        <Warning>
          {formatMoney(Math.abs(amount))} {amount > 0 ? "was credited to" : "was taken from"} <b>{username}</b> already,{" "}
          <Time value={same.createdAt} /> by <b>{same.by.username}</b>
          {same.reason ? `: “${same.reason}”` : "."}
        </Warning>
      )}
      {balance !== undefined && after !== undefined && after < 0 && (
        <Warning>
          {username} has {formatMoney(balance)}, {formatMoney(-after)} short. A balance cannot go below zero.
        </Warning>
      )}
      {after !== undefined && after >= unusual && after > 10 * highest && (
        <Warning>
          {highest > 0
            ? `An unusual balance for ${username}: the highest lately was ${formatMoney(highest)}.`
            : `An unusual balance for ${username}, who had nothing lately.`}
        </Warning>
      )}
    </Stack>
  );
}

/** Smaller amounts are not unusual for anybody. */
const unusual = 1000;

const tenMinutes = 10 * 60_000;

/** Somebody has just moved the same amount, and it was not reversed: this may be a repetition. */
const isTheSame = ({ amount, reversedBy, createdAt }: Transfer, other: number) =>
  amount === other && reversedBy === null && serverNow() - new Date(createdAt).getTime() < tenMinutes;
