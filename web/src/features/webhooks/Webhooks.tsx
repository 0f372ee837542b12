import { type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { Anchor, Box, Group, Title } from "@mantine/core";
import { Link } from "react-router";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { Time } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { TwoLines } from "../../shared/TwoLines.tsx";
import { WebhookReason, WebhookState } from "./States.tsx";
import { pauseWhile, useRefetched } from "./useRefetched.ts";
import { useWebhookActions } from "./useWebhookActions.tsx";
import { WebhookMenu } from "./WebhookMenu.tsx";
import { eventsInShort, isMoving, nameOf, waitingInWords, webhookPath } from "./words.ts";

const CreateWebhook = lazyPart(() => import("./WebhookForms.tsx").then((file) => file.CreateWebhook));

/** Where events are sent to. A secret is shown once, when it is made. */
export function Webhooks() {
  const query = useApiQuery(webhooks.list, {});
  useRefetched(pauseWhile(query.data?.webhooks.some(isMoving) ?? false));
  const open = useDialog();
  const create = () => open((close) => <CreateWebhook onClose={close} />);
  return (
    <Box maw={1040} mt={32}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Webhooks
        </Title>
        <AddButton text="Create webhook" variant="default" onClick={create} />
      </Group>
      <TablePanel
        title="Webhooks"
        query={query}
        rows={(reply) => reply.webhooks}
        columns={columns}
        empty={{
          title: "No webhooks yet",
          hint: "Create one to tell a shop about refunds, deposits and labels as they happen.",
        }}
      />
    </Box>
  );
}

const columns: Column<Webhook>[] = [
  { title: "Webhook", cell: (webhook) => <Name webhook={webhook} />, width: "28%", wraps: true, onCard: "headline" },
  { title: "Events", cell: eventsInShort, width: "20%", wraps: true },
  {
    title: "State",
    cell: (webhook) => (
      <TwoLines first={<WebhookState webhook={webhook} />} second={<WebhookReason webhook={webhook} />} />
    ),
    width: "22%",
    wraps: true,
  },
  { title: "Waiting", cell: waitingInWords, align: "right", width: "9%" },
  {
    title: "Delivered",
    cell: ({ lastDeliveredAt }) => (lastDeliveredAt ? <Time value={lastDeliveredAt} /> : "Never"),
    dimmed: true,
    titled: true,
    below: "Waiting",
  },
  { title: "", cell: (webhook) => <Actions webhook={webhook} /> },
];

function Name({ webhook }: { webhook: Webhook }) {
  return (
    <TwoLines
      first={
        <Anchor component={Link} to={webhookPath(webhook)} c="inherit" fz="inherit" fw={600}>
          {nameOf(webhook)}
        </Anchor>
      }
      second={webhook.note && webhook.url}
    />
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  return (
    <>
      <RowButton text="Deliveries" of={`of ${nameOf(webhook)}`} to={webhookPath(webhook)} />
      <WebhookMenu webhook={webhook} actions={useWebhookActions(webhook)} />
    </>
  );
}
