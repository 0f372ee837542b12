import { type Delivery, type DeliveryStory, type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { Button, Group, Skeleton, Title } from "@mantine/core";
import { IconPlayerPlay, IconRefresh } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { CopyButton } from "../../shared/CopyButton.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { Details } from "../../shared/Details.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { useConfirm } from "../../shared/dialogs.tsx";
import { Time } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { Answered, LongText } from "./Answered.tsx";
import { Soon } from "./Soon.tsx";
import { DeliveryState } from "./States.tsx";
import { useWebhookActions } from "./useWebhookActions.tsx";
import classes from "./Webhooks.module.css";
import { eventName } from "./words.ts";

type Shown = {
  delivery: Delivery;
  webhook: Webhook | undefined;
  /** Sends it again, where it can be. */
  resend: { mutate: (delivery: Delivery) => void; isPending: boolean } | undefined;
};

/** What was sent, and what each try came to. */
export function DeliveryDetails({ onClose, ...shown }: Shown & { onClose: () => void }) {
  const { delivery } = shown;
  const { _id: id, event, customer, resentBy, nextTryAt, state } = delivery;
  const query = useApiQuery(webhooks.delivery, { params: { id } });
  return (
    <DetailsPane
      what="Delivery"
      id={id}
      status={<DeliveryState delivery={delivery} />}
      foot={(shown.resend || state === "waiting") && <Foot {...shown} />}
      onClose={onClose}
    >
      <Details
        items={[
          { title: "Event", value: eventName(event.type) },
          { title: "Event id", value: <ShortId value={event.id} name="event id" /> },
          { title: "Customer", value: customer && <CustomerLink user={customer} inList={false} /> },
          ...(resentBy === null ? [] : [{ title: "Sent again by", value: resentBy }]),
          ...(state === "waiting" && nextTryAt ? [{ title: "Next try", value: <Soon value={nextTryAt} /> }] : []),
          { title: "Happened", value: <Time value={event.timestamp} full />, wide: true },
        ]}
      />
      {query.isError && !query.data ? (
        <LoadFailure query={query} title="The tries could not be loaded" />
      ) : query.data ? (
        <Story story={query.data} />
      ) : (
        <Skeleton height={240} aria-busy />
      )}
    </DetailsPane>
  );
}

/** What was sent or given up can be sent again; what waits can be tried at once, or given up. */
function Foot({ delivery, webhook, resend }: Shown) {
  const { _id, event, customer } = delivery;
  const confirm = useConfirm();
  if (resend)
    return (
      <Button
        ml="auto"
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        disabled={resend.isPending}
        onClick={() => resend.mutate(delivery)}
      >
        {resend.isPending ? "Sending…" : "Send again"}
      </Button>
    );
  const giveUp = () =>
    confirm({
      title: `Give up ${eventName(event.type)}?`,
      message: `The receiver will not hear of it unless it is sent again. What waits behind it${customer ? ` for ${customer.username}` : ""} is sent next.`,
      action: "Give up",
      working: "Giving up…",
      danger: true,
      onConfirm: () => callApi(webhooks.giveUp, { params: { id: _id } }),
    });
  return (
    <>
      <Button variant="subtle" color="red" onClick={giveUp}>
        Give up
      </Button>
      {webhook?.state === "failing" && <TryNow webhook={webhook} />}
    </>
  );
}

function TryNow({ webhook }: { webhook: Webhook }) {
  const { resume } = useWebhookActions(webhook);
  const button = useKeptFocus(resume.isPending);
  return (
    <Button
      ref={button}
      variant="default"
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      disabled={resume.isPending}
      onClick={() => resume.mutate()}
    >
      Try now
    </Button>
  );
}

function Story({ story: { request, tries } }: { story: DeliveryStory }) {
  const body = prettyJson(request.body);
  return (
    <>
      <section>
        <Title order={3} size="h5" mb={8}>
          Tries
        </Title>
        {tries.length === 0 ? (
          <span className={classes.duration}>Not sent yet</span>
        ) : (
          <ol className={classes.tries} reversed>
            {tries
              .toSorted((one, other) => other.number - one.number)
              .map((one) => (
                <li key={one.number}>
                  <div className={classes.when}>
                    <b>Try {one.number}</b>
                    <span className={classes.duration}>
                      <Time value={one.at} full />
                    </span>
                  </div>
                  <Answered {...one} of={`try ${one.number}`} />
                </li>
              ))}
          </ol>
        )}
      </section>
      <section>
        <Title order={3} size="h5" mb={8}>
          Request
        </Title>
        <dl className={classes.headers}>
          {Object.entries({ POST: request.url, ...request.headers }).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {body ? (
          <>
            <Group justify="space-between" mb={8}>
              <b>Body</b>
              <CopyButton text={request.body} label="Copy body" />
            </Group>
            <LongText label="Body" text={body} />
          </>
        ) : (
          <span className={classes.duration}>The event is no longer kept.</span>
        )}
      </section>
    </>
  );
}

/** Readable; a body that is no JSON stays as it is. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
