import { type CustomPrice, type User, users } from "@footprint/contract/users.ts";
import { Group, Text, Title } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatMoney, formatTotal, formatWeight, formatWeights } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { CustomPricingState } from "./CustomPricingState.tsx";

const AddCustomPrice = lazyPart(() => import("./AddCustomPrice.tsx").then((file) => file.AddCustomPrice));

/** The API wants the place of a price in the list as well as its id. */
type Listed = CustomPrice & { index: number };

/** The prices that a customer has of their own, and whether they count. */
export function CustomPrices({ id }: { id: string }) {
  const query = useApiQuery(users.read, { params: { id } });
  const confirm = useConfirm();
  const open = useDialog();
  const user = query.data?.user;

  const askToDelete = ({ _id, index, labelType, fromWeight, toWeight, price }: Listed) =>
    confirm({
      title: "Delete this custom price?",
      message: `${user?.username ?? "The customer"} no longer gets ${labelType.name} ${formatWeights(fromWeight, toWeight, labelType.name)} at ${formatMoney(price)}.`,
      ...deletion,
      onConfirm: () => callApi(users.deleteCustomPrice, { params: { id }, body: { index, _id } }),
    });

  const columns: Column<Listed>[] = [
    { title: "Label type", cell: ({ labelType }) => <b>{labelType.name}</b>, width: "34%", onCard: "headline" },
    { title: "From weight", cell: (price) => formatWeight(price.fromWeight, price.labelType.name), ...numeric },
    { title: "To weight", cell: (price) => formatWeight(price.toWeight, price.labelType.name), ...numeric },
    { title: "Price", cell: ({ price }) => formatMoney(price), ...numeric, onCard: "aside" },
    {
      title: "",
      cell: (price) => (
        <RowButton
          danger
          text="Delete"
          of={`${price.labelType.name} ${formatWeights(price.fromWeight, price.toWeight, price.labelType.name)}`}
          Icon={IconTrash}
          onClick={() => askToDelete(price)}
        />
      ),
    },
  ];

  const add = () => user && open((close) => <AddCustomPrice user={user} onClose={close} />);
  const addButton = <AddButton text="Add Price" disabled={!user} onClick={add} />;

  return (
    <>
      <Group justify="space-between" gap="8px 24px" mb={12}>
        <div>
          <Title order={2} size="md" style={{ overflowWrap: "anywhere" }}>
            {user ? `Custom pricing for ${user.username}` : "Custom pricing"}
          </Title>
          <Text size="sm" c="dimmed" mih="1lh">
            {formatTotal(user && { total: user.customPricing.length }, "custom price", "custom prices", false)}
          </Text>
        </div>
        {addButton}
      </Group>
      <CustomPricingState user={user} />
      <TablePanel
        title="Custom prices"
        query={query}
        rows={(reply) => byLabelAndWeight(reply.user)}
        columns={columns}
        empty={{
          title: "No custom prices yet",
          hint: "Without a price of their own for a weight, customers pay the label type's price.",
          action: addButton,
        }}
      />
    </>
  );
}

const numeric = { align: "right", width: "14%" } as const;

const byLabelAndWeight = ({ customPricing }: User): Listed[] =>
  customPricing
    .map((price, index) => ({ ...price, index }))
    .sort((a, b) => a.labelType.name.localeCompare(b.labelType.name) || a.fromWeight - b.fromWeight);
