import { type LabelType, labelTypes } from "@footprint/contract/label-types.ts";
import { Button, Group } from "@mantine/core";
import { IconPencil, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useConfirm } from "../../shared/confirm.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { formatCount, formatTotal, formatWeight, StatusBadge } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { toasts } from "../../shared/notify.ts";
import { useApiMutation, useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { isGap, tiersAndGaps } from "./gaps.ts";

const AddLabelType = lazyPart(() => import("./LabelTypeForms.tsx").then((file) => file.AddLabelType));
const EditLabelType = lazyPart(() => import("./LabelTypeForms.tsx").then((file) => file.EditLabelType));

export function LabelTypesScreen() {
  const query = useApiQuery(labelTypes.list, {});
  const [adding, setAdding] = useState(false);
  const [edited, setEdited] = useState<LabelType>();
  const count = query.data && { total: query.data.labelTypes.length };

  const columns: Column<LabelType>[] = [
    { title: "Name", cell: (type) => <b>{type.name}</b>, width: "20%", onCard: "headline" },
    { title: "Max weight", cell: (type) => formatWeight(type.maxWeight, type.name), align: "right", width: "10%" },
    { title: "Uid", cell: (type) => <code>{type.uid}</code>, width: "15%", below: "Name" },
    { title: "Type", cell: (type) => type.type, width: "9%", below: "Max weight" },
    { title: "Status", cell: (type) => <Status type={type} />, width: "9%", onCard: "aside" },
    { title: "Tiers", cell: (type) => <Tiers type={type} />, width: "9%" },
    { title: "", cell: (type) => <Actions type={type} onEdit={() => setEdited(type)} /> },
  ];

  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      Add Label Type
    </Button>
  );

  return (
    <>
      <ScreenHeader
        title="Label Pricing"
        subtitle={formatTotal(count, "label type", "label types", false)}
        actions={addButton}
      />
      <TablePanel
        title="Label types"
        query={query}
        rows={(reply) => reply.labelTypes}
        columns={columns}
        empty={{
          title: "No label types yet",
          hint: "A label type is what customers buy: its prices depend on a parcel's weight.",
          action: addButton,
        }}
      />
      {adding && <AddLabelType onClose={() => setAdding(false)} />}
      {edited && <EditLabelType labelType={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

function Status({ type }: { type: LabelType }) {
  return <StatusBadge tone={type.status ? "positive" : "danger"}>{type.status ? "Active" : "Inactive"}</StatusBadge>;
}

function Tiers({ type }: { type: LabelType }) {
  const gaps = tiersAndGaps(type).filter(isGap).length;
  return (
    <Group gap={8} wrap="nowrap">
      {formatCount(type.prices.length)}
      {gaps > 0 && <StatusBadge tone="warning">{formatTotal({ total: gaps }, "gap", "gaps", false)}</StatusBadge>}
    </Group>
  );
}

function Actions({ type, onEdit }: { type: LabelType; onEdit: () => void }) {
  const refreshes = [labelTypes.list, labelTypes.read];
  const disable = useApiMutation(labelTypes.setStatus, { refreshes });
  const enable = useApiMutation(labelTypes.setStatus, { refreshes, ...toasts });
  const confirm = useConfirm();
  const params = { id: type._id };
  const askToDisable = () =>
    confirm({
      title: `Disable ${type.name}?`,
      message: `Customers can no longer buy ${type.name} until it is enabled again. Its prices stay.`,
      action: "Disable",
      working: "Disabling…",
      danger: true,
      onConfirm: () => disable.send({ params, body: { status: false } }),
    });

  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <RowButton to={`/pricing/${type._id}`} label={`Prices of ${type.name}`}>
        Prices
      </RowButton>
      <RowButton Icon={IconPencil} label={`Edit ${type.name}`} onClick={onEdit}>
        Edit
      </RowButton>
      {type.status ? (
        <RowButton danger width={84} label={`Disable ${type.name}`} onClick={askToDisable}>
          Disable
        </RowButton>
      ) : (
        <RowButton
          width={84}
          label={`Enable ${type.name}`}
          disabled={enable.isPending}
          onClick={() => enable.start({ params, body: { status: true } })}
        >
          {enable.isPending ? "Enabling…" : "Enable"}
        </RowButton>
      )}
    </Group>
  );
}
