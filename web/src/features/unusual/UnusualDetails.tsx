import type { UnusualEvent, UnusualRule } from "@footprint/contract/unusual.ts";
import { Anchor, Button, Group, Text } from "@mantine/core";
import { IconArrowUpRight, IconCheck } from "@tabler/icons-react";
import { Link } from "react-router";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { Details } from "../../shared/Details.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { fullDay } from "../../shared/days.ts";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { IdLink } from "../../shared/IdLink.tsx";
import { About } from "./About.tsx";
import { amountOf, rowsPath, ruleWords, timesOf } from "./rules.ts";

const titles: Partial<Record<UnusualRule, string>> = { address: "Address", prices: "Price" };

/** What was seen against what is usual, and the way to the rows. */
export function UnusualDetails(props: { event: UnusualEvent; onDismiss: () => void; onClose: () => void }) {
  const { event, onDismiss, onClose } = props;
  const { _id, rule, day, user, seen, usual, orders, dismissed } = event;
  const rows = rowsPath(event);
  const times = timesOf(event);
  return (
    <DetailsPane
      what="Event"
      id={_id}
      record={_id}
      size="md"
      title={ruleWords[rule].name}
      status={<StatusBadge tone="plain">{dismissed ? "Dismissed" : "Open"}</StatusBadge>}
      onClose={onClose}
      foot={
        <>
          <HistoryButton of="this event" subject={_id} />
          {!dismissed && (
            <Button ml="auto" leftSection={<IconCheck size={16} aria-hidden />} onClick={onDismiss}>
              Dismiss
            </Button>
          )}
        </>
      }
    >
      <div>
        <Text fw={600}>{ruleWords[rule].name}</Text>
        <Text size="sm" c="dimmed">
          {ruleWords[rule].rule}
        </Text>
      </div>
      <Details
        items={[
          { title: titles[rule] ?? "Who", value: <About event={event} inList={false} />, wide: true },
          { title: "Seen", value: `${amountOf(rule, seen)}${times ? `, ${times}` : ""}` },
          { title: "Usual", value: usual === null ? "" : amountOf(rule, usual) },
          { title: "Business day", value: fullDay(day) },
          ...(rule === "address"
            ? [{ title: "Bought by", value: user ? <CustomerLink user={user} inList={false} /> : "Several customers" }]
            : []),
          { title: "Noticed", value: <Time value={event.createdAt} full />, wide: true },
        ]}
      />
      {rows && (
        <Anchor component={Link} to={rows} size="sm">
          <Group gap={4} component="span">
            Show the rows behind this <IconArrowUpRight size={14} aria-hidden />
          </Group>
        </Anchor>
      )}
      {orders.length > 0 && (
        <section aria-label="Orders">
          <Text size="xs" c="dimmed" mb={4}>
            {orders.length < seen ? `The first ${orders.length} orders` : "Orders"}
          </Text>
          <Group gap="4px 12px">
            {orders.map((id) => (
              <IdLink key={id} value={id} to={`/orders?search=${id}&view=${id}`} />
            ))}
          </Group>
        </section>
      )}
      {dismissed && (
        <div>
          <Text size="sm">
            Dismissed by {dismissed.by}: “{dismissed.reason}”
          </Text>
          <Text size="xs" c="dimmed">
            <Time value={dismissed.at} full />
          </Text>
        </div>
      )}
    </DetailsPane>
  );
}
