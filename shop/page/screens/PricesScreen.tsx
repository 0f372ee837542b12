import type { LabelType } from "@footprint/client";
import { weightUnit } from "@footprint/contract/weights.ts";
import { useState } from "react";
import { Link } from "react-router";
import { tierFor } from "../../prices.ts";
import { useLabelTypes } from "../data.ts";
import { Field, Select } from "../parts/Field.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Loaded, LoadingCard } from "../parts/States.tsx";
import { useTitle } from "../useTitle.ts";
import { dollars, weighed } from "../words.ts";

export function PricesScreen() {
  useTitle("Prices");
  const labelTypes = useLabelTypes();
  return (
    <>
      <div className="greeting">
        <h1>Prices</h1>
        <p className="soft">What you pay. Prices that were made for you are marked.</p>
      </div>
      <Loaded query={labelTypes} loading={<LoadingCard height={400} />}>
        {({ labelTypes: all }) =>
          all.length === 0 ? (
            <Notice title="There is nothing for sale at the moment" />
          ) : (
            <>
              <Calculator labelTypes={all} />
              <section className="stack">
                <h2>Price lists</h2>
                <div className="columns halves">
                  {all.map((one) => (
                    <PriceList key={one.uid} labelType={one} />
                  ))}
                </div>
              </section>
            </>
          )
        }
      </Loaded>
    </>
  );
}

const ounces = { oz: 1, lb: 16 };
type Unit = keyof typeof ounces;

const inThousandths = (weight: number) => Math.round(weight * 1000) / 1000;

/** The price of a parcel for every kind of label, cheapest first. */
function Calculator({ labelTypes }: { labelTypes: LabelType[] }) {
  const [text, setText] = useState("1");
  const [unit, setUnit] = useState<Unit>("lb");
  const given = Number(text.trim().replace(",", ".") || Number.NaN);
  const rows = labelTypes
    .map((labelType) => {
      const weight = inThousandths((given * ounces[unit]) / ounces[weightUnit(labelType.name)]);
      return { labelType, weight, tier: weight > 0 ? tierFor(labelType, weight) : undefined };
    })
    .sort((a, b) => (a.tier?.price ?? Number.POSITIVE_INFINITY) - (b.tier?.price ?? Number.POSITIVE_INFINITY));
  return (
    <section className="card stack" aria-labelledby="calculator">
      <h2 id="calculator">What does my parcel cost?</h2>
      <div className="fields">
        <Field
          label="It weighs"
          className="half third-wide"
          inputMode="decimal"
          value={text}
          fault={text.trim() && !(given > 0) ? "Enter a number above 0" : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        <Select
          label="Unit"
          className="half third-wide"
          value={unit}
          onChange={(event) => setUnit(event.target.value as Unit)}
        >
          <option value="lb">Pounds (lb)</option>
          <option value="oz">Ounces (oz)</option>
        </Select>
      </div>
      <table className="table">
        <caption className="unseen">What it costs, cheapest first</caption>
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col" className="right">
              Price
            </th>
            <th scope="col">
              <span className="unseen">Buy</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ labelType, weight, tier }) => (
            <tr key={labelType.uid}>
              <th scope="row" className="name">
                {labelType.name}
                <span className="small soft">
                  {tier ? weighed(weight, labelType.name) : `up to ${weighed(labelType.maxWeight, labelType.name)}`}
                </span>
              </th>
              <td className="right figure">
                {tier?.custom && (
                  <>
                    <span className="badge" data-tone="brand">
                      Your price
                    </span>{" "}
                  </>
                )}
                {tier ? <strong>{dollars(tier.price)}</strong> : <span className="soft">not for this weight</span>}
              </td>
              <td className="right">
                {tier && (
                  <Link
                    to={`/ship?${new URLSearchParams({ type: labelType.uid, weight: String(weight) })}`}
                    aria-label={`Buy ${labelType.name}`}
                  >
                    Buy
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PriceList({ labelType: { name, prices } }: { labelType: LabelType }) {
  return (
    <section className="card" aria-label={name}>
      <h3>{name}</h3>
      {prices.length === 0 ? (
        <p className="soft">No prices yet</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Weight</th>
              <th scope="col" className="right">
                Price
              </th>
            </tr>
          </thead>
          <tbody>
            {prices.map(({ fromWeight, toWeight, price, custom }) => (
              <tr key={`${fromWeight} ${toWeight}`}>
                <td className="figure">
                  {fromWeight === 0 ? "up to" : `${fromWeight} to`} {weighed(toWeight, name)}
                </td>
                <td className="right figure">
                  {custom && (
                    <>
                      <span className="badge" data-tone="brand">
                        Your price
                      </span>{" "}
                    </>
                  )}
                  {dollars(price)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
