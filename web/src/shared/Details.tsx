import type { Address } from "@footprint/contract/address.ts";
import type { ReactNode } from "react";
import classes from "./Details.module.css";

/** Names and values side by side. A wide item has a line of its own, for longer text. */
export function Details({ items }: { items: readonly { title: string; value: ReactNode; wide?: boolean }[] }) {
  return (
    <dl className={classes.details}>
      {items.map(({ title, value, wide }) => (
        <div key={title} data-wide={wide || undefined}>
          <dt>{title}</dt>
          <dd>{value || "–"}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Fedex orders have neither company nor country. */
type ShownAddress = Omit<Address, "company" | "country"> & Partial<Address>;

/** Two addresses side by side, written as on a parcel. */
export function Addresses({ items }: { items: readonly { title: string; address: ShownAddress }[] }) {
  return (
    <div className={classes.addresses}>
      {items.map(({ title, address }) => (
        <section key={title} className={classes.address} aria-label={title}>
          <h3>{title}</h3>
          <address>
            <b>{address.name}</b>
            {linesOf(address).map((line) => (
              <div key={line.part}>{line.text}</div>
            ))}
          </address>
        </section>
      ))}
    </div>
  );
}

function linesOf({ company, street, street2, city, state, zip, country }: ShownAddress) {
  const town = [city, [state, zip].filter(Boolean).join(" ")].filter(Boolean).join(", ");
  const parts = { company, street, street2, town, country };
  return Object.entries(parts).flatMap(([part, text]) => (text ? [{ part, text }] : []));
}
