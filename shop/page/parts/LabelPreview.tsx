import type { ReactNode } from "react";
import { type Address, isInUs } from "../address.ts";

type Props = { name: string | undefined; weight: string | undefined; from: Address; to: Address; children?: ReactNode };

/** A label being filled in. */
export const LabelPreview = ({ name, weight, from, to, children }: Props) => (
  <div className="label">
    <div className="label-part label-head">
      <span>{name ?? "Your label"}</span>
      <span className="figure">{weight}</span>
    </div>
    <div className="label-part">
      <dl className="label-address">
        <dt>From</dt>
        <dd>
          <Lines address={from} />
        </dd>
        <dt>To</dt>
        <dd>
          <strong>
            <Lines address={to} />
          </strong>
        </dd>
      </dl>
    </div>
    {children && <div className="label-part">{children}</div>}
  </div>
);

function Lines({ address }: { address: Address }) {
  const { name, company, street, street2, city, state, zip, country } = address;
  const town = [city, [state, zip].filter(Boolean).join(" ")].filter(Boolean).join(", ");
  const isAbroad = country.trim() !== "" && !isInUs(country);
  const lines = [name, company, street, street2, town, isAbroad ? country : ""].filter((line) => line.trim() !== "");
  if (lines.length === 0) return <span className="soft">–</span>;
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two lines of an address may be alike
    <span key={index} className="line">
      {line}
    </span>
  ));
}
