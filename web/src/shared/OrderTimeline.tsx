import { type OrderStory, orders } from "@footprint/contract/orders.ts";
import { Group, Text, Textarea, Title } from "@mantine/core";
import { IconArrowBackUp, IconBarcode, IconShoppingBag, type TablerIcon } from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";
import { Author } from "./Author.tsx";
import { callApi } from "./api.ts";
import { draftOf, dropDraft, useDraft } from "./drafts.ts";
import { Emblem, initialsOf } from "./Emblem.tsx";
import { FormAlert } from "./FormAlert.tsx";
import { type ApiForm, SubmitButton, useApiForm } from "./form.tsx";
import { formatCount, formatMoney, Time } from "./format.tsx";
import classes from "./OrderDetails.module.css";
import { shortened } from "./ShortId.tsx";
import { useSession } from "./session.ts";

/** `by`: the author, whose letter is shown instead of an icon. */
type Event = { key: string; at: string; what: ReactNode; more?: ReactNode } & ({ Icon: TablerIcon } | { by: string });

/** What happened to an order, oldest first, and a field for a note. */
export function OrderTimeline({ story }: { story: OrderStory }) {
  const { username } = useSession();
  const events = eventsOf(story).sort((one, other) => one.at.localeCompare(other.at));
  return (
    <section aria-labelledby="order-timeline">
      <Title order={3} size={12} fw={500} c="dimmed" mb="xs" id="order-timeline">
        Timeline
      </Title>
      <ol className={classes.timeline}>
        {events.map(({ key, at, what, more, ...event }) => (
          <li key={key} className={classes.event}>
            {"by" in event ? (
              <Emblem size={24}>{initialsOf(event.by)}</Emblem>
            ) : (
              <span className={classes.icon}>
                <event.Icon size={14} aria-hidden />
              </span>
            )}
            <div>
              <div className={classes.what}>
                <span>{what}</span>
                <Text span size="xs" c="dimmed" lh="inherit">
                  <Time value={at} exact />
                </Text>
              </div>
              {more && <div className={classes.more}>{more}</div>}
            </div>
          </li>
        ))}
      </ol>
      <div className={classes.add}>
        <Emblem size={24}>{initialsOf(username)}</Emblem>
        <NoteForm order={story.order} />
      </div>
    </section>
  );
}

function eventsOf({ order, purchase, bulkOrder, refund, notes, batch }: OrderStory): Event[] {
  return [
    ...(batch
      ? [
          {
            key: "batch",
            at: batch.createdAt,
            Icon: IconBarcode,
            what: (
              <>
                Tracking code registered by <Author by={batch.by} />
              </>
            ),
            more: `In a batch of ${formatCount(batch.amount)}: ${shortened(batch.first)} to ${shortened(batch.last)}${batch.note && `. ${batch.note}`}`,
          },
        ]
      : []),
    {
      key: "purchase",
      at: order.createdAt,
      Icon: IconShoppingBag,
      what: purchase ? (
        <>
          Bought through <Author by={purchase.by} />
        </>
      ) : (
        "Bought"
      ),
      more: purchase && purchaseWords(purchase, bulkOrder),
    },
    ...notes.map((note) => ({
      key: note._id,
      at: note.createdAt,
      by: note.by.username,
      what: (
        <>
          <b>{note.by.username}</b> noted
        </>
      ),
      more: note.text,
    })),
    ...(refund
      ? [
          {
            key: "refund",
            at: refund.createdAt,
            Icon: IconArrowBackUp,
            what: (
              <>
                Refunded by <Author by={refund.by} />{" "}
                <Text span size="sm" fw={600} c="var(--mantine-color-green-light-color)">
                  +{formatMoney(refund.amount)}
                </Text>
              </>
            ),
            more: refund.reason ? `“${refund.reason}”` : "No reason was given.",
          },
        ]
      : []),
  ];
}

/** Orders of a bulk order are paid together. */
function purchaseWords({ amount, balanceAfter }: NonNullable<OrderStory["purchase"]>, bulk: OrderStory["bulkOrder"]) {
  const balances = `${formatMoney(Math.round((balanceAfter + amount) * 100) / 100)} → ${formatMoney(balanceAfter)}`;
  return bulk
    ? `${formatMoney(amount)} for all ${formatCount(bulk.orderCount)} of its bulk order, balance ${balances}`
    : `Balance ${balances}`;
}

function NoteForm({ order: { _id: id, uuid } }: { order: OrderStory["order"] }) {
  const saved = useRef("");
  const form: ApiForm<{ text: string }> = useApiForm({
    of: { id, name: `Note on order ${shortened(uuid)}` },
    initialValues: { text: draftOf<string>(id) ?? "" },
    async onSubmit(body, options) {
      const reply = await callApi(orders.addNote, { params: { id }, body }, options);
      saved.current = body.text;
      return reply;
    },
    end: {
      after: 0,
      on: "success",
      finish() {
        // Text typed meanwhile is the next note.
        if (draftOf(id) === saved.current) dropDraft(id);
      },
    },
  });
  const { text } = form.fields.values;
  useDraft(id, text || undefined, () => form.fields.setValues({ text: "" }));
  return (
    <form className={classes.note} onSubmit={form.submit}>
      <Textarea
        variant="unstyled"
        size="xs"
        aria-label="Note"
        placeholder="Add a note for your colleagues. It cannot be changed later."
        autosize
        minRows={2}
        maxLength={2000}
        {...form.fields.getInputProps("text")}
      />
      <Group justify="flex-end" gap="xs">
        <FormAlert alert={form.alert} />
        {text && (
          <Text size="xs" c="dimmed">
            Not saved
          </Text>
        )}
        <SubmitButton form={form} label="Save note" workingLabel="Saving…" variant="default" size="xs" />
      </Group>
    </form>
  );
}
