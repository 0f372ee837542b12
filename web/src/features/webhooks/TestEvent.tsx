import { type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { Answered } from "./Answered.tsx";
import { nameOf } from "./words.ts";

/** Sends a test event, and shows what the receiver says to it. */
export function TestEvent({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const test = useMutation({ mutationFn: () => callApi(webhooks.test, { params: { id: webhook._id } }) });
  const button = useKeptFocus(test.isPending);
  return (
    <Dialog title={`Test ${nameOf(webhook)}`} isWorking={test.isPending} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          An event of the type <b>test</b> is sent at once, signed like any other
          {webhook.state === "paused" && ", although the webhook is paused"}. Nothing in the business changes.
        </Text>
        <div role="status">
          {test.isPending ? (
            <Text size="sm" c="dimmed">
              Waiting for {webhook.url} …
            </Text>
          ) : test.data ? (
            <Answered {...test.data.delivery} answer={test.data.answer} />
          ) : (
            test.error && (
              <Text size="sm" c="var(--mantine-color-error)">
                {test.error.message}
              </Text>
            )
          )}
        </div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={test.isPending}>
            Close
          </Button>
          <Button ref={button} data-autofocus disabled={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? "Sending…" : test.isIdle ? "Send test event" : "Send another"}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
