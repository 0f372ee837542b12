import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { type Address, emptyAddress, faultsOf, formName } from "../address.ts";
import { ask, Failure } from "../ask.ts";
import { useRefresh } from "../data.ts";
import { useDraft } from "../draft.ts";
import { AddressFields } from "../parts/AddressFields.tsx";
import { Field, focusFault, Select, TextArea } from "../parts/Field.tsx";
import { Refused } from "../parts/Refused.tsx";
import { ShipTabs } from "../parts/Tabs.tsx";
import { useCustomer } from "../useCustomer.ts";
import { useTitle } from "../useTitle.ts";

const sizes = ["length", "width", "height"] as const;
const measures = ["weight", ...sizes] as const;
type Measure = (typeof measures)[number];
type Values = Record<Measure, string> & {
  weightUnit: string;
  dimensionUnit: string;
  specialNotes: string;
  from: Address;
  to: Address;
};

const empty = (): Values => ({
  weight: "",
  length: "",
  width: "",
  height: "",
  weightUnit: "lb",
  dimensionUnit: "in",
  specialNotes: "",
  from: emptyAddress(),
  to: emptyAddress(),
});
const without = ["company", "country"] as const;

const numberIn = (text: string) => Number(text.trim().replace(",", ".") || Number.NaN);

export function FedexScreen() {
  useTitle("Ask for a Fedex label");
  const { discordId, isVerified, status } = useCustomer();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const draft = useDraft<Values>("fedex", discordId, empty);
  const { values, isUnsure, isSending } = draft;
  const [faults, setFaults] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<Failure>();
  const canAsk = isVerified && status;

  function change(some: Partial<Values>) {
    draft.change({ ...draft.values, ...some });
    setFailure(undefined);
  }
  const bind = (name: keyof Omit<Values, "from" | "to">) => ({
    value: values[name],
    fault: faults[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });

  function check(): Record<string, string> {
    const wrong = measures.filter((name) => !(numberIn(values[name]) > 0));
    return {
      ...Object.fromEntries(wrong.map((name) => [name, "Enter a number above 0"])),
      ...faultsOf("from", values.from, without),
      ...faultsOf("to", values.to, without),
    };
  }

  async function request(event: FormEvent) {
    event.preventDefault();
    if (isSending || !canAsk) return;
    const found = check();
    setFaults(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return void focusFault();
    const numbers = Object.fromEntries(measures.map((name) => [name, numberIn(values[name])]));
    try {
      await draft.send((key) => ask("POST /api/fedex-orders", { body: { ...values, ...numbers, key } }));
      void refresh("fedex");
      navigate("/orders/fedex", { state: { asked: true } });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
      setFaults(Object.fromEntries(error.issues.map(({ path, message }) => [formName(path), message])));
      if (error.issues.length > 0) focusFault();
      void refresh("me");
    }
  }

  return (
    <>
      <h1>Ship</h1>
      <ShipTabs />
      <form onSubmit={request} noValidate>
        <div className="columns aside">
          <fieldset className="stack" disabled={isSending || isUnsure}>
            <legend className="unseen">The Fedex parcel</legend>
            <section className="card" aria-labelledby="parcel">
              <div className="step">
                <span aria-hidden>1</span>
                <h2 id="parcel">Parcel</h2>
              </div>
              <div className="fields">
                <Field label="Weight" className="half" inputMode="decimal" {...bind("weight")} />
                <Select label="Unit of weight" className="half" {...bind("weightUnit")}>
                  <option value="lb">Pounds (lb)</option>
                  <option value="kg">Kilograms (kg)</option>
                </Select>
                {sizes.map((name) => (
                  <Field
                    key={name}
                    label={name.charAt(0).toUpperCase() + name.slice(1)}
                    className="third"
                    inputMode="decimal"
                    {...bind(name)}
                  />
                ))}
                <Select label="Unit of size" {...bind("dimensionUnit")}>
                  <option value="in">Inches (in)</option>
                  <option value="cm">Centimetres (cm)</option>
                </Select>
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
                  hasCompanyAndCountry={false}
                  onChange={(address) => change({ [side]: address })}
                />
              </section>
            ))}
            <section className="card">
              <TextArea
                label="Anything we should know"
                isOptional
                maxLength={2000}
                hint="A pick-up, a signature, a day it has to be there"
                {...bind("specialNotes")}
              />
            </section>
          </fieldset>
          <aside className="stays stack" aria-label="How a Fedex label is made">
            <div className="card stack">
              <h2>Made for you by hand</h2>
              <ol className="steps">
                <li>
                  <span>You tell us about the parcel. This costs nothing.</span>
                </li>
                <li>
                  <span>We answer with a price, mostly within the day.</span>
                </li>
                <li>
                  <span>Your label is ready to download, among your orders.</span>
                </li>
              </ol>
            </div>
            <Refused failure={failure} isUnsure={isUnsure && !isSending} what="your request" />
            <button type="submit" className="button block" disabled={isSending || !canAsk}>
              {isSending ? "Sending …" : isUnsure ? "Send it again" : "Ask for this label"}
            </button>
          </aside>
        </div>
      </form>
    </>
  );
}
