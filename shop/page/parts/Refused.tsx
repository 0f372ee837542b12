import { Link } from "react-router";
import type { Failure } from "../ask.ts";
import { dollars } from "../words.ts";
import { Notice } from "./Notice.tsx";

type Props = {
  failure: Failure | undefined;
  /** It was sent, and no answer came. */
  isUnsure: boolean;
  /** How much the balance lacks, in dollars. */
  missing?: number | undefined;
  what: string;
};

/** The price no longer matters to a purchase that went through before. */
const wordsOf = ({ price, message }: Failure) =>
  price === undefined ? message : `It costs ${dollars(price)} by now, should it not have gone through before.`;

/** Why something was not bought, and what to do about it. */
export function Refused({ failure, isUnsure, missing, what }: Props) {
  if (isUnsure)
    return (
      <Notice tone="late" title="We did not hear back" isUrgent>
        {failure && <p>{wordsOf(failure)}</p>}
        Nobody knows yet whether {what} went through. Send it again as it is: however often you do, it is done once. Or{" "}
        <Link to="/orders">look at your orders</Link>.
      </Notice>
    );
  if (!failure) return null;
  if (failure.code === "balance")
    return (
      <Notice tone="bad" title={failure.message} isUrgent>
        <div className="row">
          <Link className="button" to={missing && missing > 0 ? `/balance?amount=${missing}` : "/balance"}>
            Top up
          </Link>
        </div>
      </Notice>
    );
  return (
    <Notice
      tone={failure.code === "busy" || failure.code === "price" ? "late" : "bad"}
      title={failure.message}
      isUrgent
    />
  );
}
