import { type TrackingCode, tracking } from "@footprint/contract/tracking.ts";
import { Skeleton, Text, Title } from "@mantine/core";
import { Author } from "../../shared/Author.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { Details } from "../../shared/Details.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { formatCount, Time } from "../../shared/format.tsx";
import { IdLink } from "../../shared/IdLink.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { labelOf } from "../../shared/labels.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { BatchFile } from "./BatchFile.tsx";

/** A code: the order that carries it, and where it came from. */
export function TrackingDetails({ code: row, onClose }: { code: TrackingCode; onClose: () => void }) {
  const query = useApiQuery(tracking.read, { params: { id: row._id } });
  return (
    <DetailsPane what="Code" id={row.code} onClose={onClose}>
      <Details
        inline
        items={[
          { title: "Code", value: <ShortId value={row.code} name="tracking code" whole /> },
          { title: "Type", value: labelOf(row.type) },
          { title: "Template", value: labelOf(row.template) },
          { title: "Status", value: row.used ? "Used" : "Unused" },
          { title: "Registered", value: <Time value={row.createdAt} withHour /> },
        ]}
      />
      {query.isError && !query.data ? (
        <LoadFailure query={query} />
      ) : query.data ? (
        <Story {...query.data} />
      ) : (
        <Skeleton height={160} />
      )}
    </DetailsPane>
  );
}

type StoryProps = NonNullable<ReturnType<typeof useApiQuery<typeof tracking.read>>["data"]>;

function Story({ tracking: { used, usedAt }, order, batch }: StoryProps) {
  return (
    <>
      <section>
        <Title order={3} size="h5" mb={8}>
          Order
        </Title>
        {order ? (
          <Details
            inline
            items={[
              {
                title: "Order",
                value: <IdLink value={order.uuid} to={`/orders?search=${order._id}&view=${order._id}`} />,
              },
              { title: "Customer", value: <CustomerLink user={order.user} /> },
              { title: "Used", value: <Time value={usedAt ?? order.createdAt} withHour /> },
            ]}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {used ? "No order carries it any more." : "No order carries it yet."}
          </Text>
        )}
      </section>
      <section>
        <Title order={3} size="h5" mb={8}>
          Batch
        </Title>
        {batch ? (
          <Details
            inline
            items={[
              { title: "Range", value: <IdLink value={batch.first} to={`/usps/batches?search=${batch._id}`} /> },
              { title: "Registered by", value: batch.by ? <Author by={batch.by} /> : "Nobody noted it" },
              { title: "Used", value: `${formatCount(batch.used)} of ${formatCount(batch.amount)}` },
              { title: "Came from", value: batch.note || "Nobody noted it", wide: true },
              ...(batch.file ? [{ title: "File", value: <BatchFile batch={batch} />, wide: true }] : []),
            ]}
          />
        ) : (
          <Text size="sm" c="dimmed">
            Registered before batches were kept.
          </Text>
        )}
      </section>
    </>
  );
}
