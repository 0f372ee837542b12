import type { LabelType } from "@footprint/client";
import { weightUnit } from "@footprint/contract/weights.ts";
import { type FormEvent, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { inCents, labelTypeOf, tierFor } from "../../prices.ts";
import { type Address, emptyAddress, faultsOf, flat, formName } from "../address.ts";
import { ask, Failure } from "../ask.ts";
import { useLabelTypes, useRefresh } from "../data.ts";
import { useDraft } from "../draft.ts";
import { AddressFields } from "../parts/AddressFields.tsx";
import { Field, focusFault } from "../parts/Field.tsx";
import { LabelPreview } from "../parts/LabelPreview.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Refused } from "../parts/Refused.tsx";
import { Loaded, LoadingCard } from "../parts/States.tsx";
import { ShipTabs } from "../parts/Tabs.tsx";
import { useCustomer } from "../useCustomer.ts";
import { useTitle } from "../useTitle.ts";
import { dollars, weighed } from "../words.ts";

type Values = { labelType: string; weight: string; from: Address; to: Address };

export function BuyScreen() {
  useTitle("Buy a label");
  const labelTypes = useLabelTypes();
  return (
    <>
      <h1>Ship</h1>
      <ShipTabs />
      <Loaded query={labelTypes} loading={<LoadingCard height={420} />}>
        {(data) =>
          data.labelTypes.length > 0 ? (
            <BuyForm labelTypes={data.labelTypes} />
          ) : (
            <Notice title="There is nothing for sale at the moment">
              Come back later: this page changes by itself.
            </Notice>
          )
        }
      </Loaded>
    </>
  );
}

const senderOf = (discordId: string) => `sender:${discordId}`;

function lastSender(discordId: string): Address {
  try {
    return { ...emptyAddress(), ...JSON.parse(localStorage.getItem(senderOf(discordId)) ?? "{}") };
  } catch {
    return emptyAddress();
  }
}

function keepSender(discordId: string, address: Address) {
  try {
    localStorage.setItem(senderOf(discordId), JSON.stringify(address));
  } catch {
    // The browser stores nothing, so the next form begins empty.
  }
}

function BuyForm({ labelTypes }: { labelTypes: LabelType[] }) {
  const { discordId, balance, isVerified, status } = useCustomer();
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const empty = (): Values => ({ labelType: "", weight: "", from: lastSender(discordId), to: emptyAddress() });
  const draft = useDraft<Values>("buy", discordId, empty);
  const { values, isUnsure, isSending } = draft;
  const [faults, setFaults] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<Failure>();

  // Taken over from the calculator.
  const [asked, setAsked] = useState(query.get("type"));
  if (asked) {
    setAsked(null);
    if (!isUnsure) draft.change({ ...values, labelType: asked, weight: query.get("weight") ?? "" });
  }

  const type = labelTypeOf(labelTypes, values.labelType);
  const weight = Number(values.weight.replace(",", "."));
  const tier = type && weight > 0 ? tierFor(type, weight) : undefined;
  const left = tier && (inCents(balance) - inCents(tier.price)) / 100;
  const canBuy = isVerified && status;

  function change(values: Partial<Values>) {
    draft.change({ ...draft.values, ...values });
    setFailure(undefined);
  }

  function check(): Record<string, string> {
    return {
      ...(!type && { labelType: "Choose a kind of label" }),
      ...weightFault(values.weight, weight, type),
      ...faultsOf("from", values.from),
      ...faultsOf("to", values.to),
    };
  }

  async function buy(event: FormEvent) {
    event.preventDefault();
    if (isSending || !canBuy) return;
    // What was already sent is sent again unchanged, whatever is for sale now.
    const found = isUnsure ? {} : check();
    setFaults(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return void focusFault();
    keepSender(discordId, values.from);
    const label = {
      labelType: type?.uid ?? values.labelType,
      weight,
      ...flat("from", values.from),
      ...flat("to", values.to),
    };
    try {
      const bought = await draft.send((key) =>
        ask("POST /api/orders", { body: { key, price: tier?.price ?? 0, label } }),
      );
      void refresh("me", "orders", "transfers");
      navigate(`/orders/${bought.order._id}`, { state: { bought: true } });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
      setFaults(Object.fromEntries(error.issues.map(({ path, message }) => [formName(path), message])));
      if (error.issues.length > 0) focusFault();
      void refresh("me", "prices");
    }
  }

  const buttonWords = isSending ? "Buying …" : isUnsure ? "Send it again" : "Buy this label";
  const refused = (
    <Refused failure={failure} isUnsure={isUnsure && !isSending} missing={left && -left} what="your purchase" />
  );
  return (
    <form onSubmit={buy} noValidate>
      <div className="columns aside">
        <fieldset className="stack" disabled={isSending || isUnsure}>
          <legend className="unseen">The label</legend>
          <section className="card" aria-labelledby="parcel">
            <div className="step">
              <span aria-hidden>1</span>
              <h2 id="parcel">Parcel</h2>
            </div>
            <div className="stack">
              <div
                className="choices"
                role="radiogroup"
                aria-label="Kind of label"
                aria-invalid={faults.labelType ? true : undefined}
              >
                {labelTypes.map((one) => (
                  <Choice
                    key={one.uid}
                    labelType={one}
                    weight={weight}
                    isChosen={one.uid === type?.uid}
                    onChoose={() => change({ labelType: one.uid })}
                  />
                ))}
              </div>
              {faults.labelType && <span className="fault">{faults.labelType}</span>}
              <div className="fields">
                <Field
                  label="Weight"
                  className="half"
                  inputMode="decimal"
                  unit={type ? weightUnit(type.name) : "lb"}
                  value={values.weight}
                  fault={faults.weight}
                  hint={type && `Up to ${weighed(type.maxWeight, type.name)}`}
                  onChange={(event) => change({ weight: event.target.value })}
                />
              </div>
            </div>
          </section>
          {(["from", "to"] as const).map((side, index) => (
            <section className="card" key={side} aria-labelledby={side}>
              <div className="step">
                <span aria-hidden>{index + 2}</span>
                <h2 id={side}>{side === "from" ? "From" : "To"}</h2>
              </div>
              <AddressFields
                side={side}
                address={values[side]}
                faults={faults}
                onChange={(address) => change({ [side]: address })}
              />
            </section>
          ))}
        </fieldset>
        <aside className="stays stack" aria-label="What you buy">
          <LabelPreview
            name={type?.name}
            weight={type && weight > 0 ? weighed(weight, type.name) : undefined}
            from={values.from}
            to={values.to}
          >
            <dl className="facts">
              <div>
                <dt>Your balance</dt>
                <dd className="figure">{dollars(balance)}</dd>
              </div>
              <div>
                <dt>Left after it</dt>
                <dd className="figure">{left === undefined ? "–" : dollars(left)}</dd>
              </div>
              <div className="total">
                <dt>
                  Price{" "}
                  {tier?.custom && (
                    <span className="badge" data-tone="brand">
                      Your price
                    </span>
                  )}
                </dt>
                <dd className="figure" aria-live="polite">
                  {tier ? dollars(tier.price) : "–"}
                </dd>
              </div>
            </dl>
          </LabelPreview>
          {refused}
          <button type="submit" className="button block wide-only" disabled={isSending || !canBuy}>
            {buttonWords}
          </button>
        </aside>
      </div>
      <div className="buy-bar">
        <div>
          <strong className="figure">{tier ? dollars(tier.price) : "–"}</strong>
          <span className="small soft">
            {left === undefined ? "Choose label and weight" : `${dollars(left)} left after it`}
          </span>
        </div>
        <button type="submit" className="button" disabled={isSending || !canBuy}>
          {buttonWords}
        </button>
      </div>
    </form>
  );
}

function weightFault(text: string, weight: number, type: LabelType | undefined): { weight?: string } {
  if (!text.trim()) return { weight: "Enter the weight" };
  if (!(weight > 0)) return { weight: "Enter a number above 0" };
  if (!type) return {};
  if (weight > type.maxWeight) return { weight: `${type.name} carries at most ${weighed(type.maxWeight, type.name)}` };
  if (!tierFor(type, weight)) return { weight: `${type.name} has no price for ${weighed(weight, type.name)}` };
  return {};
}

type ChoiceProps = { labelType: LabelType; weight: number; isChosen: boolean; onChoose: () => void };

/** A kind of label with its price: for this weight if there is one, else its lowest. */
function Choice({ labelType, weight, isChosen, onChoose }: ChoiceProps) {
  const tier = isChosen && weight > 0 ? tierFor(labelType, weight) : undefined;
  const [cheapest] = labelType.prices.map(({ price }) => price).sort((a, b) => a - b);
  const isOwn = tier ? tier.custom : labelType.prices.some(({ custom }) => custom);
  return (
    <div className="choice">
      <input type="radio" name="labelType" aria-label={labelType.name} checked={isChosen} onChange={onChoose} />
      <div>
        <span className="dot" />
        <span>
          <strong>{labelType.name}</strong>
          <br />
          <span className="small soft">up to {weighed(labelType.maxWeight, labelType.name)}</span>
        </span>
        <span className="price">
          <strong className="figure">
            {tier ? dollars(tier.price) : cheapest === undefined ? "no price" : `from ${dollars(cheapest)}`}
          </strong>
          {isOwn && (
            <>
              <br />
              <span className="badge" data-tone="brand">
                Your price
              </span>
            </>
          )}
        </span>
      </div>
    </div>
  );
}
