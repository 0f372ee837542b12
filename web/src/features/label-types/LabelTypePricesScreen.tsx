import { type LabelType, labelTypes, type PriceTier } from "@footprint/contract/label-types.ts";
import { Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useParams } from "react-router";
import { useConfirm } from "../../shared/confirm.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { formatMoney, formatTotal, formatWeight, formatWeights } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isNotFound, NotFound } from "../../shared/NotFound.tsx";
import { useApiMutation, useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { type Gap, isGap, tiersAndGaps } from "./gaps.ts";

const AddTier = lazyPart(() => import("./TierForms.tsx").then((file) => file.AddTier));
const EditTier = lazyPart(() => import("./TierForms.tsx").then((file) => file.EditTier));

const back = { to: "/pricing", label: "Label Pricing" };

export function LabelTypePricesScreen() {
  const { id = "" } = useParams();
  const query = useApiQuery(labelTypes.read, { params: { id } });
  const remove = useApiMutation(labelTypes.deleteTier, { refreshes: [labelTypes.read, labelTypes.list] });
  const confirm = useConfirm();
  /** Set while Add Weight is open; `gap` fills in its bounds. */
  const [adding, setAdding] = useState<{ gap?: Gap }>();
  const [edited, setEdited] = useState<PriceTier>();
  const labelType = query.data?.labelType;
  const name = labelType?.name ?? "";
  const weights = ({ fromWeight, toWeight }: PriceTier | Gap) => formatWeights(fromWeight, toWeight, name);
  if (isNotFound(query.error)) return <NotFound what="label type" back={back} />;

  const askToDelete = (tier: PriceTier) =>
    confirm({
      title: `Delete the price for ${weights(tier)}?`,
      message: `${name} parcels of ${weights(tier)}, now ${formatMoney(tier.price)}, can then not be priced.`,
      action: "Delete",
      working: "Deleting…",
      danger: true,
      onConfirm: () => remove.send({ params: { id }, body: { fromWeight: tier.fromWeight, toWeight: tier.toWeight } }),
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
          <CloseGap weights={weights(row)} onClick={() => setAdding({ gap: row })} />
        ) : (
          <TierActions weights={weights(row)} onEdit={() => setEdited(row)} onDelete={() => askToDelete(row)} />
        ),
    },
  ];

  return (
    <>
      <ScreenHeader
        title={labelType ? `${name} prices` : "Label type prices"}
        back={back}
        subtitle={labelType ? summaryOf(labelType) : ""}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} disabled={!labelType} onClick={() => setAdding({})}>
            Add Weight
          </Button>
        }
      />
      <TablePanel
        title="Prices by weight"
        query={query}
        rows={(reply) => tiersAndGaps(reply.labelType)}
        columns={columns}
        tone={(row) => (isGap(row) ? "warning" : undefined)}
        empty={{ title: "No prices yet", hint: "Add the first one." }}
      />
      {adding && labelType && <AddTier labelType={labelType} gap={adding.gap} onClose={() => setAdding(undefined)} />}
      {edited && labelType && <EditTier labelType={labelType} tier={edited} onClose={() => setEdited(undefined)} />}
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

function CloseGap({ weights, onClick }: { weights: string; onClick: () => void }) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconPlus size={14} aria-hidden />}
      aria-label={`Add Weight for ${weights}`}
      onClick={onClick}
    >
      Add Weight
    </Button>
  );
}

function TierActions({ weights, onEdit, onDelete }: { weights: string; onEdit: () => void; onDelete: () => void }) {
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <RowButton Icon={IconPencil} label={`Edit ${weights}`} onClick={onEdit}>
        Edit
      </RowButton>
      <RowButton danger Icon={IconTrash} label={`Delete ${weights}`} onClick={onDelete}>
        Delete
      </RowButton>
    </Group>
  );
}
