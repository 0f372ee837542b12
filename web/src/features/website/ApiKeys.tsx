import { scopes } from "@footprint/contract/endpoint.ts";
import { type ApiKey, website } from "@footprint/contract/website.ts";
import { Alert, Box, Code, Group, Title } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import { serverNow } from "../../shared/clock.ts";
import type { Column } from "../../shared/DataTable.tsx";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatMoney, StatusBadge, Time } from "../../shared/format.tsx";
import { scopeLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { TwoLines } from "../../shared/TwoLines.tsx";
import classes from "./ApiKeys.module.css";

const CreateKey = lazyPart(() => import("./KeyForms.tsx").then((file) => file.CreateKey));
const EditKey = lazyPart(() => import("./KeyForms.tsx").then((file) => file.EditKey));

/** The keys that shops call with. A key is shown once, when it is created. */
export function ApiKeys() {
  const query = useApiQuery(website.listApiKeys, {});
  const confirm = useConfirm();
  const open = useDialog();
  const create = () => open((close) => <CreateKey onClose={close} />);
  const edit = (key: ApiKey) => open((close) => <EditKey apiKey={key} onClose={close} />);

  const askToDelete = (key: ApiKey) =>
    confirm({
      title: `Delete the key ${key.name}?`,
      message: `The shop that uses ${key.name} loses access at once. This cannot be undone.`,
      ...deletion,
      onConfirm: () => callApi(website.deleteApiKey, { params: { id: key._id } }),
    });

  const columns: Column<ApiKey>[] = [
    { title: "Key", cell: (key) => <KeyName apiKey={key} />, width: "26%", wraps: true, onCard: "headline" },
    { title: "For", cell: (key) => <Scopes apiKey={key} />, width: "20%", wraps: true },
    { title: "Limits", cell: (key) => <Limits apiKey={key} />, width: "24%", wraps: true, titled: true },
    {
      title: "Last used",
      cell: (key) => (key.lastUsedAt ? <Time value={key.lastUsedAt} /> : "Never"),
      dimmed: true,
      titled: true,
    },
    { title: "Created", cell: (key) => <Time value={key.createdAt} />, dimmed: true, titled: true, below: "Last used" },
    {
      title: "",
      cell: (key) => (
        <>
          <RowButton text="Edit" of={key.name} Icon={IconPencil} onClick={() => edit(key)} />
          <RowButton danger text="Delete" of={key.name} Icon={IconTrash} onClick={() => askToDelete(key)} />
        </>
      ),
    },
  ];

  return (
    <Box maw={1040} mt={32}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          API keys
        </Title>
        <AddButton text="Create key" variant="default" onClick={create} />
      </Group>
      {query.data?.keys.some((key) => !key.isBounded) && (
        <Alert color="orange" py={8} mb="sm">
          Keys from before see and change what every shop brought in. To replace one, create a key for the same shop,
          give it to the shop, and delete the old one.
        </Alert>
      )}
      <TablePanel
        title="API keys"
        query={query}
        rows={(reply) => reply.keys}
        columns={columns}
        empty={{ title: "No keys yet", hint: "A shop needs a key to bring in customers, orders and invoices." }}
      />
    </Box>
  );
}

function KeyName({ apiKey: { name, start, shop, isBounded } }: { apiKey: ApiKey }) {
  return (
    <TwoLines
      first={
        <Group component="span" gap="0 8px">
          <b>{name}</b> {!isBounded && <StatusBadge tone="warning">From before</StatusBadge>}
        </Group>
      }
      second={
        <>
          <Code>{start}…</Code> {shop.name === name ? "" : `of ${shop.name}`}
        </>
      }
    />
  );
}

function Scopes({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.scopes.length === scopes.length) return "Everything";
  return scopes
    .filter((scope) => apiKey.scopes.includes(scope))
    .map(scopeLabel)
    .join(", ");
}

function Limits({ apiKey: { depositsPerDay, expiresAt, addresses } }: { apiKey: ApiKey }) {
  if (depositsPerDay === null && !expiresAt && addresses.length === 0) return "None";
  const isOver = expiresAt && Date.parse(expiresAt) <= serverNow();
  return (
    <ul className={classes.limits}>
      {depositsPerDay !== null && <li>Up to {formatMoney(depositsPerDay)} a day</li>}
      {expiresAt && (
        <li>
          {isOver ? <StatusBadge tone="danger">Expired</StatusBadge> : "Until"} <Time value={expiresAt} />
        </li>
      )}
      {addresses.length > 0 && (
        <li>{addresses.length === 1 ? `From ${addresses[0]}` : `From ${addresses.length} addresses`}</li>
      )}
    </ul>
  );
}
