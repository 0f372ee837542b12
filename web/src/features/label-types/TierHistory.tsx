import type { PriceTier } from "@footprint/contract/label-types.ts";
import { type Log, logs } from "@footprint/contract/logs.ts";
import { ActionIcon, Anchor, Skeleton, Text, Tooltip } from "@mantine/core";
import { IconArrowBackUp, IconArrowRight } from "@tabler/icons-react";
import { Link } from "react-router";
import { Emblem, initialsOf } from "../../shared/Emblem.tsx";
import { formatMoney, formatWeights, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import classes from "./Prices.module.css";
import { changeInPercent } from "./percent.ts";
import { StepChart } from "./StepChart.tsx";

/** So many changes are told here; the log has all. */
const mostTold = 50;

type Entry = { id: string; by: string; at: string; was: number | null; is: number; reason: string };

/** What a tier has cost, why, and who changed it, with the way back to an earlier price. */
export function TierHistory(props: {
  labelType: string;
  tier: PriceTier;
  /** A price that is typed and not saved. */
  draft: number | undefined;
  onReturn: (price: number) => void;
}) {
  const { labelType, tier, draft, onReturn } = props;
  const query = useApiQuery(logs.list, { query: { subject: tier._id, limit: mostTold } });
  const entries = query.data?.logs.flatMap(entryOf);
  const hasReturns = entries?.some(({ is }) => is !== tier.price);
  const weights = formatWeights(tier.fromWeight, tier.toWeight, labelType);
  return (
    <section className={classes.card} aria-label={`History of ${weights}`} aria-busy={query.isPending}>
      <h2>
        History of {weights} <small>12 months</small>
      </h2>
      {query.isError && !entries ? (
        <LoadFailure title="The history could not be loaded" query={query} />
      ) : !entries ? (
        <Skeleton height={160} />
      ) : (
        <>
          <StepChart steps={stepsOf(entries, tier)} draft={draft} />
          <ol className={classes.entries}>
            {draft !== undefined && (
              <li>
                <Emblem size={24}>•</Emblem>
                <div className={classes.entry}>
                  <b>Not saved yet</b>
                  <small>You, now</small>
                </div>
                <Prices was={tier.price} is={draft} />
                {hasReturns && <span className={classes.noReturn} />}
              </li>
            )}
            {entries.map((entry) => (
              <li key={entry.id}>
                <Emblem size={24}>{initialsOf(entry.by)}</Emblem>
                <div className={classes.entry}>
                  <span>{entry.reason || (entry.was === null ? "Tier added" : "Price changed")}</span>
                  <small>
                    {entry.by}, <Time value={entry.at} />
                  </small>
                </div>
                <Prices was={entry.was} is={entry.is} />
                {hasReturns && <Return price={entry.is} present={tier.price} onReturn={onReturn} />}
              </li>
            ))}
          </ol>
          {entries.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing is known of earlier prices.
            </Text>
          ) : (
            <Anchor component={Link} to={`/logs?subject=${tier._id}`} size="xs">
              Show in Transaction Logs
            </Anchor>
          )}
        </>
      )}
    </section>
  );
}

/** What an entry of the log says about the price; nothing where it tells of bounds alone. */
function entryOf({ _id: id, admin, createdAt: at, before, after }: Log): Entry[] {
  const [was, is] = [priceIn(before), priceIn(after)];
  if (is === null || was === is) return [];
  const reason = after !== null && typeof after === "object" && "reason" in after ? String(after.reason) : "";
  return [{ id, by: admin.username, at, was, is, reason }];
}

const priceIn = (value: Log["before"]) =>
  value !== null && typeof value === "object" && "price" in value && typeof value.price === "number"
    ? value.price
    : null;

/** Oldest first: from when on it cost what. */
function stepsOf(entries: Entry[], tier: PriceTier): { at: number; price: number }[] {
  const oldest = entries.at(-1);
  const first = { at: 0, price: oldest ? (oldest.was ?? oldest.is) : tier.price };
  const isAdded = oldest && oldest.was === null;
  const steps = entries.map(({ at, is }) => ({ at: new Date(at).getTime(), price: is })).reverse();
  return isAdded ? steps : [first, ...steps];
}

function Prices({ was, is }: { was: number | null; is: number }) {
  return (
    <div className={classes.prices}>
      <span>
        {was !== null && (
          <>
            <span data-was>{formatMoney(was)}</span> <IconArrowRight size={12} aria-label="to" />{" "}
          </>
        )}
        {formatMoney(is)}
      </span>
      <small>{was === null ? "–" : changeInPercent(was, is)}</small>
    </div>
  );
}

function Return({ price, present, onReturn }: { price: number; present: number; onReturn: (price: number) => void }) {
  if (price === present) return <span className={classes.noReturn} />;
  const label = `Return to ${formatMoney(price)}`;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => onReturn(price)}>
        <IconArrowBackUp size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
