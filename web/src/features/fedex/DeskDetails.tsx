import type { FedexOrder, FedexStory } from "@footprint/contract/fedex.ts";
import { ActionIcon, Alert, Button, Skeleton } from "@mantine/core";
import { IconAlertTriangle, IconChevronDown, IconChevronLeft, IconChevronUp, IconHandStop } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { AlsoOpen } from "../../shared/AlsoOpen.tsx";
import type { ApiError } from "../../shared/api.ts";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { Addresses, Details } from "../../shared/Details.tsx";
import { formatMoney, StatusBadge, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import { useMinute } from "../../shared/today.ts";
import { Charge } from "./Charge.tsx";
import { Claimant, Key } from "./DeskList.tsx";
import { DeskTimeline } from "./DeskTimeline.tsx";
import { ageOf, type Desk, isLate } from "./desk.ts";
import { FedexCustomer, FedexStatus } from "./FedexCells.tsx";
import classes from "./FedexDesk.module.css";

type Claiming = { isMine: boolean; isClaiming: boolean; claim: () => void };

/** Which order it is, who works on it, and the way to its neighbours. */
export function DeskHead({
  order,
  desk,
  isPhone,
  isMine,
  isClaiming,
  claim,
}: { order: FedexOrder; desk: Desk; isPhone: boolean } & Claiming) {
  useMinute();
  const isOpen = order.status !== "Completed" && order.status !== "Cancelled";
  const [previous, next] = [desk.neighbour(-1), desk.neighbour(1)];
  return (
    <header className={classes.head}>
      {isPhone && (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconChevronLeft size={14} aria-hidden />}
          onClick={() => desk.view(undefined)}
        >
          All orders
        </Button>
      )}
      <h2>{order.to.name}</h2>
      <ShortId value={order.uuid} name="order id" />
      {isLate(order) ? (
        <StatusBadge tone="warning">
          {order.status}, {ageOf(order.createdAt)}
        </StatusBadge>
      ) : (
        <FedexStatus order={order} />
      )}
      <AlsoOpen id={order._id} />
      <div className={classes.headRight}>
        {order.claim && (
          <span className={classes.claimed}>
            <Claimant claim={order.claim} />
            {isMine ? "Claimed by you" : `Claimed by ${order.claim.by.username}`}
          </span>
        )}
        {isOpen && (isMine || !order.claim) && (
          <Button
            data-key="c"
            aria-keyshortcuts="c"
            size="compact-md"
            variant="default"
            leftSection={isMine ? undefined : <IconHandStop size={14} aria-hidden />}
            rightSection={<Key name="C" />}
            disabled={isClaiming}
            onClick={claim}
          >
            {isMine ? "Release" : "Claim"}
          </Button>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Previous order"
          aria-keyshortcuts="k"
          disabled={!previous || previous._id === order._id}
          onClick={() => previous && desk.view(previous._id)}
        >
          <IconChevronUp size={18} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Next order"
          aria-keyshortcuts="j"
          disabled={!next || next._id === order._id}
          onClick={() => next && desk.view(next._id)}
        >
          <IconChevronDown size={18} />
        </ActionIcon>
      </div>
    </header>
  );
}

/** What there is to know about an order before anything is done about it. */
export function DeskDetails({
  order,
  story,
  query,
}: {
  order: FedexOrder;
  story: FedexStory | undefined;
  query: UseQueryResult<FedexStory, ApiError>;
}) {
  const { weight, weightUnit, length, width, height, dimensionUnit } = order;
  return (
    <section className={classes.details} aria-label="Details" aria-busy={!story && !query.isError}>
      <div className={classes.parties}>
        <Addresses
          items={[
            { title: "Sender", address: order.from },
            { title: "Receiver", address: order.to },
          ]}
        />
      </div>
      {order.specialNotes && (
        <Alert color="orange" py={8} icon={<IconAlertTriangle size={16} aria-hidden />}>
          {order.specialNotes}
        </Alert>
      )}
      <div className={classes.part}>
        <Details
          items={[
            { title: "Weight", value: `${weight} ${weightUnit}` },
            { title: "Dimensions", value: `${length} × ${width} × ${height} ${dimensionUnit}` },
            { title: "Created", value: <Time value={order.createdAt} exact /> },
            { title: "Customer", value: <CustomerLink user={order.user} inList={false} /> },
            { title: "Discord id", value: <FedexCustomer order={order} /> },
            { title: "Balance", value: story ? formatMoney(story.customer.balance) : "…" },
          ]}
        />
      </div>
      {story ? (
        <>
          <div className={classes.part}>
            <Charge story={story} />
          </div>
          <Similar story={story} />
          <div className={classes.part}>
            <DeskTimeline story={story} />
          </div>
        </>
      ) : query.isError ? (
        <LoadFailure title="The order's story could not be loaded" query={query} />
      ) : (
        <Skeleton height={240} />
      )}
    </section>
  );
}

function Similar({ story: { similar, usualPrice } }: { story: FedexStory }) {
  return (
    <section className={classes.part} aria-labelledby="similar-parcels">
      <h3 id="similar-parcels">What similar parcels cost</h3>
      {similar.length === 0 ? (
        <p className={classes.quiet}>None of nearly this weight has a price yet.</p>
      ) : (
        <table className={classes.similar}>
          <tbody>
            {similar.map(({ _id, createdAt, weight, weightUnit, city, state, price }) => (
              <tr key={_id}>
                <td>
                  <Time value={createdAt} />
                </td>
                <td>
                  {weight} {weightUnit} to {[city, state].filter(Boolean).join(", ")}
                </td>
                <td>
                  <b>{formatMoney(price)}</b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {usualPrice && (
        <p className={classes.quiet}>
          Most cost {formatMoney(usualPrice.low)} to {formatMoney(usualPrice.high)}.
        </p>
      )}
    </section>
  );
}
