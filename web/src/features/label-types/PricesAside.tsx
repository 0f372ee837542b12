import { type LabelType, labelTypes, type PriceTier } from "@footprint/contract/label-types.ts";
import type { ScheduledPrices } from "@footprint/contract/price-preview.ts";
import { Button, Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { useConfirm } from "../../shared/dialogs.tsx";
import { formatMoney, formatWeights, StatusBadge, Time } from "../../shared/format.tsx";
import classes from "./Prices.module.css";
import { TierHistory } from "./TierHistory.tsx";

/** Beside the prices: what is to change, and how a tier came to its price. */
export function PricesAside(props: {
  labelType: LabelType;
  tier: PriceTier;
  draft: number | undefined;
  scheduled: readonly ScheduledPrices[];
  onReturn: (price: number) => void;
}) {
  const { labelType, tier, draft, scheduled, onReturn } = props;
  return (
    <div className={classes.aside}>
      {scheduled.length > 0 && <Scheduled labelType={labelType} scheduled={scheduled} />}
      <TierHistory key={tier._id} labelType={labelType.name} tier={tier} draft={draft} onReturn={onReturn} />
    </div>
  );
}

/** So many changes of a table are told one by one. */
const mostTold = 4;

function Scheduled({ labelType, scheduled }: { labelType: LabelType; scheduled: readonly ScheduledPrices[] }) {
  const confirm = useConfirm();
  const ask = ({ _id: id, status }: ScheduledPrices, words: string) =>
    confirm({
      title: status === "failed" ? "Dismiss this?" : "Take back this change?",
      message:
        status === "failed"
          ? `${words} was not made. It is no longer listed here; the log keeps it.`
          : `${labelType.name} keeps its prices: ${words} is not made.`,
      asksReason: "for the log",
      action: status === "failed" ? "Dismiss" : "Take back",
      working: status === "failed" ? "Dismissing…" : "Taking back…",
      onConfirm: (options, reason) => callApi(labelTypes.withdraw, { params: { id }, body: { reason } }, options),
    });
  return (
    <section className={classes.card} aria-label="Scheduled prices">
      <h2>Scheduled prices</h2>
      <ol className={classes.entries}>
        {scheduled.map((one) => {
          const told = one.changes.slice(0, mostTold).map((change) => inWords(change, labelType.name));
          const more = one.changes.length - told.length;
          const words = more > 0 ? `${told.join(", ")} and ${more} more` : told.join(", ");
          return (
            <li key={one._id}>
              <div className={classes.entry}>
                <Text size="sm" fw={600}>
                  From <Time value={one.at} exact plain />: {words}
                </Text>
                <Text size="xs" c="dimmed">
                  by {one.by}
                  {one.reason && `: ${one.reason}`}
                </Text>
                {one.warnings.length > 0 && (
                  <Text size="xs">
                    <StatusBadge tone="warning">Unusual</StatusBadge> {inShort(one.warnings)}
                  </Text>
                )}
                {one.problem && (
                  <Text size="xs">
                    <StatusBadge tone="danger">Failed</StatusBadge> {one.problem}
                  </Text>
                )}
              </div>
              <Button size="compact-sm" variant="default" onClick={() => ask(one, words)}>
                {one.status === "failed" ? "Dismiss" : "Take back"}
              </Button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The first of them, and how many more there are. */
const inShort = ([first, ...more]: readonly string[]) =>
  more.length > 0 ? `${first}, and ${more.length} more` : first;

function inWords({ fromWeight, toWeight, price }: ScheduledPrices["changes"][number], name: string): string {
  const weights = formatWeights(fromWeight, toWeight, name);
  return price === null ? `no price for ${weights}` : `${weights} ${formatMoney(price)}`;
}
