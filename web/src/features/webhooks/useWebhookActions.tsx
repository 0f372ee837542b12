import { type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { callApi } from "../../shared/api.ts";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useRemoval, useToastedCall } from "../../shared/queries.ts";
import { nameOf, waitingInWords } from "./words.ts";

const EditWebhook = lazyPart(() => import("./WebhookForms.tsx").then((file) => file.EditWebhook));
const RotateSecret = lazyPart(() => import("./WebhookForms.tsx").then((file) => file.RotateSecret));
const TestEvent = lazyPart(() => import("./TestEvent.tsx").then((file) => file.TestEvent));

/** What an administrator may do with a webhook; `leave` its screen once it is deleted. */
export function useWebhookActions(webhook: Webhook, leave?: () => void) {
  const params = { params: { id: webhook._id } };
  const name = nameOf(webhook);
  const open = useDialog();
  const confirm = useConfirm();
  const removal = useRemoval(webhook._id);
  const resume = useToastedCall(() => callApi(webhooks.resume, params));

  return {
    edit: () => open((close) => <EditWebhook webhook={webhook} onClose={close} />),

    rotate: () => open((close) => <RotateSecret webhook={webhook} onClose={close} />),

    test: () => open((close) => <TestEvent webhook={webhook} onClose={close} />),

    pause: () =>
      confirm({
        title: `Pause ${name}?`,
        message: "Nothing is sent to it until you resume it. What happens meanwhile waits, for 30 days at most.",
        action: "Pause",
        working: "Pausing…",
        onConfirm: () => callApi(webhooks.pause, params),
      }),

    /** Also tries at once what is failing. */
    resume,

    remove: () =>
      confirm({
        title: `Delete the webhook ${name}?`,
        message: (
          <>
            Nothing more is sent to {webhook.url}, and its deliveries are deleted
            {webhook.waiting > 0 && (
              <>
                , <b>{waitingInWords(webhook)} that wait</b> among them
              </>
            )}
            . This cannot be undone.
          </>
        ),
        ...deletion,
        onConfirm: () => removal(() => callApi(webhooks.remove, params)),
        ...(leave && { onDone: leave }),
      }),
  };
}
