import { type LabelType, labelTypes, type PriceTier } from "@footprint/contract/label-types.ts";
import { Text } from "@mantine/core";
import { IconAlertTriangle, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useParams } from "react-router";
import { callApi } from "../../shared/api.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatMoney, formatTotal, formatWeight, formatWeights } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isNotFound, NotFound } from "../../shared/NotFound.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { type Gap, isGap, tiersAndGaps } from "./gaps.ts";

const TierForm = lazyPart(() => import("./TierForm.tsx").then((file) => file.TierForm));

const back = { to: "/pricing", label: "Label Pricing" };

export function LabelTypePricesScreen() {
  const { id = "" } = useParams();
  const query = useApiQuery(labelTypes.read, { params: { id } });
  const confirm = useConfirm();
  const open = useDialog();
  const labelType = query.data?.labelType;
  const name = labelType?.name ?? "";
  const weights = ({ fromWeight, toWeight }: PriceTier | Gap) => formatWeights(fromWeight, toWeight, name);
  if (isNotFound(query.error)) return <NotFound what="label type" back={back} />;

  const edit = (row?: PriceTier | Gap) =>
    labelType && open((close) => <TierForm labelType={labelType} row={row} onClose={close} />);
  const askToDelete = ({ fromWeight, toWeight, price }: PriceTier) =>
    confirm({
      title: `Delete the price for ${formatWeights(fromWeight, toWeight, name)}?`,
      message: `${name} parcels of ${formatWeights(fromWeight, toWeight, name)}, now ${formatMoney(price)}, can then not be priced.`,
      ...deletion,
      onConfirm: () => callApi(labelTypes.deleteTier, { params: { id }, body: { fromWeight, toWeight } }),
    });

  const columns: Column<PriceTier | Gap>[] = [
    { title: "From weight", cell: (row) => formatWeight(row.fromWeight, name), ...numeric },
    { title: "To weight", cell: (row) => formatWeight(row.toWeight, name), ...numeric },
    {
      title: "Price",
      cell: (row) => (isGap(row) ? <Warning>No price for {weights(row)}</Warning> : formatMoney(row.price)),
      align: "right",
      width: "28%",
      onCard: "headline",
    },
    {
      title: "",
      cell: (row) =>
        isGap(row) ? (
          <RowButton
            text="Add Weight"
            of={`for ${weights(row)}`}
            Icon={IconPlus}
            variant="default"
            onClick={() => edit(row)}
          />
        ) : (
          <>
            <RowButton text="Edit" of={weights(row)} Icon={IconPencil} onClick={() => edit(row)} />
            <RowButton danger text="Delete" of={weights(row)} Icon={IconTrash} onClick={() => askToDelete(row)} />
          </>
        ),
    },
  ];

  return (
    <>
      <ScreenHeader
        title={labelType ? `${name} prices` : "Label type prices"}
        back={back}
        subtitle={labelType ? summaryOf(labelType) : ""}
        actions={<AddButton text="Add Weight" disabled={!labelType} onClick={() => edit()} />}
      />
      <TablePanel
        title="Prices by weight"
        query={query}
        rows={(reply) => tiersAndGaps(reply.labelType)}
        columns={columns}
        tone={(row) => (isGap(row) ? "warning" : undefined)}
        empty={{ title: "No prices yet", hint: "Add the first one." }}
      />
    </>
  );
}

const numeric = { align: "right", width: "14%" } as const;

function summaryOf(labelType: LabelType): string {
  const count = formatTotal({ total: labelType.prices.length }, "tier", "tiers", false);
  return `${count}, up to ${formatWeight(labelType.maxWeight, labelType.name)}`;
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <Text span size="sm" fw={600} c="var(--mantine-color-orange-light-color)">
      <IconAlertTriangle size={16} aria-hidden style={{ marginRight: 8, verticalAlign: "text-bottom" }} />
      {children}
    </Text>
  );
}
