import { type TrackingCode, tracking, trackingTemplates } from "@footprint/contract/tracking.ts";
import { ActionIcon } from "@mantine/core";
import { IconDots, IconTrash } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { choiceFilter, dayFilter } from "../../shared/filters.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { LazyMenu } from "../../shared/LazyMenu.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { labelOf } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { counting, type Several } from "../../shared/several.ts";
import { CreateButton } from "./CreateButton.tsx";
import { batchFilter, typeFilter } from "./codeFilters.tsx";
import { TrackingStats } from "./TrackingStats.tsx";
import { TrackingTabs } from "./TrackingTabs.tsx";

const DeleteRange = lazyPart(() => import("./DeleteRange.tsx").then((file) => file.DeleteRange));
const TrackingDetails = lazyPart(() => import("./TrackingDetails.tsx").then((file) => file.TrackingDetails));

const filters = [
  dayFilter,
  typeFilter,
  choiceFilter(
    "template",
    "Template",
    trackingTemplates.map((template) => [template, labelOf(template)]),
  ),
  batchFilter,
  choiceFilter("used", "Status", [
    ["false", "Unused"],
    ["true", "Used"],
  ]),
];

const codeCount = counting("unused code", "unused codes");

const several: Several<TrackingCode> = {
  nameOf: ({ code }) => code,
  exported: tracking.exportChosen,
  actions: [
    {
      text: (count) => `Delete ${codeCount(count)}`,
      Icon: IconTrash,
      danger: true,
      applies: ({ used }) => !used,
      ask: {
        message: "They were paid for. This cannot be undone.",
        leftOut: "used",
        working: "Deleting…",
        done: (count) => `${codeCount(count)} deleted`,
        call: (ids) => callApi(tracking.deleteSeveral, { body: { ids } }),
      },
    },
  ],
};

export function TrackingScreen() {
  const list = useList(tracking.list, (reply) => reply.trackings, {
    filters,
    read: { call: tracking.read, rowOf: (reply) => reply.tracking },
  });
  const open = useDialog();
  const confirm = useConfirm();

  const askToDelete = ({ _id, code, type, used }: TrackingCode) =>
    confirm({
      title: "Delete this tracking code?",
      message: `${labelOf(type)} code ${code} ${used ? "is used: its order keeps the number." : "is unused and was paid for."} This cannot be undone.`,
      ...deletion,
      onConfirm: () => callApi(tracking.delete, { params: { id: _id } }),
    });

  const columns: Column<TrackingCode>[] = [
    {
      title: "Code",
      cell: ({ code }) => <ShortId value={code} name="tracking code" />,
      width: "24%",
      onCard: "headline",
    },
    { title: "Type", cell: ({ type }) => labelOf(type), width: "16%" },
    { title: "Template", cell: ({ template }) => labelOf(template), width: "16%" },
    { title: "Status", cell: ({ used }) => <Status used={used} />, width: "14%", onCard: "aside" },
    { title: "Created", cell: ({ createdAt }) => <Time value={createdAt} />, dimmed: true, width: "14%" },
    {
      title: "",
      cell: (row) => <RowButton danger text="Delete" of={row.code} Icon={IconTrash} onClick={() => askToDelete(row)} />,
    },
  ];

  const columnsBeside = columns
    .filter(({ title }) => ["Code", "Type", "Status"].includes(title))
    .map(({ width: _, ...column }) => column);

  return (
    <ListScreen
      title="USPS Tracking"
      counted={["prepaid code", "prepaid codes"]}
      actions={
        <>
          <CreateButton />
          <LazyMenu
            position="bottom-end"
            button={
              <ActionIcon variant="default" size={36} aria-label="More">
                <IconDots size={16} />
              </ActionIcon>
            }
          >
            {(Menu) => (
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={() => open((close) => <DeleteRange onClose={close} />)}
              >
                Delete a range
              </Menu.Item>
            )}
          </LazyMenu>
        </>
      }
      list={list}
      views={{ screen: "usps", usual: { Unused: "used=false" } }}
      columns={columns}
      exported={tracking.export}
      several={several}
      details={(code, close) => <TrackingDetails code={code} onClose={close} />}
      columnsBeside={columnsBeside}
      searchFor="Tracking code"
      empty={{
        title: "No tracking codes yet",
        hint: "Register a range of codes that the carrier issued.",
        action: <CreateButton />,
      }}
    >
      <TrackingTabs chosen="Codes" />
      <TrackingStats />
    </ListScreen>
  );
}

function Status({ used }: { used: boolean }) {
  return <StatusBadge tone="plain">{used ? "Used" : "Unused"}</StatusBadge>;
}
