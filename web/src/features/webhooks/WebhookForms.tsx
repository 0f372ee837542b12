import { type EventType, eventTypes } from "@footprint/contract/outbox.ts";
import { type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { Anchor, Checkbox, Code, Stack, Text, TextInput } from "@mantine/core";
import type { FormErrors, UseFormReturnType } from "@mantine/form";
import { apiBase, callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { Time } from "../../shared/format.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { ShownOnce } from "../../shared/ShownOnce.tsx";
import { eventNames, nameOf } from "./words.ts";

/** What each event tells. */
const hints: Record<EventType, string> = {
  "order.created": "A label was bought",
  "order.refunded": "Its price went back to the customer",
  "bulk-order.created": "Several labels were bought at once",
  "invoice.created": "A customer is about to deposit",
  "invoice.paid": "A deposit arrived and was credited",
  "invoice.reversed": "A credited deposit was taken back",
  "customer.created": "A shop brought somebody new",
  "customer.verified": "They may buy from now on",
  "customer.changed": "Name, e-mail, or whether they may buy",
  "balance.changed": "Every movement of money, with the balance after it",
  "fedex-order.created": "A Fedex label was asked for",
  "fedex-order.changed": "Its status, note, price or file",
  "price.changed": "Of a label type, for everybody or for one customer",
  "codes.low": "Few prepaid tracking codes of a type are left",
  "books.unbalanced": "The check of the books found a difference",
  "settings.changed": "The payment handle, limits or alerts",
};

type Fields = { url: string; note: string; all: boolean; events: Webhook["events"] };
type Form = { fields: UseFormReturnType<Fields> };

const inBody = ({ url, note, all, events }: Fields) => ({
  url: url.trim(),
  note,
  events: all ? [] : eventTypes.filter((type) => events.includes(type)),
});

const chosen = ({ all, events }: Fields): FormErrors =>
  all || events.length > 0 ? {} : { events: "Choose at least one event" };

/** The secret is shown in the same dialog: it is not shown again. */
export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const initialValues: Fields = { url: "", note: "", all: true, events: [] };
  return (
    <FormModal
      title="Create webhook"
      initialValues={initialValues}
      validate={chosen}
      onSubmit={(values, options) => callApi(webhooks.create, { body: inBody(values) }, options)}
      submitLabel="Create"
      workingLabel="Creating…"
      next={({ secret }) => <NewSecret value={secret} onClose={onClose} />}
      onClose={onClose}
    >
      {(fields) => <WebhookFields fields={fields} />}
    </FormModal>
  );
}

export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { _id: id, url, note, events } = webhook;
  const initialValues: Fields = { url, note, all: events.length === 0, events };
  return (
    <FormModal
      title={`Edit ${nameOf(webhook)}`}
      initialValues={initialValues}
      validate={chosen}
      onSubmit={(values, options) => {
        // What is unchanged is not sent: somebody else may have changed it.
        const before = inBody(initialValues);
        const isChanged = ([name, value]: [string, unknown]) =>
          JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]);
        const body = Object.fromEntries(Object.entries(inBody(values)).filter(isChanged));
        return callApi(webhooks.update, { params: { id }, body }, options);
      }}
      submitLabel="Save"
      aside={<HistoryButton of={nameOf(webhook)} subject={id} />}
      onClose={onClose}
    >
      {(fields) => <WebhookFields fields={fields} />}
    </FormModal>
  );
}

const WebhookFields = ({ fields }: Form) => (
  <>
    <TextInput
      label="Address"
      description="Where events are sent to, with POST and as JSON"
      type="url"
      placeholder="https://shop.example.com/hooks"
      autoComplete="off"
      spellCheck={false}
      required
      data-autofocus
      {...fields.getInputProps("url")}
    />
    <TextInput
      label="Note"
      description="Optional: which shop or program this is"
      maxLength={100}
      {...fields.getInputProps("note")}
    />
    <Checkbox
      label="All events"
      description="Also those that a later version adds"
      {...fields.getInputProps("all", { type: "checkbox" })}
    />
    {!fields.values.all && (
      <Checkbox.Group label="Events" {...fields.getInputProps("events")}>
        <Stack gap="xs" mt={4}>
          {eventTypes.map((type) => (
            <Checkbox
              key={type}
              value={type}
              label={eventNames[type]}
              description={
                <>
                  {hints[type]}: <Code fz="inherit">{type}</Code>
                </>
              }
            />
          ))}
        </Stack>
      </Checkbox.Group>
    )}
  </>
);

/** The old secret signs too for a day, so that no receiver has to change at the same moment. */
export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { _id: id, oldSecretUntil } = webhook;
  return (
    <FormModal
      title={`Rotate the secret of ${nameOf(webhook)}?`}
      initialValues={{}}
      onSubmit={(_, options) => callApi(webhooks.rotate, { params: { id } }, options)}
      submitLabel="Rotate secret"
      workingLabel="Rotating…"
      next={({ secret, webhook }) => <NewSecret value={secret} until={webhook.oldSecretUntil} onClose={onClose} />}
      onClose={onClose}
    >
      {() => (
        <>
          <Text size="sm">
            A new secret is made and shown once. For a day from now, everything is signed with the old one too: a
            receiver that knows either of them goes on, and has this day to change over.
          </Text>
          {oldSecretUntil && (
            <Text size="sm">
              The secret before the present one would sign until <Time value={oldSecretUntil} exact plain />. It stops
              at once.
            </Text>
          )}
        </>
      )}
    </FormModal>
  );
}

function NewSecret({ value, until, onClose }: { value: string; until?: string | null; onClose: () => void }) {
  return (
    <ShownOnce
      title="The webhook's secret"
      hint="Copy it now: it is not shown again."
      text={value}
      warning="Copy the secret first, then say that you have kept it."
      kept="I have kept it"
      onClose={onClose}
    >
      <Code block style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>
        {value}
      </Code>
      <Text size="sm">
        The receiver verifies <Code>webhook-signature</Code> with it, by a library of the Standard Webhooks
        specification, and refuses whatever does not pass.{" "}
        <Anchor href={`${apiBase()}/api/docs#webhooks`} target="_blank" rel="noreferrer" fz="inherit">
          How events are sent
        </Anchor>
      </Text>
      {until && (
        <Text size="sm" c="dimmed">
          Until <Time value={until} exact plain /> the old secret signs too.
        </Text>
      )}
    </ShownOnce>
  );
}
