import type { Reply } from "@footprint/contract/endpoint.ts";
import { users } from "@footprint/contract/users.ts";
import { Button, Group, Text, Title } from "@mantine/core";
import { IconCopy, IconPencil, IconPercentage, IconTrash } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatMoney, formatTotal, formatWeight, formatWeights } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { CustomPricingState } from "./CustomPricingState.tsx";
import { differenceTo, formatStandard, isAbove } from "./difference.ts";

const EditCustomPrice = lazyPart(() => import("./EditCustomPrice.tsx").then((file) => file.EditCustomPrice));
const ChangeCustomPrices = lazyPart(() => import("./ChangeCustomPrices.tsx").then((file) => file.ChangeCustomPrices));
const CopyCustomPrices = lazyPart(() => import("./CopyCustomPrices.tsx").then((file) => file.CopyCustomPrices));
const AddCustomPrice = lazyPart(() => import("./AddCustomPrice.tsx").then((file) => file.AddCustomPrice));

type User = Reply<typeof users.read>["user"];
/** The API wants the place of a price in the list as well as its id. */
type Listed = User["customPricing"][number] & { index: number };

/** The prices that a customer has of their own, and whether they count. */
export function CustomPrices({ id }: { id: string }) {
  const query = useApiQuery(users.read, { params: { id } });
  const confirm = useConfirm();
  const open = useDialog();
  const user = query.data?.user;

  const askToDelete = ({ _id, index, labelType, fromWeight, toWeight, price, standard, version }: Listed) =>
    confirm({
      title: "Delete this custom price?",
      message: `${user?.username ?? "The customer"} no longer gets ${labelType.name} ${formatWeights(fromWeight, toWeight, labelType.name)} at ${formatMoney(price)}. ${priceWithout(standard)}`,
      ...deletion,
      asksReason: "for the log",
      onConfirm: (options, reason) =>
        callApi(users.deleteCustomPrice, { params: { id }, body: { index, _id, reason } }, { ...options, version }),
    });

  const columns: Column<Listed>[] = [
    { title: "Label type", cell: ({ labelType }) => <b>{labelType.name}</b>, width: "22%", onCard: "headline" },
    { title: "From weight", cell: (price) => formatWeight(price.fromWeight, price.labelType.name), ...numeric },
    { title: "To weight", cell: (price) => formatWeight(price.toWeight, price.labelType.name), ...numeric },
    { title: "Price", cell: ({ price }) => <b>{formatMoney(price)}</b>, ...numeric, onCard: "aside" },
    {
      title: "Standard",
      cell: ({ standard }) => formatStandard(standard),
      second: ({ standard }) => standard && !standard.whole && "not for all weights",
      ...numeric,
      width: "13%",
    },
    {
      title: "Difference",
      cell: ({ standard, price }) => <Difference standard={standard} price={price} />,
      second: ({ standard, price }) => differenceTo(standard, price).percent,
      ...numeric,
      width: "13%",
    },
    {
      title: "",
      cell: (price) => (
        <>
          <RowButton text="Edit" of={nameOf(price)} Icon={IconPencil} onClick={() => edit(price)} />
          <RowButton danger text="Delete" of={nameOf(price)} Icon={IconTrash} onClick={() => askToDelete(price)} />
        </>
      ),
    },
  ];

  const add = () => user && open((close) => <AddCustomPrice user={user} onClose={close} />);
  const edit = (price: Listed) =>
    user && open((close) => <EditCustomPrice user={user} price={price} onClose={close} />);
  const change = () => user && open((close) => <ChangeCustomPrices user={user} onClose={close} />);
  const copy = () => user && open((close) => <CopyCustomPrices user={user} onClose={close} />);
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
        <Group gap={8}>
          {user && user.customPricing.length > 0 && (
            <Button variant="default" leftSection={<IconPercentage size={16} aria-hidden />} onClick={change}>
              Raise or lower
            </Button>
          )}
          <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} disabled={!user} onClick={copy}>
            Copy from…
          </Button>
          {addButton}
        </Group>
      </Group>
      <CustomPricingState user={user} />
      <TablePanel
        title="Custom prices"
        query={query}
        rows={(reply) => byLabelAndWeight(reply.user)}
        columns={columns}
        empty={{
          title: "No custom prices yet",
          hint: "Customers pay the standard price for every weight without a custom price.",
          action: addButton,
        }}
      />
    </>
  );
}

const numeric = { align: "right", width: "10%" } as const;

const nameOf = ({ labelType, fromWeight, toWeight }: Listed) =>
  `${labelType.name} ${formatWeights(fromWeight, toWeight, labelType.name)}`;

/** What is paid once a custom price is gone. */
function priceWithout(standard: Listed["standard"]): string {
  if (!standard) return "There is no standard price: these weights can then not be bought.";
  const paid = `The standard price is ${formatStandard(standard)}`;
  return standard.whole ? `${paid}.` : `${paid}; some of these weights can then not be bought.`;
}

/** Above the standard is unusual. */
function Difference({ standard, price }: Pick<Listed, "standard" | "price">) {
  const { amount } = differenceTo(standard, price);
  if (!isAbove(standard, price)) return amount;
  return (
    <Text span inherit fw={600} c="var(--mantine-color-orange-light-color)">
      {amount}
    </Text>
  );
}

const byLabelAndWeight = ({ customPricing }: User): Listed[] =>
  customPricing
    .map((price, index) => ({ ...price, index }))
    .sort((a, b) => a.labelType.name.localeCompare(b.labelType.name) || a.fromWeight - b.fromWeight);
