import { type LabelType, labelTypes } from "@footprint/contract/label-types.ts";
import { type Runway, tracking } from "@footprint/contract/tracking.ts";
import { Anchor, Group } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { Link } from "react-router";
import { callApi } from "../../shared/api.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { ExportButton } from "../../shared/ExportButton.tsx";
import { formatCount, formatTotal, formatWeight, StatusBadge } from "../../shared/format.tsx";
import { labelOf } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery, useToastedCall } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { isGap, tiersAndGaps } from "./gaps.ts";

const LabelTypeForm = lazyPart(() => import("./LabelTypeForm.tsx").then((file) => file.LabelTypeForm));

export function LabelTypesScreen() {
  const query = useApiQuery(labelTypes.list, {});
  const runways = useApiQuery(tracking.runway, {}).data?.runways;
  const open = useDialog();
  const count = query.data && { total: query.data.labelTypes.length };

  const columns: Column<LabelType>[] = [
    { title: "Name", cell: (type) => <b>{type.name}</b>, width: "18%", onCard: "headline" },
    { title: "Max weight", cell: (type) => formatWeight(type.maxWeight, type.name), align: "right", width: "10%" },
    { title: "Uid", cell: (type) => <code>{type.uid}</code>, width: "15%", below: "Name" },
    { title: "Type", cell: (type) => type.type, width: "9%", below: "Max weight" },
    { title: "Status", cell: (type) => <Status type={type} />, width: "9%", onCard: "aside" },
    { title: "Codes", cell: (type) => <Codes type={type} runways={runways} />, width: "12%", titled: true },
    { title: "Tiers", cell: (type) => <Tiers type={type} />, width: "9%", titled: true },
    { title: "", cell: (type) => <Actions type={type} /> },
  ];

  const add = () => open((close) => <LabelTypeForm onClose={close} />);
  const addButton = <AddButton text="Add Label Type" onClick={add} />;

  return (
    <>
      <ScreenHeader
        title="Label Pricing"
        subtitle={formatTotal(count, "label type", "label types", false)}
        actions={
          <>
            <ExportButton call={labelTypes.export} input={{}} />
            {addButton}
          </>
        }
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
    </>
  );
}

function Status({ type }: { type: LabelType }) {
  return <StatusBadge tone={type.status ? "plain" : "danger"}>{type.status ? "Active" : "Inactive"}</StatusBadge>;
}

/** The codes that its labels take, and a word where these run out. */
function Codes({ type: { codes, status }, runways }: { type: LabelType; runways: readonly Runway[] | undefined }) {
  if (!codes) return <StatusBadge tone="plain">None</StatusBadge>;
  const runway = runways?.find(({ type }) => type === codes);
  return (
    <Group gap={8} wrap="nowrap">
      <Anchor component={Link} inherit c="inherit" to={`/usps?type=${codes}&used=false`}>
        {labelOf(codes)}
      </Anchor>
      {status && runway?.isLow && (
        <StatusBadge tone={runway.left === 0 ? "danger" : "warning"}>
          {runway.left === 0 ? "None left" : "Low"}
        </StatusBadge>
      )}
    </Group>
  );
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

function Actions({ type }: { type: LabelType }) {
  const setStatus = (status: boolean) => callApi(labelTypes.setStatus, { params: { id: type._id }, body: { status } });
  const enable = useToastedCall(() => setStatus(true));
  const open = useDialog();
  const confirm = useConfirm();
  const edit = () => open((close) => <LabelTypeForm labelType={type} onClose={close} />);
  const askToDisable = () =>
    confirm({
      title: `Disable ${type.name}?`,
      message: `Customers can no longer buy ${type.name} until it is enabled again. Its prices stay.`,
      action: "Disable",
      working: "Disabling…",
      danger: true,
      onConfirm: () => setStatus(false),
    });

  return (
    <>
      <RowButton text="Prices" of={`of ${type.name}`} to={`/pricing/${type._id}`} />
      <RowButton text="Edit" of={type.name} Icon={IconPencil} onClick={edit} />
      {type.status ? (
        <RowButton danger width={84} text="Disable" of={type.name} onClick={askToDisable} />
      ) : (
        <RowButton
          width={84}
          text={enable.isPending ? "Enabling…" : "Enable"}
          label={`Enable ${type.name}`}
          disabled={enable.isPending}
          onClick={() => enable.mutate()}
        />
      )}
    </>
  );
}
