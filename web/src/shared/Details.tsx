import type { Address } from "@footprint/contract/address.ts";
import { IconArrowRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./Details.module.css";

type Item = { title: string; value: ReactNode; wide?: boolean };

/** Names and values side by side, in columns or `inline`. A wide item, for longer text, has its own line. */
export function Details({ items, inline = false }: { items: readonly Item[]; inline?: boolean }) {
  return (
    <dl className={classes.details} data-inline={inline || undefined}>
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

/** Two addresses side by side, as on a parcel, with the direction. */
export function Addresses({ items }: { items: readonly { title: string; address: ShownAddress }[] }) {
  return (
    <div className={classes.addresses}>
      {items.map(({ title, address }, place) => (
        <section key={title} className={classes.address} aria-label={title}>
          {place > 0 && <IconArrowRight className={classes.arrow} size={16} aria-hidden />}
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
