import { IconFileSpreadsheet, IconPackage, IconTruckDelivery } from "@tabler/icons-react";
import { Link } from "react-router";
import { useFedexOrders, useInvoices, useOrders } from "../data.ts";
import { Notice } from "../parts/Notice.tsx";
import { OrderItem } from "../parts/OrderItem.tsx";
import { Empty, Loaded, LoadingList } from "../parts/States.tsx";
import { useCustomer } from "../useCustomer.ts";
import { useTitle } from "../useTitle.ts";
import { dollars } from "../words.ts";

const ways = [
  { path: "/ship", name: "Buy a label", text: "One parcel, priced as you type", Icon: IconPackage },
  { path: "/ship/bulk", name: "Many at once", text: "Up to 500 from a CSV file", Icon: IconFileSpreadsheet },
  { path: "/ship/fedex", name: "Ask for Fedex", text: "Large or heavy: we make it for you", Icon: IconTruckDelivery },
];

export function HomeScreen() {
  useTitle("Home");
  const { username, balance } = useCustomer();
  const orders = useOrders({ page: 1, search: "", status: "All" });
  return (
    <>
      <h1>Hello, {username}</h1>
      <div className="columns aside turned">
        <div className="stack wide">
          <div className="tiles">
            {ways.map(({ path, name, text, Icon }) => (
              <Link key={path} className="tile" to={path}>
                <Icon size={24} stroke={1.6} aria-hidden />
                <strong>{name}</strong>
                <span className="small soft">{text}</span>
              </Link>
            ))}
          </div>
          <section className="stack" aria-labelledby="latest">
            <div className="row apart">
              <h2 id="latest">Latest labels</h2>
              <Link to="/orders">All orders</Link>
            </div>
            <Loaded query={orders} loading={<LoadingList rows={5} />}>
              {({ orders: found }) =>
                found.length > 0 ? (
                  <ul className="list">
                    {found.slice(0, 5).map((order) => (
                      <OrderItem key={order._id} order={order} />
                    ))}
                  </ul>
                ) : (
                  <Empty icon={<IconPackage size={36} stroke={1.5} aria-hidden />} title="No labels yet">
                    <p>What you buy is listed here, with tracking and refunds.</p>
                  </Empty>
                )
              }
            </Loaded>
          </section>
        </div>
        <div className="stack stays">
          <div className="wallet">
            <div>
              <div className="small">Your balance</div>
              <div className="sum figure">{dollars(balance)}</div>
            </div>
            <div className="row">
              <Link className="button" to="/balance">
                Top up
              </Link>
              <Link className="button plain" to="/prices">
                Prices
              </Link>
            </div>
          </div>
          <Open />
        </div>
      </div>
    </>
  );
}

/** Things that wait for the customer. */
function Open() {
  const invoices = useInvoices(1).data?.invoices.filter(({ status }) => status === "pending") ?? [];
  const fedex = useFedexOrders(1).data?.orders ?? [];
  const asked = fedex.filter(({ status }) => status === "Awaiting User Input");
  const [ready] = fedex.filter(({ status, file }) => status === "Completed" && file);
  return (
    <>
      {invoices.slice(0, 2).map(({ _id, amount }) => (
        <Notice key={_id} tone="late" title={`${dollars(amount)} wait for your payment`}>
          <Link to={`/balance/${_id}`}>How to pay</Link>
        </Notice>
      ))}
      {asked.slice(0, 2).map(({ _id, to }) => (
        <Notice key={_id} tone="late" title={`A question about your Fedex parcel to ${to.name}`}>
          <Link to="/orders/fedex">Read it</Link>
        </Notice>
      ))}
      {ready && (
        <Notice tone="well" title={`Your Fedex label to ${ready.to.name} is ready`}>
          <Link to="/orders/fedex">Download it</Link>
        </Notice>
      )}
    </>
  );
}
