import { type FedexStory, fedex } from "@footprint/contract/fedex.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { Button } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { BalanceChange } from "../../shared/BalanceChange.tsx";
import { useConfirm } from "../../shared/dialogs.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import classes from "./FedexDesk.module.css";

/** Takes the quoted price from the customer's balance, or gives it back. */
export function Charge({ story: { order, customer, charge } }: { story: FedexStory }) {
  const confirm = useConfirm();
  const price = order.price === null ? "" : formatMoney(order.price);

  const askToCharge = (amount: number) =>
    confirm({
      title: "Charge this order?",
      message: (
        <>
          <b>{price}</b> leaves the balance of <b>{customer.username}</b>. It can be reversed.
        </>
      ),
      details: <BalanceChange customer={customer} amount={-amount} />,
      asksReason: true,
      action: `Charge ${price}`,
      working: "Charging…",
      onConfirm: (options, reason) =>
        callApi(fedex.charge, { params: { id: order._id }, body: { reason, price: amount } }, options),
    });

  const askToReverse = ({ transfer, amount }: NonNullable<FedexStory["charge"]>) =>
    confirm({
      title: "Reverse this charge?",
      message: (
        <>
          <b>{formatMoney(amount)}</b> returns to the balance of <b>{customer.username}</b>. The order can then be
          charged again.
        </>
      ),
      details: <BalanceChange customer={customer} amount={amount} />,
      asksReason: true,
      action: `Reverse ${formatMoney(amount)}`,
      working: "Reversing…",
      danger: true,
      onConfirm: (options, reason) =>
        callApi(transfers.reverse, { params: { id: transfer }, body: { reason } }, options),
    });

  const amount = order.price;
  return (
    <section className={classes.charge} aria-label="Charge">
      <div>
        <h3>{charge ? "Charged" : "Quoted"}</h3>
        <b className={classes.amount}>{charge ? formatMoney(charge.amount) : price || "No price yet"}</b>
        <p className={classes.quiet}>
          {charge ? (
            <>
              by {charge.by.username}, <Time value={charge.createdAt} exact />
            </>
          ) : (
            `${customer.username} has ${formatMoney(customer.balance)}`
          )}
        </p>
      </div>
      {charge ? (
        <Button variant="default" onClick={() => askToReverse(charge)}>
          Reverse charge
        </Button>
      ) : (
        amount !== null &&
        amount > 0 &&
        order.status !== "Cancelled" && (
          <Button variant="default" onClick={() => askToCharge(amount)}>
            Charge {price}
          </Button>
        )
      )}
    </section>
  );
}
