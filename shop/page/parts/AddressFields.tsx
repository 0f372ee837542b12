import { usStates } from "@footprint/contract/us-addresses.ts";
import { type Address, cautionsOf, isInUs, longest, type Field as Name, type Side } from "../address.ts";
import { Field, Select } from "./Field.tsx";

type Props = {
  side: Side;
  address: Address;
  faults: Record<string, string>;
  onChange: (address: Address) => void;
  /** Fedex requests have neither. */
  hasCompanyAndCountry?: boolean;
};

export function AddressFields({ side, address, faults, onChange, hasCompanyAndCountry = true }: Props) {
  const cautions = cautionsOf(address);
  const bind = (name: Name, complete: string) => ({
    value: address[name],
    maxLength: longest[name],
    autoComplete: `section-${side} shipping ${complete}`,
    fault: faults[`${side}.${name}`],
    caution: cautions[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...address, [name]: event.target.value }),
  });
  const { maxLength: _, ...state } = bind("state", "address-level1");
  return (
    <div className="fields">
      <Field label="Name" className={hasCompanyAndCountry ? "half-wide" : ""} {...bind("name", "name")} />
      {hasCompanyAndCountry && (
        <Field label="Company" className="half-wide" isOptional {...bind("company", "organization")} />
      )}
      <Field label="Street" className="two-thirds-wide" {...bind("street", "address-line1")} />
      <Field label="Apartment, suite" className="third-wide" isOptional {...bind("street2", "address-line2")} />
      <Field label="City" className="third-wide" {...bind("city", "address-level2")} />
      {isInUs(address.country) ? (
        <Select label="State" className="half third-wide" {...state}>
          <option value="">Choose …</option>
          {!isListed(address.state) && <option value={address.state}>{address.state}</option>}
          {usStates.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
      ) : (
        <Field label="State or region" className="half third-wide" isOptional {...state} maxLength={longest.state} />
      )}
      <Field
        label="ZIP code"
        className="half third-wide"
        inputMode={isInUs(address.country) ? "numeric" : "text"}
        {...bind("zip", "postal-code")}
      />
      {hasCompanyAndCountry && <Field label="Country" {...bind("country", "country-name")} />}
    </div>
  );
}

const isListed = (state: string) => state === "" || usStates.some(({ code }) => code === state);
