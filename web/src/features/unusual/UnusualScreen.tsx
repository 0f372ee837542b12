import { type UnusualEvent, unusual, unusualRules } from "@footprint/contract/unusual.ts";
import { Button } from "@mantine/core";
import { IconAdjustmentsHorizontal, IconCheck } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { shortDay } from "../../shared/days.ts";
import { useDialog } from "../../shared/dialogs.tsx";
import { choiceFilter, customerFilter, dayFilter } from "../../shared/filters.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { counting, type Several } from "../../shared/several.ts";
import { About } from "./About.tsx";
import { amountOf, ruleWords, timesOf } from "./rules.ts";

const UnusualDetails = lazyPart(() => import("./UnusualDetails.tsx").then((file) => file.UnusualDetails));
const DismissEvent = lazyPart(() => import("./DismissEvent.tsx").then((file) => file.DismissEvent));
const Rules = lazyPart(() => import("./Rules.tsx").then((file) => file.Rules));

const statusFilter = {
  name: "status",
  label: "Status",
  options: ["open", "dismissed", "All"],
  optionLabel: statusLabel,
} as const;

const ruleFilter = choiceFilter(
  "rule",
  "Rule",
  unusualRules.map((rule) => [rule, ruleWords[rule].name]),
);

const eventCount = counting("event", "events");

const several: Several<UnusualEvent> = {
  nameOf: (event) => `${ruleWords[event.rule].name}: ${event.name}`,
  exported: unusual.exportChosen,
  actions: [
    {
      text: (count) => `Dismiss ${eventCount(count)}`,
      Icon: IconCheck,
      applies: (event) => !event.dismissed,
      ask: {
        message: "They are looked into, and need no more attention. The reason stays with them.",
        leftOut: "dismissed already",
        reason: "Up to 500 characters. Kept with the event and in the log.",
        needsReason: true,
        working: "Dismissing…",
        done: (count) => `${eventCount(count)} dismissed`,
        call: (ids, reason, options) => callApi(unusual.dismissSeveral, { body: { ids, reason } }, options),
      },
    },
  ],
};

/** What looked unusual, by plain rules: shown to be looked into, never blocking. */
export function UnusualScreen() {
  const list = useList(unusual.list, (reply) => reply.events, {
    filter: statusFilter,
    filters: [ruleFilter, dayFilter, customerFilter],
    read: { call: unusual.read, rowOf: (reply) => reply.event },
  });
  const open = useDialog();
  const dismiss = (event: UnusualEvent) => open((close) => <DismissEvent event={event} onClose={close} />);

  const what: Column<UnusualEvent> = {
    title: "What",
    cell: ({ rule }) => ruleWords[rule].name,
    second: ({ day }) => `on ${shortDay(day)}`,
    onCard: "headline",
  };
  const who: Column<UnusualEvent> = {
    title: "Who or where",
    cell: (event) => <About event={event} />,
  };
  const seen: Column<UnusualEvent> = {
    title: "Seen",
    cell: ({ rule, seen }) => <b>{amountOf(rule, seen)}</b>,
    second: timesOf,
    align: "right",
    onCard: "aside",
  };
  const status: Column<UnusualEvent> = {
    title: "Status",
    cell: ({ dismissed }) => <StatusBadge tone="plain">{dismissed ? "Dismissed" : "Open"}</StatusBadge>,
    second: ({ dismissed }) => dismissed && `by ${dismissed.by}`,
    hidden: list.filter?.value === "open",
  };
  const columns: Column<UnusualEvent>[] = [
    { ...what, width: "25%" },
    { ...who, width: "24%" },
    { ...seen, width: "12%" },
    {
      title: "Usual",
      cell: ({ rule, usual }) => (usual === null ? "–" : amountOf(rule, usual)),
      align: "right",
      dimmed: true,
      width: "10%",
      below: "Seen",
      onCard: "hidden",
    },
    { ...status, width: "11%" },
    {
      title: "Noticed",
      cell: ({ createdAt }) => <Time value={createdAt} />,
      dimmed: true,
      titled: true,
      width: "9%",
      below: "What",
    },
    {
      title: "",
      cell: (event) =>
        !event.dismissed && (
          <RowButton
            text="Dismiss"
            label={`Dismiss ${ruleWords[event.rule].name}: ${event.name}`}
            Icon={IconCheck}
            onClick={() => dismiss(event)}
          />
        ),
    },
  ];

  return (
    <ListScreen
      title="Unusual events"
      counted={["event", "events"]}
      subtitle="Noticed by plain rules. Nothing here was blocked."
      actions={
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          onClick={() => open((close) => <Rules onClose={close} />)}
        >
          Rules
        </Button>
      }
      list={list}
      views={{ screen: "unusual", all: "Open", usual: { Dismissed: "status=dismissed", All: "status=All" } }}
      columns={columns}
      columnsBeside={[what, who, seen]}
      exported={unusual.export}
      several={several}
      searchFor="Customer, staff, address"
      empty={{
        title: "Nothing unusual",
        hint: "What the rules pick out appears here within a few minutes.",
      }}
      details={(event, close) => <UnusualDetails event={event} onDismiss={() => dismiss(event)} onClose={close} />}
    />
  );
}
