import { type TrackingCode, tracking } from "@footprint/contract/tracking.ts";
import { Button } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useConfirm } from "../../shared/confirm.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { formatTotal, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { labelOf } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useListState } from "../../shared/listState.ts";
import { useApiMutation, useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import { TrackingStats } from "./TrackingStats.tsx";

const CreateTracking = lazyPart(() => import("./CreateTracking.tsx").then((file) => file.CreateTracking));

export function TrackingScreen() {
  const list = useListState();
  const query = useApiQuery(tracking.list, { query: list.values });
  const remove = useApiMutation(tracking.delete, { refreshes: [tracking.list, tracking.stats] });
  const confirm = useConfirm();
  const [creating, setCreating] = useState(false);

  const askToDelete = ({ _id, code, type, used }: TrackingCode) =>
    confirm({
      title: "Delete this tracking code?",
      message: `${labelOf(type)} code ${code} ${used ? "is used: its order keeps the number." : "is unused and was paid for."} This cannot be undone.`,
      action: "Delete",
      working: "Deleting…",
      danger: true,
      onConfirm: () => remove.send({ params: { id: _id } }),
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
      cell: (row) => (
        <RowButton danger Icon={IconTrash} label={`Delete ${row.code}`} onClick={() => askToDelete(row)}>
          Delete
        </RowButton>
      ),
    },
  ];

  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      Create codes
    </Button>
  );

  return (
    <>
      <ListScreen
        title="USPS Tracking"
        subtitle={formatTotal(query.data, "prepaid code", "prepaid codes", list.isNarrowed)}
        showsTimes
        actions={createButton}
        list={list}
        query={query}
        rows={(reply) => reply.trackings}
        columns={columns}
        searchFor="Tracking code"
        empty={{
          title: "No tracking codes yet",
          hint: "Register a range of codes that the carrier issued.",
          action: createButton,
        }}
      >
        <TrackingStats />
      </ListScreen>
      {creating && <CreateTracking onClose={() => setCreating(false)} />}
    </>
  );
}

function Status({ used }: { used: boolean }) {
  return <StatusBadge tone={used ? "neutral" : "positive"}>{used ? "Used" : "Unused"}</StatusBadge>;
}
