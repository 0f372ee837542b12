import { type ApiKey, website } from "@footprint/contract/website.ts";
import { Button, Code, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useConfirm } from "../../shared/confirm.tsx";
import { copyText } from "../../shared/copyText.ts";
import type { Column } from "../../shared/DataTable.tsx";
import { Dialog } from "../../shared/Dialog.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { Time } from "../../shared/format.tsx";
import { useApiMutation, useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";
import classes from "./ApiKeys.module.css";

/** The keys that shops call with. A key is shown once, when it is created. */
export function ApiKeys() {
  const query = useApiQuery(website.listApiKeys, {});
  const remove = useApiMutation(website.deleteApiKey, { refreshes: [website.listApiKeys] });
  const confirm = useConfirm();
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();

  const askToDelete = (key: ApiKey) =>
    confirm({
      title: `Delete the key ${key.name}?`,
      message: `The shop that uses ${key.name} is shut out at once. This cannot be undone.`,
      action: "Delete",
      working: "Deleting…",
      danger: true,
      onConfirm: () => remove.send({ params: { id: key._id } }),
    });

  const columns: Column<ApiKey>[] = [
    { title: "Name", cell: (key) => <b>{key.name}</b>, width: "30%", onCard: "headline" },
    { title: "Begins with", cell: (key) => <Code>{key.start}…</Code>, width: "20%" },
    { title: "Last used", cell: (key) => (key.lastUsedAt ? <Time value={key.lastUsedAt} /> : "Never"), dimmed: true },
    { title: "Created", cell: (key) => <Time value={key.createdAt} />, dimmed: true },
    {
      title: "",
      cell: (key) => (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={14} aria-hidden />}
          aria-label={`Delete ${key.name}`}
          onClick={() => askToDelete(key)}
        >
          Delete
        </Button>
      ),
    },
  ];

  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} variant="default" onClick={() => setCreating(true)}>
      Create key
    </Button>
  );

  return (
    <div className={classes.keys}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          API keys
        </Title>
        {createButton}
      </Group>
      <TablePanel
        title="API keys"
        query={query}
        rows={(reply) => reply.keys}
        columns={columns}
        empty={{ title: "No keys yet", hint: "A shop needs a key to bring in customers, orders and invoices." }}
      />
      {creating && <CreateKey onCreated={setCreated} onClose={() => setCreating(false)} />}
      {created && <ShowKey value={created} onClose={() => setCreated(undefined)} />}
    </div>
  );
}

function CreateKey({ onCreated, onClose }: { onCreated: (key: string) => void; onClose: () => void }) {
  const create = useApiMutation(website.createApiKey, { refreshes: [website.listApiKeys] });
  return (
    <FormModal
      title="Create API key"
      initialValues={{ name: "" }}
      onSubmit={async (values, options) => {
        const reply = await create.send({ body: values }, options);
        onCreated(reply.key);
        return reply;
      }}
      submitLabel="Create"
      workingLabel="Creating…"
      closeAfter={0}
      onClose={onClose}
    >
      {(fields) => (
        <TextInput
          label="Name"
          description="Which shop will use it; its changes are logged under this name"
          autoComplete="off"
          data-autofocus
          {...fields.getInputProps("name")}
        />
      )}
    </FormModal>
  );
}

function ShowKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  return (
    <Dialog title="Your new key" onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">Copy it now: it is not shown again.</Text>
        <Code block className={classes.value}>
          {value}
        </Code>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={async () => setCopied(await copyText(value))}>
            {copied ? "Copied" : "Copy"}
          </Button>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
