import type { FedexStory } from "@footprint/contract/fedex.ts";
import {
  IconArrowBackUp,
  IconCash,
  IconClockPause,
  IconHandOff,
  IconHandStop,
  IconPencil,
  IconShoppingBag,
  IconUpload,
} from "@tabler/icons-react";
import { formatMoney, Time } from "../../shared/format.tsx";
import classes from "./FedexDesk.module.css";

type Entry = FedexStory["timeline"][number];

/** What happened to an order, oldest first. */
export function DeskTimeline({ story: { timeline } }: { story: FedexStory }) {
  return (
    <section aria-labelledby="fedex-timeline">
      <h3 id="fedex-timeline">Timeline</h3>
      <ol className={classes.timeline}>
        {timeline.map((entry) => {
          const Icon = entry.what === "changed" && entry.file?.to ? IconUpload : icons[entry.what];
          return (
            <li key={entry._id}>
              <span className={classes.icon}>
                <Icon size={14} aria-hidden />
              </span>
              <span>{wordsOf(entry)}</span>
              <span className={classes.quiet}>
                <Time value={entry.createdAt} exact />
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const icons = {
  created: IconShoppingBag,
  claimed: IconHandStop,
  prolonged: IconHandStop,
  released: IconHandOff,
  expired: IconClockPause,
  changed: IconPencil,
  charged: IconCash,
  reversed: IconArrowBackUp,
};

function wordsOf(entry: Entry): string {
  const by = entry.by ? ` by ${entry.by.username}` : "";
  switch (entry.what) {
    case "created":
      return "Asked for in the shop";
    case "claimed":
      return `Claimed${by}`;
    case "prolonged":
      return `Claim prolonged${by}`;
    case "released":
      return `Released${by}`;
    case "expired":
      return "Claim ended by itself";
    case "charged":
      return `${formatMoney(entry.amount ?? 0)} charged${by}`;
    case "reversed":
      return `Charge of ${formatMoney(entry.amount ?? 0)} reversed${by}`;
    case "changed":
      return `${changesOf(entry).join(", ")}${by}`;
  }
}

function changesOf({ status, price, file, note }: Entry): string[] {
  const quote = (amount: number | null) => (amount === null ? "none" : formatMoney(amount));
  const words = [
    ...(status ? [`status ${status.to}`] : []),
    ...(price ? [`price ${quote(price.to)}`] : []),
    ...(note ? ["note changed"] : []),
    ...(file ? [file.to ? `file ${file.to} added` : "file removed"] : []),
  ].join(", ");
  return words ? [words.charAt(0).toUpperCase() + words.slice(1)] : ["Changed"];
}
