import type { PriceWarning } from "@footprint/contract/price-preview.ts";
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import { formatMoney, formatWeights } from "../../shared/format.tsx";
import { Warning } from "../../shared/Warning.tsx";
import classes from "./Prices.module.css";

/** What deserves a second look, with the way to the customers whom it concerns. */
export function PriceWarnings({ labelType, warnings }: { labelType: string; warnings: readonly PriceWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <Warning>
      <ul className={classes.warnings}>
        {warnings.map(({ message, customers }) => (
          <li key={message}>
            {customers ? (
              <>
                <b>{message}:</b> <Customers customers={customers} labelType={labelType} />
              </>
            ) : (
              `${message}.`
            )}
          </li>
        ))}
      </ul>
    </Warning>
  );
}

/** rosa $8.70 for 1–3 lb, ursula $8.65 for 1–3 lb */
function Customers({ customers, labelType }: { customers: PriceWarning["customers"] & {}; labelType: string }) {
  return customers.map(({ _id, username, price, fromWeight, toWeight }, place) => (
    <span key={`${_id} ${fromWeight}`}>
      {place > 0 && ", "}
      <Anchor component={Link} to={`/users/${_id}`} inherit c="inherit" fw={600} underline="always">
        {username}
      </Anchor>{" "}
      {formatMoney(price)} for {formatWeights(fromWeight, toWeight, labelType)}
    </span>
  ));
}
